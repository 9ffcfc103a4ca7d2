#include "savedmodel/object_graph/glob.h"

#include <algorithm>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/object_graph/internal/path_text.h"

namespace savedmodel {
namespace {

constexpr size_t kMaxComponents = 1000;
constexpr int kMaxAnyDepth = 32;

// '*' in `pattern` is any run of characters. Linear in practice: backtracks to the last star only.
bool MatchesName(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0, star = std::string_view::npos, retry = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

StatusOr<Glob> Glob::Parse(std::string_view text) {
  SAVEDMODEL_ASSIGN_OR_RETURN(std::vector<internal::PathToken> tokens, internal::TokenizePath(text));
  Glob glob;
  glob.text_ = text;
  int any_depth = 0;
  for (internal::PathToken& token : tokens) {
    Part part;
    if (!token.quoted && token.name == "**") {
      part.kind = Part::kAnyDepth;
      ++any_depth;
    } else if (!token.quoted && token.name.find('*') != std::string::npos) {
      part.kind = Part::kWildcard;
    }
    part.text = std::move(token.name);
    glob.parts_.push_back(std::move(part));
  }
  if (glob.parts_.size() > kMaxComponents || any_depth > kMaxAnyDepth) {
    return internal::Error(StatusCode::kInvalidArgument, "pattern is too long")
        .Path(text)
        .Expected("at most 1000 components and 32 **");
  }
  return glob;
}

bool Glob::IsPattern(std::string_view text) {
  StatusOr<std::vector<internal::PathToken>> tokens = internal::TokenizePath(text);
  if (!tokens.ok()) return false;
  return std::any_of(tokens->begin(), tokens->end(), [](const internal::PathToken& token) {
    return !token.quoted && token.name.find('*') != std::string::npos;
  });
}

void Glob::Close(State* state) const {
  for (size_t i = 0; i < parts_.size(); ++i) {
    if ((*state)[i] && parts_[i].kind == Part::kAnyDepth) (*state)[i + 1] = true;
  }
}

Glob::State Glob::Start() const {
  State state(parts_.size() + 1, false);
  state[0] = true;
  Close(&state);
  return state;
}

Glob::State Glob::Step(const State& state, std::string_view name) const {
  State next(parts_.size() + 1, false);
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (!state[i]) continue;
    const Part& part = parts_[i];
    if (part.kind == Part::kAnyDepth) {
      next[i] = true;
    } else if (part.kind == Part::kWildcard ? MatchesName(part.text, name) : part.text == name) {
      next[i + 1] = true;
    }
  }
  Close(&next);
  return next;
}

bool Glob::Accepts(const State& state) const { return !state.empty() && state.back(); }

bool Glob::CanContinue(const State& state) const {
  return !state.empty() && std::any_of(state.begin(), state.end() - 1, [](bool reached) { return reached; });
}

bool Glob::Matches(const NodePath& path) const {
  State state = Start();
  for (const std::string& name : path.components()) state = Step(state, name);
  return Accepts(state);
}

}  // namespace savedmodel
