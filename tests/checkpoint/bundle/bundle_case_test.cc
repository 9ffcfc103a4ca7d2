// The numbered cases about bundles, from tests/cases: case and test cannot drift apart.
#include "savedmodel/tests/checkpoint/bundle/bundle_case.h"

#include <gtest/gtest.h>

namespace savedmodel::testing {
namespace {

class BundleCaseTest : public ::testing::TestWithParam<BundleCase> {};

TEST_P(BundleCaseTest, Holds) { RunBundleCase(GetParam().row); }

std::string Name(const ::testing::TestParamInfo<BundleCase>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Checkpoint, BundleCaseTest, ::testing::ValuesIn(LoadBundleCases("checkpoint.json")),
                         Name);
INSTANTIATE_TEST_SUITE_P(Field, BundleCaseTest, ::testing::ValuesIn(LoadBundleCases("field_bundle.json")),
                         Name);

}  // namespace
}  // namespace savedmodel::testing
