// How many paths of nodes are spelled at once: in a graph made to be deep they would take the square of the
// file's size.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace savedmodel::internal {

class PathBudget {
 public:
  static constexpr uint64_t kMaxBytes = uint64_t{256} << 20;

  void Spend(std::span<const std::string> names) {
    for (const std::string& name : names) bytes_ += sizeof(name) + name.size();
  }
  void Spend(uint64_t bytes) { bytes_ += bytes; }
  bool ok() const { return bytes_ <= kMaxBytes; }

 private:
  uint64_t bytes_ = 0;
};

}  // namespace savedmodel::internal
