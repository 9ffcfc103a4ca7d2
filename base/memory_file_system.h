// A file system in memory, for models that arrive by other ways than a disk.
//
//   auto fs = std::make_shared<MemoryFileSystem>();
//   fs->Add("m/saved_model.pb", Buffer::FromString(bytes));
//   auto loader = Loader::Open("m", {.file_system = fs});
//
// Thread-safety: Add and Remove need outside locking against everything else.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "savedmodel/base/file_system.h"

namespace savedmodel {

class MemoryFileSystem : public FileSystem {
 public:
  // Adds or replaces a file; parent directories exist from then on.
  void Add(std::string_view path, Buffer content);
  void Remove(std::string_view path);
  StatusOr<std::shared_ptr<const Directory>> OpenDirectory(std::string_view path) const override;

 private:
  std::map<std::string, Buffer, std::less<>> files_;
};

}  // namespace savedmodel
