#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "savedmodel/base/internal/text.h"

namespace savedmodel::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NearMisses, BestFirst) {
  EXPECT_THAT(NearMisses("kernel", {"bias", "kernels", "kernel_1", "Kernel", "moving_mean"}),
              ElementsAre("Kernel", "kernels", "kernel_1"));
}

TEST(NearMisses, TyposAndSwappedLetters) {
  EXPECT_THAT(NearMisses("serving_defualt", {"serving_default", "train", "__saved_model_init_op"}),
              ElementsAre("serving_default"));
}

TEST(NearMisses, APartOfALongerName) {
  EXPECT_THAT(NearMisses("w", {"w/.ATTRIBUTES/VARIABLE_VALUE"}), IsEmpty()) << "one letter is in everything";
  EXPECT_THAT(NearMisses("dense/kernel", {"model/dense/kernel/.ATTRIBUTES/VARIABLE_VALUE", "model/other"}),
              ElementsAre("model/dense/kernel/.ATTRIBUTES/VARIABLE_VALUE"));
}

TEST(NearMisses, NothingCloseIsNothing) {
  EXPECT_THAT(NearMisses("optimizer", {"a", "b", "layer_norm"}), IsEmpty());
  EXPECT_THAT(NearMisses("", {"a", ""}), ElementsAre("a"));
  EXPECT_THAT(NearMisses("a", {}), IsEmpty());
}

TEST(NearMisses, LimitIsKept) {
  EXPECT_THAT(NearMisses("ab", {"aa", "ac", "ad"}, 1), ElementsAre("aa"));
  EXPECT_THAT(NearMisses("ab", {"aa"}, 0), IsEmpty());
}

// Names that differ in every character cost the most; so do very many and very long ones. Without bounds this
// test does not end before its time limit.
TEST(NearMisses, HostileNamesTakeBoundedTime) {
  std::vector<std::string> names;
  for (int i = 0; i < 20'000; ++i) names.push_back(std::string(500, 'b') + std::to_string(i % 10));
  names.push_back(std::string(50'000'000, 'a'));
  std::vector<std::string_view> candidates(names.begin(), names.end());
  candidates.insert(candidates.end(), 300'000, names.back());
  EXPECT_THAT(NearMisses(std::string(500, 'a'), candidates), IsEmpty());
  EXPECT_THAT(NearMisses(names.back(), candidates), IsEmpty());
}

TEST(DidYouMean, IsASentence) {
  EXPECT_EQ(DidYouMean("x", {"optimizer"}), "");
  EXPECT_EQ(DidYouMean("kernel", {"kernels"}), "did you mean \"kernels\"?");
  EXPECT_EQ(DidYouMean("ab", {"aa", "ac"}), "did you mean \"aa\" or \"ac\"?");
  EXPECT_EQ(DidYouMean("ab", {"aa", "ac", "ad"}), "did you mean \"aa\", \"ac\" or \"ad\"?");
  EXPECT_EQ(DidYouMean("abcd", {"abc\n"}), "did you mean \"abc\\x0a\"?");
}

}  // namespace
}  // namespace savedmodel::internal
