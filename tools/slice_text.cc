#include "savedmodel/tools/slice_text.h"

#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"

namespace savedmodel::tools {
namespace {

using internal::Error;

Error Malformed(std::string_view text) {
  return Error(StatusCode::kInvalidArgument, "not a slice: \"" + internal::Printable(text) + "\"")
      .Expected("one range per dimension, as 0:10,:");
}

StatusOr<int64_t> ParseNumber(std::string_view text, std::string_view all) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.starts_with('-'))
    return Malformed(all);
  return value;
}

// One range, resolved against the size of its dimension.
StatusOr<TensorSlice::Extent> ParseRange(std::string_view range, std::string_view all, int dimension,
                                         int64_t size) {
  const size_t colon = range.find(':');
  if (range == ":") return TensorSlice::All();
  int64_t start = 0, end = size;
  const std::string_view first = range.substr(0, colon);
  if (!first.empty() || colon == std::string_view::npos) {
    SAVEDMODEL_ASSIGN_OR_RETURN(start, ParseNumber(first, all));
  }
  if (colon == std::string_view::npos) {
    end = start == INT64_MAX ? start : start + 1;
  } else if (colon + 1 < range.size()) {
    SAVEDMODEL_ASSIGN_OR_RETURN(end, ParseNumber(range.substr(colon + 1), all));
  }
  if (start < end && end <= size) return TensorSlice::Extent{start, end - start};
  return Error(StatusCode::kOutOfRange,
               "range leaves the tensor, or is empty, in dimension " + std::to_string(dimension))
      .Expected("a range within 0:" + std::to_string(size))
      .Found(std::to_string(start) + ":" + std::to_string(end));
}

}  // namespace

StatusOr<TensorSlice> ParseSlice(std::string_view text, const Shape& shape) {
  std::vector<TensorSlice::Extent> extents;
  if (text.empty()) return Malformed(text);
  for (std::string_view rest = text;;) {
    const size_t comma = rest.find(',');
    const auto dimension = static_cast<int>(extents.size());
    if (dimension >= shape.rank()) {
      return Error(StatusCode::kInvalidArgument, "the slice has more ranges than the tensor has dimensions")
          .Expected("at most " + std::to_string(shape.rank()))
          .Found("\"" + internal::Printable(text) + "\"");
    }
    SAVEDMODEL_ASSIGN_OR_RETURN(const TensorSlice::Extent extent,
                                ParseRange(rest.substr(0, comma), text, dimension, shape.dim(dimension)));
    extents.push_back(extent);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  extents.resize(static_cast<size_t>(shape.rank()));  // whole dimensions
  return TensorSlice::Make(extents);
}

}  // namespace savedmodel::tools
