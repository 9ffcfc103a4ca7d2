// Which object each stored tensor belongs to: from the keys of a bundle and the object graph that the
// checkpoint holds.
//
//   TensorPaths paths(*checkpoint.graph(), checkpoint.reader().keys());
//   if (const TensorOwner* owner = paths.Find("dense/kernel/.ATTRIBUTES/VARIABLE_VALUE"))
//     Print(paths.PathTo(owner->node)->ToString());                       // root.dense.kernel
//
// The keys that the graph records are taken as they stand, never made up from paths. A recorded key that is
// not stored stands for the stored keys that begin with it (a table is recorded as ".../table" and stored as
// ".../table-keys" and
// ".../table-values"); of several such recorded keys the longest counts, and of nodes that record one key the
// first. Cost: the keys and the graph, once. Thread-safety: const methods may run concurrently; PathsTo
// counts its work and needs outside locking. Lifetime: borrows the graph; keys are copied.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "savedmodel/object_graph/object_graph.h"
#include "savedmodel/object_graph/paths.h"

namespace savedmodel {

struct TensorOwner {
  NodeId node = 0;
  std::string attribute = {};  // as recorded, with what the stored key adds: "VARIABLE_VALUE", "table-keys"
};

// An attribute whose recorded key is not stored, nor any key that begins with it.
struct AbsentKey {
  NodeId node = 0;
  std::string attribute = {};
  std::string key = {};
};

class TensorPaths {
 public:
  // More paths than this are of no use to anybody, and a graph can have exponentially many.
  static constexpr size_t kMaxPaths = 16;

  // `keys` in byte order, as BundleReader::keys() gives them.
  TensorPaths(const ObjectGraph& graph, std::span<const std::string_view> keys);
  TensorPaths(ObjectGraph&&, std::span<const std::string_view>) = delete;  // would outlive the graph
  TensorPaths(const TensorPaths&) = delete;
  TensorPaths& operator=(const TensorPaths&) = delete;

  // Null for a key that no object records: those of name-based checkpoints, the object graph's own.
  const TensorOwner* Find(std::string_view key) const;
  // Stored keys of a node, in byte order.
  std::vector<std::string_view> KeysOf(NodeId node) const&;
  std::vector<std::string_view> KeysOf(NodeId node) const&& = delete;
  const std::vector<AbsentKey>& absent() const { return absent_; }

  // The first path in breadth-first order; a slot variable's is <optimizer path>.slots.<slot name>.<variable
  // path without root>. Nothing for a node that neither leads to.
  std::optional<NodePath> PathTo(NodeId node) const;
  // All paths that do not repeat a node, the one above first; at most kMaxPaths.
  std::vector<NodePath> PathsTo(NodeId node);
  // True for the state that some optimizer keeps for a variable.
  bool IsSlot(NodeId node) const { return is_slot_[static_cast<size_t>(node)]; }

 private:
  void Own(std::string_view key, NodeId node, std::string attribute);

  const ObjectGraph* graph_;
  NodeNames names_;
  std::optional<AllPaths> all_paths_;  // made when first asked for
  std::vector<bool> is_slot_;
  std::unordered_map<std::string, TensorOwner> owners_;
  std::unordered_map<NodeId, std::vector<std::string_view>> keys_by_node_;  // views of the keys of owners_
  std::vector<AbsentKey> absent_;
};

}  // namespace savedmodel
