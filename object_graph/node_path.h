// A node's place in the object graph, spelled as TensorFlow spells it: root.encoder.layers.0.kernel.
//
//   StatusOr<NodePath> p = NodePath::Parse("root.encoder.v");
//   NodePath q = NodePath::Root().Child("a.b");             // q.ToString() == "root.\"a.b\""
//
// Text form. Components are joined by '.'; the first is always "root". A component that holds a dot, a quote,
// white space, a control character or nothing is written between double quotes. In any component \\ is a
// backslash and \xNN a byte that is not UTF-8 (or a control character); \" is a quote. Names are bytes,
// compared as bytes.
// Thread-safety: a value.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/status.h"

namespace savedmodel {

class NodePath {
 public:
  NodePath() = default;  // root
  static NodePath Root() { return {}; }
  // The components below root, e.g. {"encoder", "v"}; any bytes.
  explicit NodePath(std::vector<std::string> components) : components_(std::move(components)) {}

  // Errors: InvalidArgument (empty text, first component not "root", an empty component without quotes, a bad
  // quote or escape).
  static StatusOr<NodePath> Parse(std::string_view text);

  // Without "root".
  std::span<const std::string> components() const& { return components_; }
  std::span<const std::string> components() const&& = delete;
  bool is_root() const { return components_.empty(); }
  NodePath Child(std::string_view name) const;
  // The text that Parse reads back to this path.
  std::string ToString() const;

  bool operator==(const NodePath&) const = default;
  auto operator<=>(const NodePath&) const = default;

 private:
  std::vector<std::string> components_;
};

// One component as it stands in a path's text, quoted where it must be.
std::string QuoteComponent(std::string_view component);

}  // namespace savedmodel
