// Where "no memory left" turns from an exception into an error: the SDK never throws across its interface.
//
//   StatusOr<Model> Open(std::string_view path) {
//     return internal::Guarded([&] { return OpenModel(path); });
//   }
//
// Put around every public function whose containers grow with a file, and around what runs on another thread, where
// an exception would end the process. Buffers for elements (MutableBuffer) say so without throwing.
#pragma once

#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "savedmodel/base/status.h"

namespace savedmodel::internal {

// ResourceExhausted; without a message where not even that finds room.
Status OutOfMemory() noexcept;

// What `function` returns, a Status or StatusOr; OutOfMemory() when an allocation in it fails. Everything that it had
// allocated is free again by then. std::length_error is the same condition, told by a container that would never fit.
template <class Function>
std::invoke_result_t<Function> Guarded(Function&& function) {
  try {
    return std::forward<Function>(function)();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  return OutOfMemory();
}

}  // namespace savedmodel::internal
