#include "savedmodel/tools/text_table.h"

#include <algorithm>

namespace savedmodel::tools {
namespace {

constexpr std::string_view kGap = "  ";
// One very long name does not push the columns behind it out of sight.
constexpr size_t kMaxWidth = 80;

std::string Padding(size_t width, std::string_view cell) {
  const size_t used = DisplayWidth(cell);
  return std::string(used < width ? width - used : 0, ' ');
}

}  // namespace

size_t DisplayWidth(std::string_view text) {
  const auto is_continued = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  return text.size() - static_cast<size_t>(std::count_if(text.begin(), text.end(), is_continued));
}

void TextTable::AlignRight(size_t column) {
  if (right_.size() <= column) right_.resize(column + 1, false);
  right_[column] = true;
}

void TextTable::Print(Output& out, std::string_view indent) const {
  std::vector<size_t> widths;
  for (const auto& row : rows_) {
    if (widths.size() < row.size()) widths.resize(row.size(), 0);
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], std::min(DisplayWidth(row[i]), kMaxWidth));
  }
  for (const auto& row : rows_) {
    out << indent;
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out << kGap;
      const std::string padding = Padding(widths[i], row[i]);
      const bool right = i < right_.size() && right_[i];
      if (right) out << padding;
      out << row[i];
      if (!right && i + 1 < row.size()) out << padding;
    }
    out << '\n';
    if (!out.wanted()) return;
  }
}

}  // namespace savedmodel::tools
