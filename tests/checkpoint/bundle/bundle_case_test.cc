// The numbered cases about bundles, from tests/cases: case and test cannot drift apart.
#include "savedmodel/tests/checkpoint/bundle/bundle_case.h"

#include <gtest/gtest.h>

#include "savedmodel/tests/support/case_rows.h"

namespace savedmodel::testing {
namespace {

class BundleCase : public ::testing::TestWithParam<CaseRow> {};

TEST_P(BundleCase, Holds) { RunBundleCase(GetParam().row); }

INSTANTIATE_TEST_SUITE_P(Checkpoint, BundleCase, ::testing::ValuesIn(CaseRows("checkpoint.json", "do")),
                         CaseTestName);
INSTANTIATE_TEST_SUITE_P(Field, BundleCase, ::testing::ValuesIn(CaseRows("field.json", "do")), CaseTestName);

}  // namespace
}  // namespace savedmodel::testing
