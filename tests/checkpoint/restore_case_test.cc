// Restore scripts: what real TensorFlow answered to every step, the library answers too.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "savedmodel/tests/checkpoint/restore_script.h"
#include "savedmodel/tests/support/case_rows.h"

namespace savedmodel::testing {
namespace {

using Json = nlohmann::json;

const std::string kFolder = SAVEDMODEL_SOURCE_DIR "/tests/fixtures/restore/";

// The case and title, with every run of other characters than letters and digits as one "_".
std::string KeyOf(const Json& row) {
  std::string key;
  for (char c : row["case"].get<std::string>() + "_" + row["title"].get<std::string>()) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (is_plain) {
      key += c;
    } else if (key.empty() || key.back() != '_') {
      key += '_';
    }
  }
  return key;
}

const Json& AllOutcomes() {
  static const Json* outcomes = [] {
    std::ifstream in(kFolder + "outcomes.json");
    return new Json(Json::parse(in));
  }();
  return *outcomes;
}

// Numbers may differ in their last places: the two compute in other orders.
bool Agree(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) {
    const double x = a.get<double>(), y = b.get<double>();
    return std::abs(x - y) <= 2e-6 * std::max({1.0, std::abs(x), std::abs(y)});
  }
  if (a.size() != b.size() || !a.is_structured() || a.type() != b.type()) return a == b;
  for (auto i = a.begin(), j = b.begin(); i != a.end(); ++i, ++j) {
    if ((a.is_object() && i.key() != j.key()) || !Agree(*i, *j)) return false;
  }
  return true;
}

class RestoreCase : public ::testing::TestWithParam<CaseRow> {};

TEST_P(RestoreCase, AnswersAsTensorFlowDoes) {
  const Json& row = GetParam().row;
  const std::string key = KeyOf(row);
  const Json expected = AllOutcomes().at(key);
  const Json differs = row.value("differs", Json::object());
  RestoreScript script(kFolder + key);
  ASSERT_EQ(expected.size(), row["steps"].size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const std::string number = std::to_string(i);
    const Json& wanted = differs.contains(number) ? differs[number]["outcome"] : expected[i];
    const Json outcome = script.Run(row["steps"][i]);
    EXPECT_TRUE(Agree(outcome, wanted)) << "step " << number << " " << row["steps"][i] << "\n  gives "
                                        << outcome << "\n  where " << wanted << " is right";
  }
  for (const std::string& complaint : script.complaints()) ADD_FAILURE() << complaint;
}

INSTANTIATE_TEST_SUITE_P(Scripts, RestoreCase, ::testing::ValuesIn(CaseRows("restore.json", "steps")),
                         CaseTestName);

}  // namespace
}  // namespace savedmodel::testing
