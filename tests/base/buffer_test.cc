#include "savedmodel/base/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "savedmodel/base/internal/page_memory.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using testing::IsOk;
using testing::StatusIs;

TEST(Buffer, DefaultIsEmpty) {
  const Buffer buffer;
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.size(), 0u);
  EXPECT_EQ(buffer.view(), "");
}

TEST(Buffer, FromStringKeepsBytesIncludingNul) {
  const Buffer buffer = Buffer::FromString(std::string("a\0b", 3));
  EXPECT_EQ(buffer.view(), std::string_view("a\0b", 3));
}

TEST(Buffer, ShortStringsAreNotLeftBehindInTheArgument) {
  std::string text = "ab";  // lives inside the string object itself
  const Buffer buffer = Buffer::FromString(std::move(text));
  const Buffer slice = buffer.Slice(1, 1);
  EXPECT_EQ(slice.view(), "b");
}

TEST(Buffer, SliceSharesOwnerAndOutlivesTheWhole) {
  Buffer all = Buffer::FromString("0123456789");
  const std::byte* begin = all.data();
  const Buffer part = all.Slice(4, 3);
  EXPECT_EQ(part.owner(), all.owner());
  EXPECT_EQ(part.data(), begin + 4);
  all = Buffer();
  EXPECT_EQ(part.view(), "456");
}

TEST(Buffer, SliceIsClipped) {
  const Buffer all = Buffer::FromString("0123");
  const struct {
    size_t offset, size;
    std::string_view want;
  } cases[] = {{0, 4, "0123"},
               {0, 99, "0123"},
               {3, 2, "3"},
               {4, 1, ""},
               {5, 1, ""},
               {1, std::numeric_limits<size_t>::max(), "123"},
               {std::numeric_limits<size_t>::max(), std::numeric_limits<size_t>::max(), ""}};
  for (const auto& c : cases) {
    const Buffer slice = all.Slice(c.offset, c.size);
    EXPECT_EQ(slice.view(), c.want) << c.offset << "+" << c.size;
  }
}

TEST(Buffer, CopyDoesNotShare) {
  std::string text = "abc";
  SM_ASSERT_OK_AND_ASSIGN(const Buffer copy, Buffer::Copy(std::as_bytes(std::span(text))));
  text[0] = 'x';
  EXPECT_EQ(copy.view(), "abc");
}

TEST(Buffer, CopyOfNothingIsEmpty) {
  SM_ASSERT_OK_AND_ASSIGN(const Buffer copy, Buffer::Copy({}));
  EXPECT_TRUE(copy.empty());
}

TEST(MutableBuffer, AnySizeIsAlignedAndWritableToItsLastByte) {
  for (size_t size : {size_t{1}, size_t{63}, size_t{64}, size_t{4097}, internal::kHugePage - 1,
                      internal::kHugePage, internal::kHugePage + 1, 3 * internal::kHugePage + 17}) {
    SM_ASSERT_OK_AND_ASSIGN(MutableBuffer buffer, MutableBuffer::Allocate(size));
    ASSERT_EQ(buffer.size(), size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % 64, 0u) << size;
    std::ranges::fill(buffer.bytes(), std::byte{0xab});
    const std::byte* data = buffer.data();
    const Buffer frozen = std::move(buffer).Freeze();
    EXPECT_EQ(frozen.data(), data);
    EXPECT_EQ(frozen.size(), size);
    EXPECT_EQ(frozen.bytes().back(), std::byte{0xab});
  }
}

TEST(MutableBuffer, SizeZeroIsAnEmptyBuffer) {
  SM_ASSERT_OK_AND_ASSIGN(MutableBuffer buffer, MutableBuffer::Allocate(0));
  EXPECT_EQ(buffer.size(), 0u);
  EXPECT_TRUE(std::move(buffer).Freeze().empty());
}

// Sizes that no machine has, and those that overflow when anything is added.
TEST(MutableBuffer, ImpossibleSizesAreResourceExhausted) {
  constexpr size_t kMax = std::numeric_limits<size_t>::max();
  for (size_t size : {kMax, kMax - 1, kMax - 63, kMax / 2, kMax / 2 + 1, kMax / 4, size_t{1} << 60}) {
    EXPECT_THAT(MutableBuffer::Allocate(size),
                StatusIs(StatusCode::kResourceExhausted, ::testing::HasSubstr(std::to_string(size))));
  }
}

TEST(PageMemory, BlocksAreZeroAndStartAtHugePages) {
  const size_t size = internal::kHugePage + 5;
  auto* block = static_cast<unsigned char*>(internal::AllocatePages(size));
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % internal::kHugePage, 0u);
  EXPECT_EQ(block[0] + block[size - 1], 0);
  internal::FreePages(block, size);
}

}  // namespace
}  // namespace savedmodel
