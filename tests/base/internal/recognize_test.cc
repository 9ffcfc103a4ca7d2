#include "savedmodel/base/internal/recognize.h"

#include <gtest/gtest.h>

#include <string>

namespace savedmodel::internal {
namespace {

std::string_view Recognize(std::string_view head) { return RecognizeFile(std::as_bytes(std::span(head))); }

// B14, B16: what people hand over in place of a model or an index.
TEST(RecognizeFile, B14_B16_SaysWhatTheFileIs) {
  using std::string_literals::operator""s;
  const struct {
    std::string head;
    std::string_view want;
  } cases[] = {
      {"", "an empty file"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 9\n", "a Git-LFS pointer"},
      {"\x89HDF\r\n\x1a\n\0\0"s, "an HDF5 file"},
      {"PK\x03\x04\x14", "a zip archive"},
      {"\x1f\x8b\x08", "a gzip file"},
      {std::string(257, '\0') + "ustar\0"s, "a tar archive"},
      {"weights.bin" + std::string(246, '\0') + "ustar  ", "a tar archive"},
      {"\x7f"
       "ELF\x02",
       "an ELF program or library"},
      {"\x80\x04\x95\x10", "a Python pickle"},
      {"\x93NUMPY\x01", "a NumPy array"},
      {"\x1c\0\0\0TFL3"s, "a TensorFlow Lite model"},
      {"\x40\0\0\0\0\0\0\0{\"w\":"s, "a safetensors file"},
      {"model_checkpoint_path: \"ckpt-1\"\n", "a checkpoint state file"},
      {"<!DOCTYPE html><html>", "an HTML page"},
      {"saved_model_schema_version: 1\n", "text"},
      {"12345678{\"a\"}", "text"},
      {"Bo\xcc\x88rdel \xe6\xa8\xa1\n", "text"},
      {std::string(512, '\0'), "nothing but zero bytes"},
  };
  for (const auto& c : cases) EXPECT_EQ(Recognize(c.head), c.want) << c.head;
}

TEST(RecognizeFile, RealStartsOfOurFormatsAreNotMistaken) {
  using std::string_literals::operator""s;
  EXPECT_EQ(Recognize("\x08\x01\x12\xb5\x03\x0a\x10"), "") << "saved_model.pb";
  EXPECT_EQ(Recognize("\0\0\x06\x08\x01\x1a\x02\x08\x01"s), "") << "variables.index";
  EXPECT_EQ(Recognize("\x12\x34\x56\x78"), "") << "anything";
}

TEST(RecognizeFile, NoShortHeadIsReadPastItsEnd) {
  for (size_t size = 1; size < 262; ++size) {
    const std::string head(size, '\x01');
    EXPECT_EQ(Recognize(head), "") << size;
  }
}

// The head is the first 512 bytes, so a character may be cut at its end; it may not be broken in the middle.
TEST(RecognizeFile, TextMayEndInsideACharacter) {
  EXPECT_EQ(Recognize("abcd\xe6\xa8"), "text");
  EXPECT_EQ(Recognize("ab\xe6\xa8"
                      "cdef"),
            "");
  EXPECT_EQ(Recognize("\xe6\xa8"), "");
}

}  // namespace
}  // namespace savedmodel::internal
