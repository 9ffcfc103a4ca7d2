// Lines of cells in aligned columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/tools/output.h"

namespace savedmodel::tools {

// Cells on a terminal that the text takes: characters, not bytes. Wide characters count one.
size_t DisplayWidth(std::string_view text);

class TextTable {
 public:
  // Cells are printable text. The last one of a row is not padded.
  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // This column's cells stand at the right.
  void AlignRight(size_t column);
  // `indent` before every line, two spaces between columns.
  void Print(Output& out, std::string_view indent = "") const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<bool> right_;
};

}  // namespace savedmodel::tools
