// Writes object-based checkpoints for tests: nodes, values and slots, sound or not.
//
//   CheckpointBuilder stored;
//   const NodeId dense = stored.Add(kRootId, "dense");
//   stored.Floats(stored.Add(dense, "kernel"), {1, 2});
//   auto files = stored.Files("ckpt");                        // a MemoryFileSystem with ckpt.index and its shard
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/base/memory_file_system.h"
#include "savedmodel/checkpoint/restore_plan.h"
#include "savedmodel/object_graph/object_graph.h"
#include "savedmodel/proto/trackable_object_graph.pb.h"
#include "savedmodel/tests/support/bundle_builder.h"

namespace savedmodel::testing {

inline std::string BytesOfFloats(const std::vector<float>& values) {
  std::string bytes;
  for (float value : values) bytes += BytesOf<float>({value});
  return bytes;
}

class CheckpointBuilder {
 public:
  CheckpointBuilder() { graph.add_nodes(); }

  // A new node, a child of `parent`.
  NodeId Add(NodeId parent, const std::string& name) {
    const auto id = static_cast<NodeId>(graph.nodes_size());
    graph.add_nodes();
    Link(parent, name, id);
    return id;
  }
  void Link(NodeId parent, const std::string& name, NodeId child) {
    auto* edge = graph.mutable_nodes(parent)->add_children();
    edge->set_local_name(name);
    edge->set_node_id(child);
  }
  // Records an attribute without storing a tensor; returns its key.
  std::string Attribute(NodeId node, const std::string& name = std::string(kVariableValue),
                        const std::string& full_name = "") {
    auto* attribute = graph.mutable_nodes(node)->add_attributes();
    attribute->set_name(name);
    attribute->set_full_name(full_name);
    attribute->set_checkpoint_key("node-" + std::to_string(node) + "/.ATTRIBUTES/" + name);
    return attribute->checkpoint_key();
  }
  // A float32 vector; a scalar with Float.
  void Floats(NodeId node, const std::vector<float>& values, const std::string& full_name = "") {
    bundle.Add({.key = Attribute(node, std::string(kVariableValue), full_name),
                .dtype = 1,
                .shape = {static_cast<int64_t>(values.size())},
                .payload = BytesOfFloats(values)});
  }
  void Float(NodeId node, float value) {
    bundle.Add({.key = Attribute(node), .dtype = 1, .shape = {}, .payload = BytesOfFloats({value})});
  }
  void Text(NodeId node, const std::string& name, const std::string& text) {
    bundle.AddStrings(Attribute(node, name), {}, {text});
  }
  // A node that no edge reaches: the state `slot_name` of `optimizer` for `original`.
  NodeId Slot(NodeId optimizer, NodeId original, const std::string& slot_name) {
    const auto id = static_cast<NodeId>(graph.nodes_size());
    graph.add_nodes();
    auto* slot = graph.mutable_nodes(optimizer)->add_slot_variables();
    slot->set_original_variable_node_id(original);
    slot->set_slot_name(slot_name);
    slot->set_slot_variable_node_id(id);
    return id;
  }

  // The files "<prefix>.index" and shards.
  FileMap Encode(const std::string& prefix) const {
    BundleBuilder with_graph = bundle;
    with_graph.AddStrings(std::string(kObjectGraphKey), {}, {graph.SerializeAsString()});
    return with_graph.Files(prefix);
  }
  std::shared_ptr<MemoryFileSystem> Files(const std::string& prefix) const {
    auto files = std::make_shared<MemoryFileSystem>();
    WriteTo(*files, prefix);
    return files;
  }
  void WriteTo(MemoryFileSystem& files, const std::string& prefix) const {
    WriteFiles(Encode(prefix), files);
  }

  proto::TrackableObjectGraph graph;
  BundleBuilder bundle;
};

}  // namespace savedmodel::testing
