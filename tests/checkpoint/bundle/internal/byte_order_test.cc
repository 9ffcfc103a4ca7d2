#include "savedmodel/checkpoint/bundle/internal/byte_order.h"

#include <gtest/gtest.h>

#include <span>
#include <string>

namespace savedmodel::internal {
namespace {

std::string Swapped(std::string bytes, size_t unit) {
  SwapBytes(std::as_writable_bytes(std::span(bytes)), unit);
  return bytes;
}

TEST(ByteOrder, ReversesEachUnit) {
  EXPECT_EQ(Swapped("abcdefgh", 1), "abcdefgh");
  EXPECT_EQ(Swapped("abcdefgh", 2), "badcfehg");
  EXPECT_EQ(Swapped("abcdefgh", 4), "dcbahgfe");
  EXPECT_EQ(Swapped("abcdefgh", 8), "hgfedcba");
  EXPECT_EQ(Swapped("", 8), "");
}

TEST(ByteOrder, AnyAlignment) {
  std::string bytes = "xabcdefgh";
  SwapBytes(std::as_writable_bytes(std::span(bytes)).subspan(1), 8);
  EXPECT_EQ(bytes, "xhgfedcba");
}

}  // namespace
}  // namespace savedmodel::internal
