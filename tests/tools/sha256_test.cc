#include "savedmodel/tools/sha256.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "savedmodel/base/tensor.h"
#include "savedmodel/tools/element_bytes.h"

namespace savedmodel::tools {
namespace {

std::string Digest(std::string_view text, size_t piece) {
  Sha256 sha;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    sha.Update(std::as_bytes(std::span(text.substr(0, piece))));
  }
  return sha.HexDigest();
}

// The examples of FIPS 180-4 and its test vectors.
TEST(Sha256, KnownDigests) {
  EXPECT_EQ(Digest("", 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Digest("abc", 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Digest(std::string(1'000'000, 'a'), 1'000'000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesOfAnySizeGiveTheSame) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  const std::string whole = Digest(text, text.size());
  for (size_t piece : {1, 7, 55, 56, 57, 63, 64, 65, 128, 129})
    EXPECT_EQ(Digest(text, piece), whole) << piece;
}

TEST(Sha256, EveryLengthAroundABlockIsPaddedRightly) {
  // By Python's hashlib: sha256 of 'a' * n.
  EXPECT_EQ(Digest(std::string(55, 'a'), 64),
            "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  EXPECT_EQ(Digest(std::string(56, 'a'), 64),
            "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  EXPECT_EQ(Digest(std::string(63, 'a'), 64),
            "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34");
  EXPECT_EQ(Digest(std::string(64, 'a'), 64),
            "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

TEST(DigestOf, NumbersAreLittleEndianBytes) {
  const Tensor tensor = *Tensor::FromValues<int32_t>({2}, {1, 256});
  EXPECT_EQ(DigestOf(tensor), Digest(std::string_view("\1\0\0\0\0\1\0\0", 8), 8));
}

TEST(DigestOf, ElementsOfStringsHaveTheirLengthsBefore) {
  const std::string elements[] = {"ab", "", std::string("\0", 1)};
  const Tensor tensor = *Tensor::FromStrings({3}, elements);
  const std::string_view bytes("\2\0\0\0\0\0\0\0ab\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0", 27);
  EXPECT_EQ(DigestOf(tensor), Digest(bytes, 27));
}

}  // namespace
}  // namespace savedmodel::tools
