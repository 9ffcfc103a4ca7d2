// The names that a restore by name asks a checkpoint for: tensors' own names, or, where the checkpoint has an object
// graph, the full names that the graph records with its values.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/object_graph/object_graph.h"

namespace savedmodel::internal {

class StoredNames {
 public:
  // `graph` null: there is none. Borrows both.
  StoredNames(const BundleReader& reader, const ObjectGraph* graph);

  // The keys of values called `name`; several when the graph gives one name to several values.
  std::vector<std::string> KeysOf(std::string_view name) const;
  // "did you mean ...?", or nothing.
  std::string Near(std::string_view name) const;

 private:
  const BundleReader& reader_;
  std::map<std::string, std::vector<std::string>, std::less<>> keys_by_full_name_;
};

}  // namespace savedmodel::internal
