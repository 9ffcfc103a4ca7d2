#include "savedmodel/object_graph/internal/path_budget.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace savedmodel::internal {
namespace {

TEST(PathBudget, IsUsedUpByManyNamesAndByLongOnes) {
  PathBudget many, few;
  const std::vector<std::string> names(1'000'000, "n");
  for (int i = 0; i < 3; ++i) many.Spend(names);
  EXPECT_TRUE(many.ok());
  for (int i = 0; i < 20; ++i) many.Spend(names);
  EXPECT_FALSE(many.ok());
  few.Spend(PathBudget::kMaxBytes);
  EXPECT_TRUE(few.ok());
  few.Spend(1);
  EXPECT_FALSE(few.ok());
}

}  // namespace
}  // namespace savedmodel::internal
