// The search for names close to a missing one (text.h).
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "savedmodel/base/internal/text.h"

namespace savedmodel::internal {
namespace {

constexpr size_t kMaxCandidates = 100'000;  // looked at
constexpr size_t kMaxLength = 512;          // characters looked at in a name
constexpr uint64_t kMaxCells = 10'000'000;  // steps of the edit distance, for all candidates together
constexpr size_t kMaxDistance = 8;          // edits up to which names are close
constexpr size_t kMinPart = 3;              // characters from which a name inside another counts

struct Miss {
  size_t cost;  // 0 is best
  size_t length_difference;
  std::string_view name;
  auto operator<=>(const Miss&) const = default;
};

void DropCommonEnds(std::string_view& a, std::string_view& b) {
  while (!a.empty() && !b.empty() && a.front() == b.front()) a.remove_prefix(1), b.remove_prefix(1);
  while (!a.empty() && !b.empty() && a.back() == b.back()) a.remove_suffix(1), b.remove_suffix(1);
}

size_t Difference(size_t a, size_t b) { return a > b ? a - b : b - a; }

// Edits that turn `a` into `b`, or nothing when more than `limit` or the budget is used up.
std::optional<size_t> EditDistance(std::string_view a, std::string_view b, size_t limit, uint64_t* budget) {
  DropCommonEnds(a, b);
  if (Difference(a.size(), b.size()) > limit) return std::nullopt;
  const uint64_t cells = uint64_t{a.size()} * b.size();
  if (cells > *budget) return std::nullopt;
  *budget -= cells;
  std::array<size_t, kMaxLength + 1> row;
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  if (row[b.size()] > limit) return std::nullopt;
  return row[b.size()];
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool SameButForCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

bool IsPart(std::string_view part, std::string_view whole) {
  return part.size() >= kMinPart && whole.find(part) != std::string_view::npos;
}

std::optional<size_t> Cost(std::string_view wanted, std::string_view name, uint64_t* budget) {
  if (SameButForCase(wanted, name)) return 0;
  const size_t limit = std::clamp<size_t>(std::max(wanted.size(), name.size()) / 3, 1, kMaxDistance);
  if (auto distance = EditDistance(wanted, name, limit, budget)) return distance;
  if (IsPart(wanted, name) || IsPart(name, wanted)) return kMaxDistance + 1;
  return std::nullopt;
}

}  // namespace

std::vector<std::string> NearMisses(std::string_view wanted, const std::vector<std::string_view>& candidates,
                                    size_t limit) {
  wanted = wanted.substr(0, kMaxLength);
  uint64_t budget = kMaxCells;
  std::vector<Miss> misses;
  for (size_t i = 0; i < std::min(candidates.size(), kMaxCandidates); ++i) {
    const std::string_view name = candidates[i];
    if (name.empty() || name.size() > kMaxLength) continue;
    if (auto cost = Cost(wanted, name, &budget))
      misses.push_back({*cost, Difference(wanted.size(), name.size()), name});
  }
  const size_t count = std::min(limit, misses.size());
  std::partial_sort(misses.begin(), misses.begin() + static_cast<std::ptrdiff_t>(count), misses.end());
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.emplace_back(misses[i].name);
  return names;
}

std::string DidYouMean(std::string_view wanted, const std::vector<std::string_view>& candidates) {
  const std::vector<std::string> names = NearMisses(wanted, candidates);
  if (names.empty()) return "";
  std::string out = "did you mean ";
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    out += "\"" + Printable(names[i]) + "\"";
  }
  return out + "?";
}

}  // namespace savedmodel::internal
