// A directory of a test's own, removed with everything in it at the end.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace savedmodel::testing {

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  // The path of `name` in the directory; `name` is bytes and may be anything that a file may be called.
  std::string Path(std::string_view name) const { return path_ + "/" + std::string(name); }

  // Writes a file, with the directories above it; a test fails here when that does not work.
  std::string WriteFile(std::string_view name, std::string_view content) const;
  std::string MakeDirectory(std::string_view name) const;
  std::string MakeLink(std::string_view target,
                       std::string_view name) const;  // a symbolic link called `name`
  std::string ReadFile(std::string_view name) const;

 private:
  std::string path_;
};

// The content of a file; a test fails here when it cannot be read.
std::string ReadWholeFile(const std::filesystem::path& path);

}  // namespace savedmodel::testing
