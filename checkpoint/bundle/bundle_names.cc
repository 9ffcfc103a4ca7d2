#include "savedmodel/checkpoint/bundle/bundle_names.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace savedmodel {
namespace {

constexpr std::string_view kIndexSuffix = ".index";
constexpr std::string_view kShardMark = ".data-";
constexpr std::string_view kShardCountMark = "-of-";
constexpr int kMinShardDigits = 5;

bool IsShardNumber(std::string_view text) {
  return text.size() >= size_t{kMinShardDigits} &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string IndexFileName(std::string_view prefix) { return std::string(prefix).append(kIndexSuffix); }

std::string ShardFileName(std::string_view prefix, int32_t shard, int32_t num_shards) {
  const auto number = [](int32_t n) { return absl::StrFormat("%0*d", kMinShardDigits, n); };
  std::string name(prefix);
  name.append(kShardMark).append(number(shard));
  return name.append(kShardCountMark).append(number(num_shards));
}

std::string_view PrefixOfFileName(std::string_view name) {
  if (name.ends_with(kIndexSuffix)) return name.substr(0, name.size() - kIndexSuffix.size());
  const size_t mark = name.rfind(kShardMark);
  if (mark == std::string_view::npos) return {};
  const std::string_view numbers = name.substr(mark + kShardMark.size());
  const size_t of = numbers.find(kShardCountMark);
  if (of == std::string_view::npos || !IsShardNumber(numbers.substr(0, of)) ||
      !IsShardNumber(numbers.substr(of + kShardCountMark.size()))) {
    return {};
  }
  return name.substr(0, mark);
}

}  // namespace savedmodel
