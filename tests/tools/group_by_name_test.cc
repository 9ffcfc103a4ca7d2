#include "savedmodel/tools/group_by_name.h"

#include <gtest/gtest.h>

#include <string>

namespace savedmodel::tools {
namespace {

TEST(GroupByName, KeepsEveryItemAndTheOrderOfFirstOnes) {
  const std::vector<std::string> items = {"b1", "a1", "b2", "c1", "a2"};
  std::string text;
  for (const auto& [name, of_name] :
       GroupByName(items, [](const std::string& item) { return std::string_view(item).substr(0, 1); })) {
    text += std::string(name) + ":";
    for (const std::string* item : of_name) text += *item + " ";
  }
  EXPECT_EQ(text, "b:b1 b2 a:a1 a2 c:c1 ");
}

}  // namespace
}  // namespace savedmodel::tools
