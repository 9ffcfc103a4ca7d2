#include "savedmodel/tests/support/temp_dir.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <iterator>
#include <system_error>

namespace savedmodel::testing {
namespace fs = std::filesystem;

TempDir::TempDir() : path_((fs::temp_directory_path() / "savedmodel_test_XXXXXX").string()) {
  EXPECT_NE(mkdtemp(path_.data()), nullptr) << path_;
}

TempDir::~TempDir() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TempDir::MakeDirectory(std::string_view name) const {
  std::error_code error;
  fs::create_directories(Path(name), error);
  EXPECT_FALSE(error) << Path(name) << ": " << error.message();
  return Path(name);
}

std::string TempDir::WriteFile(std::string_view name, std::string_view content) const {
  if (const size_t slash = name.rfind('/'); slash != std::string_view::npos)
    MakeDirectory(name.substr(0, slash));
  std::ofstream out(Path(name), std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  EXPECT_TRUE(out.good()) << Path(name);
  return Path(name);
}

std::string TempDir::MakeLink(std::string_view target, std::string_view name) const {
  std::error_code error;
  fs::create_symlink(fs::path(target), Path(name), error);
  EXPECT_FALSE(error) << Path(name) << ": " << error.message();
  return Path(name);
}

std::string TempDir::ReadFile(std::string_view name) const { return ReadWholeFile(Path(name)); }

std::string ReadWholeFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace savedmodel::testing
