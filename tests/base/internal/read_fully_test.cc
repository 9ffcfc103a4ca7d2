#include "savedmodel/base/internal/read_fully.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace savedmodel::internal {
namespace {

std::string Content(size_t size) {
  std::string text(size, 0);
  for (size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 31 + i / 251);
  return text;
}

// Reads from a string in portions of 1 to 7 bytes; every third call is interrupted.
struct ShortReader {
  std::string_view content;
  int calls = 0;

  long operator()(void* to, size_t size, uint64_t offset) {
    if (++calls % 3 == 0) return errno = EINTR, -1;
    const size_t left = offset < content.size() ? content.size() - static_cast<size_t>(offset) : 0;
    const size_t portion = std::min({size, left, static_cast<size_t>(calls % 7 + 1)});
    std::memcpy(to, content.data() + offset, portion);
    return static_cast<long>(portion);
  }
};

TEST(ReadFully, B08_ShortReadsAndInterruptionsGiveTheSameBytes) {
  const std::string content = Content(1000);
  for (size_t offset : {0u, 1u, 500u, 999u}) {
    std::vector<std::byte> out(content.size() - offset);
    ShortReader reader{content};
    const ReadOutcome outcome = ReadFully(offset, out, reader);
    EXPECT_EQ(outcome.error, 0);
    EXPECT_EQ(outcome.done, out.size());
    EXPECT_EQ(std::memcmp(out.data(), content.data() + offset, out.size()), 0) << offset;
  }
}

TEST(ReadFully, StopsAtTheEndOfTheFile) {
  const std::string content = Content(10);
  std::vector<std::byte> out(16);
  const ReadOutcome outcome = ReadFully(3, out, ShortReader{content});
  EXPECT_EQ(outcome.error, 0);
  EXPECT_EQ(outcome.done, 7u);
}

TEST(ReadFully, GivesTheErrorAndWhereItHappened) {
  std::vector<std::byte> out(16);
  int calls = 0;
  const ReadOutcome outcome = ReadFully(0, out, [&](void*, size_t, uint64_t) -> long {
    if (++calls == 3) return errno = EIO, -1;
    return 5;
  });
  EXPECT_EQ(outcome.error, EIO);
  EXPECT_EQ(outcome.done, 10u);
}

TEST(ReadFully, NothingToReadMakesNoCall) {
  const ReadOutcome outcome =
      ReadFully(0, {}, [](void*, size_t, uint64_t) -> long { return errno = EIO, -1; });
  EXPECT_EQ(outcome.error, 0);
  EXPECT_EQ(outcome.done, 0u);
}

// The memory is only counted here, not touched: three calls for 2.5 GiB.
TEST(ReadFully, AsksForAtMostOneGibibyteAtATime) {
  std::byte dummy{};
  std::vector<size_t> sizes;
  const std::span<std::byte> huge(&dummy, (size_t{5} << 30) / 2);
  ReadFully(7, huge, [&](void*, size_t size, uint64_t) {
    sizes.push_back(size);
    return static_cast<int64_t>(size);
  });
  EXPECT_EQ(sizes, (std::vector<size_t>{size_t{1} << 30, size_t{1} << 30, size_t{1} << 29}));
}

}  // namespace
}  // namespace savedmodel::internal
