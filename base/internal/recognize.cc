#include "savedmodel/base/internal/recognize.h"

#include <algorithm>
#include <cstdint>

#include "savedmodel/base/internal/text.h"

namespace savedmodel::internal {
namespace {

using std::string_view_literals::operator""sv;

struct Signature {
  size_t offset;
  std::string_view bytes;
  std::string_view name;
};

constexpr Signature kSignatures[] = {
    {0, "version https://git-lfs"sv, "a Git-LFS pointer"},
    {0, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file"},
    {0, "PK\x03\x04"sv, "a zip archive"},
    {0, "PK\x05\x06"sv, "an empty zip archive"},
    {0, "\x1f\x8b"sv, "a gzip file"},
    {0, "BZh"sv, "a bzip2 file"},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     "an xz file"},
    {0, "\x28\xb5\x2f\xfd"sv, "a Zstandard file"},
    {257, "ustar"sv, "a tar archive"},
    {4, "TFL3"sv, "a TensorFlow Lite model"},
    {0, "\x93NUMPY"sv, "a NumPy array"},
    {0,
     "\x7f"
     "ELF"sv,
     "an ELF program or library"},
    {8, "{\""sv, "a safetensors file"},
    {0, "model_checkpoint_path:"sv, "a checkpoint state file"},
    {0, "<!DOCTYPE"sv, "an HTML page"},
    {0, "<!doctype"sv, "an HTML page"},
    {0, "<html"sv, "an HTML page"},
};

bool Has(std::string_view head, const Signature& signature) {
  return head.size() >= signature.offset && head.substr(signature.offset).starts_with(signature.bytes);
}

// A safetensors file starts with the length of its JSON header; text may have `{"` at byte 8 too.
bool IsFalseSafetensors(std::string_view head, const Signature& signature) {
  return signature.offset == 8 && head[7] != '\0';
}

// PROTO opcode with a protocol number that was ever given out.
bool IsPickle(std::string_view head) {
  return head.size() >= 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
}

bool IsTextCharacter(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return (byte >= 0x20 && byte != 0x7f) || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

bool IsText(std::string_view head) {
  constexpr size_t kCutCharacter = 3;  // the head may end inside a character
  return std::all_of(head.begin(), head.end(), IsTextCharacter) &&
         head.size() - ValidUtf8Prefix(head) <= (head.size() > kCutCharacter ? kCutCharacter : 0);
}

}  // namespace

std::string_view RecognizeFile(std::span<const std::byte> bytes) {
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (head.empty()) return "an empty file";
  for (const Signature& signature : kSignatures) {
    if (Has(head, signature) && !IsFalseSafetensors(head, signature)) return signature.name;
  }
  if (IsPickle(head)) return "a Python pickle";
  if (std::all_of(head.begin(), head.end(), [](char c) { return c == '\0'; }))
    return "nothing but zero bytes";
  if (IsText(head)) return "text";
  return {};
}

}  // namespace savedmodel::internal
