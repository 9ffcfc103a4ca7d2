// The numbered cases of tests/cases, which are data: tests/cases/README.md.
#pragma once

#include <cctype>
#include <fstream>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace savedmodel::testing {

struct CaseRow {
  std::string name;  // fit for the name of a test: "C39_the_directory_of_a_SavedModel"
  nlohmann::json row;
};
inline void PrintTo(const CaseRow& row, std::ostream* out) { *out << row.name; }

// The rows of tests/cases/<file> that have `field`: each runner takes those that it understands. Throws when the file
// cannot be read, so that no test passes for want of rows.
inline std::vector<CaseRow> CaseRows(const std::string& file, std::string_view field) {
  std::ifstream in(std::string(SAVEDMODEL_SOURCE_DIR) + "/tests/cases/" + file);
  std::vector<CaseRow> rows;
  for (nlohmann::json& row : nlohmann::json::parse(in)) {
    if (!row.contains(field)) continue;
    std::string name = row.at("case").get<std::string>() + "_" + row.at("title").get<std::string>();
    for (char& c : name) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    rows.push_back({std::move(name), std::move(row)});
  }
  return rows;
}

// Several rows may share a case and a title.
inline std::string CaseTestName(const ::testing::TestParamInfo<CaseRow>& info) {
  return info.param.name + "_" + std::to_string(info.index);
}

}  // namespace savedmodel::testing
