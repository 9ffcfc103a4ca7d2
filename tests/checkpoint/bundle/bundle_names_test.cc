#include "savedmodel/checkpoint/bundle/bundle_names.h"

#include <gtest/gtest.h>

#include <limits>

namespace savedmodel {
namespace {

TEST(BundleNames, AreThoseThatTensorFlowWrites) {
  EXPECT_EQ(IndexFileName("ckpt/model-1"), "ckpt/model-1.index");
  EXPECT_EQ(ShardFileName("ckpt/model-1", 0, 1), "ckpt/model-1.data-00000-of-00001");
  EXPECT_EQ(ShardFileName("m", 123456, 2000000), "m.data-123456-of-2000000");
  EXPECT_EQ(ShardFileName("", 2147483646, std::numeric_limits<int32_t>::max()),
            ".data-2147483646-of-2147483647");
}

TEST(BundleNames, GiveTheirPrefixBack) {
  EXPECT_EQ(PrefixOfFileName("a/m.index"), "a/m");
  EXPECT_EQ(PrefixOfFileName("a/m.data-00003-of-00012"), "a/m");
  EXPECT_EQ(PrefixOfFileName("m.data-1.data-00000-of-00001"), "m.data-1");
  EXPECT_EQ(PrefixOfFileName("m.index.index"), "m.index");
}

TEST(BundleNames, OfOtherFilesHaveNone) {
  for (const char* name : {"", "m", "index", "m.data-0-of-1", "m.data-00000", "m.data-0000x-of-00001",
                           "m.data--of-", "m.data-00000-of-00001.tempstate123", "checkpoint"}) {
    EXPECT_EQ(PrefixOfFileName(name), "") << name;
  }
}

}  // namespace
}  // namespace savedmodel
