// The rows of tests/cases/restore.json: scripts whose every outcome is TensorFlow's, or where they say that it is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/tests/restore_script/restore_script.h"

namespace savedmodel::testing {
namespace {

using ::testing::HasSubstr;

const std::string kTests = SAVEDMODEL_SOURCE_DIR "/tests/";

Json ReadJson(const std::string& file) {
  std::ifstream in(kTests + file);
  return Json::parse(in);
}

struct ScriptRow {
  std::string key;  // of its outcomes and its folder
  Json row;
};
void PrintTo(const ScriptRow& row, std::ostream* out) { *out << row.key; }

// Every run of other characters than letters and digits becomes one "_".
std::string KeyOf(const Json& row) {
  std::string key;
  for (char c : row.at("case").get<std::string>() + "_" + row.at("title").get<std::string>()) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (plain || key.empty() || key.back() != '_') key += plain ? c : '_';
  }
  return key;
}

std::vector<ScriptRow> Rows() {
  std::vector<ScriptRow> rows;
  for (Json& row : ReadJson("cases/restore.json")) {
    std::string key = KeyOf(row);
    rows.push_back({std::move(key), std::move(row)});
  }
  return rows;
}

// Numbers agree to a millionth: TensorFlow's arithmetic is vectorised.
bool Agree(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) {
    const double x = a.get<double>(), y = b.get<double>();
    return x == y || std::abs(x - y) <= 1e-6 * std::max(std::abs(x), std::abs(y));
  }
  if (a.is_array() && b.is_array()) {
    bool all = a.size() == b.size();
    for (size_t i = 0; all && i < a.size(); ++i) all = Agree(a[i], b[i]);
    return all;
  }
  if (a.is_object() && b.is_object()) {
    bool all = a.size() == b.size();
    for (const auto& [name, value] : a.items()) all = all && b.contains(name) && Agree(value, b.at(name));
    return all;
  }
  return a == b;
}

class RestoreCase : public ::testing::TestWithParam<ScriptRow> {
 protected:
  // TensorFlow's outcome of a step or, where the row says so, another one.
  Json Expected(size_t i) const {
    const Json differs = GetParam().row.value("differs", Json::object());
    const std::string number = std::to_string(i);
    if (!differs.contains(number)) return outcomes_.at(i);
    const Json& own = differs.at(number).at("outcome");
    EXPECT_FALSE(Agree(own, outcomes_.at(i))) << "step " << number << " is listed and does not differ";
    return own;
  }

  static void CheckTexts(const Json& step, const RestoreScript::Outcome& outcome) {
    const std::string message(Message(outcome.status));
    if (step.contains("code")) {
      EXPECT_EQ(absl::StatusCodeToString(outcome.status.code()), step.at("code").get<std::string>())
          << message;
    }
    for (const char* texts : {"names", "contains"}) {
      for (const Json& text : step.value(texts, Json::array()))
        EXPECT_THAT(message, HasSubstr(text.get<std::string>()));
    }
  }

  const Json outcomes_ = ReadJson("fixtures/restore/outcomes.json").at(GetParam().key);
};

TEST_P(RestoreCase, HasTheOutcomesOfTensorFlow) {
  const Json& steps = GetParam().row.at("steps");
  ASSERT_EQ(steps.size(), outcomes_.size());
  RestoreScript script(kTests + "fixtures/restore/" + GetParam().key);
  for (size_t i = 0; i < steps.size(); ++i) {
    SCOPED_TRACE("step " + std::to_string(i) + " " + steps[i].dump());
    const RestoreScript::Outcome outcome = script.Run(steps[i]);
    const Json expected = Expected(i);
    EXPECT_TRUE(Agree(outcome.answer, expected))
        << "expected " << expected << ", found " << outcome.answer << " " << Message(outcome.status);
    CheckTexts(steps[i], outcome);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RestoreCase, ::testing::ValuesIn(Rows()),
                         [](const auto& row) { return row.param.key; });

}  // namespace
}  // namespace savedmodel::testing
