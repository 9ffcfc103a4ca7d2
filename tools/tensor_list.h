// The tensors of a model with the objects they belong to: what ls lists and cat looks a name up in.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/checkpoint/tensor_paths.h"
#include "savedmodel/tools/json_writer.h"
#include "savedmodel/tools/opened_model.h"

namespace savedmodel::tools {

struct ListedTensor {
  std::string key = {};
  TensorInfo info = {};                    // when `status` is OK
  Status status = {};                      // why the entry, or its digest, cannot be had
  std::string path = {};                   // text; empty where no object records the key
  std::vector<std::string> paths = {};     // all of them, `path` first; filled when asked for
  std::string attribute = {};              // "VARIABLE_VALUE"
  bool slot = false;                       // an optimizer's state
  std::optional<std::string> digest = {};  // filled when asked for
};

class TensorList {
 public:
  // Borrows the model, which must have a reader unless there are no tensors.
  explicit TensorList(const OpenedModel& model);

  // In key order; all, or those whose objects a filter leads to.
  // Errors: InvalidArgument (a malformed filter; filters on a model without an object graph), NotFound (a
  // filter that leads to nothing; the object graph's shard is gone).
  StatusOr<std::vector<ListedTensor>> Select(std::span<const std::string> filters, bool all_paths);

  // Keys of the tensors that `name` means: a key as it is or as it is printed, or the path of an object with
  // one or several stored values. Errors: NotFound, InvalidArgument (a malformed path).
  StatusOr<std::vector<std::string>> Resolve(std::string_view name) const;

  ListedTensor Describe(std::string_view key, bool all_paths);

 private:
  StatusOr<std::vector<bool>> FilterNodes(std::span<const std::string> filters) const;
  StatusOr<std::vector<NodeId>> NodesOf(const std::string& filter) const;
  std::vector<NodeId> SlotsUnder(const std::string& filter) const;
  StatusOr<NodeId> FindNode(std::string_view name) const;

  const OpenedModel& model_;
  std::optional<TensorPaths> paths_;  // nothing without an object graph
};

// The members of one tensor in an ls document, into an object that was begun.
void WriteTensor(JsonWriter& json, const ListedTensor& tensor);
// The members that say what and where a tensor is.
void WriteName(JsonWriter& json, const ListedTensor& tensor);

}  // namespace savedmodel::tools
