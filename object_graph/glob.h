// A pattern over node paths: root.layers.*.kernel, root.encoder.**.
//
// '*' as a component stands for any one component, '**' for any number of them (none included); a '*' inside
// a component stands for any run of its characters (layer_*). A quoted component is literal. Otherwise the
// grammar of node_path.h.
// Thread-safety: a value.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/object_graph/node_path.h"

namespace savedmodel {

class Glob {
 public:
  // At most 32 '**' and 1,000 components. Errors: InvalidArgument (as NodePath::Parse, or over these limits).
  static StatusOr<Glob> Parse(std::string_view text);
  // True when `text` holds a '*' outside quotes, and so is a pattern and not a path.
  static bool IsPattern(std::string_view text);

  // Cost: components of the pattern x components of the path.
  bool Matches(const NodePath& path) const;
  const std::string& text() const { return text_; }

  // Matching one component after another, for walks that stop where nothing can match any more. A state is
  // the set of pattern positions reached so far.
  using State = std::vector<bool>;
  State Start() const;                                          // at root
  State Step(const State& state, std::string_view name) const;  // one edge further
  bool Accepts(const State& state) const;
  bool CanContinue(const State& state) const;  // false: no longer path can match

 private:
  struct Part {
    enum Kind { kLiteral, kWildcard, kAnyDepth } kind = kLiteral;
    std::string text;  // the name, or the wildcard pattern with '*'
  };
  void Close(State* state) const;  // adds what '**' reaches by standing for nothing

  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace savedmodel
