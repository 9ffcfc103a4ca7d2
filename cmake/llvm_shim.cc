// The two functions that the bundled LLVM ADT objects call and that live in parts we do not bundle.
// Weak, so that a program which links LLVM itself keeps LLVM's own.
#include <cstdlib>

#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

namespace llvm {
[[noreturn]] __attribute__((weak)) void report_bad_alloc_error(const char*, bool) { std::abort(); }
[[noreturn]] __attribute__((weak)) void report_fatal_error(const Twine&, bool) { std::abort(); }
}  // namespace llvm
