#include "savedmodel/object_graph/node_path.h"

#include <algorithm>

#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/object_graph/internal/path_text.h"

namespace savedmodel {
namespace {

// A '*' too: unquoted it would be read back as a pattern.
bool NeedsQuotes(std::string_view name) {
  return name.empty() || std::any_of(name.begin(), name.end(), [](char c) {
           const auto u = static_cast<unsigned char>(c);
           return u <= ' ' || u == 0x7f || c == '.' || c == '"' || c == '*';
         });
}

}  // namespace

std::string QuoteComponent(std::string_view component) {
  const std::string text = internal::Printable(component);
  if (!NeedsQuotes(component)) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

StatusOr<NodePath> NodePath::Parse(std::string_view text) {
  SAVEDMODEL_ASSIGN_OR_RETURN(std::vector<internal::PathToken> tokens, internal::TokenizePath(text));
  std::vector<std::string> components;
  components.reserve(tokens.size());
  for (internal::PathToken& token : tokens) components.push_back(std::move(token.name));
  return NodePath(std::move(components));
}

NodePath NodePath::Child(std::string_view name) const {
  NodePath child = *this;
  child.components_.emplace_back(name);
  return child;
}

std::string NodePath::ToString() const {
  std::string text = "root";
  for (const std::string& component : components_) text += "." + QuoteComponent(component);
  return text;
}

}  // namespace savedmodel
