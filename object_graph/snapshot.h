// Live objects as an object graph: what is reachable from a root, taken down at one moment.
//
//   const ObjectSnapshot now = Snapshot(root, GraphView::kCheckpoint);
//   for (NodeId id = 0; id < now.graph.size(); ++id) Print(NodeNames(now.graph).Name(id), now.objects[id]->kind());
//
// Nodes are numbered breadth-first in the order of the children, slot variables after all others: as TensorFlow
// numbers them. Attributes have names but no keys: those are a checkpoint's.
// Cost: objects and edges; iterative, whatever the depth. Thread-safety: reads the objects; nobody may change them
// meanwhile. Lifetime: keeps the objects alive.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "savedmodel/object_graph/object_graph.h"
#include "savedmodel/object_graph/trackable.h"

namespace savedmodel {

struct NamedObject {
  std::string name = {};
  std::shared_ptr<Trackable> object = {};
};

struct ObjectSnapshot {
  ObjectGraph graph = {};
  std::vector<std::shared_ptr<Trackable>> objects = {};  // by node id
};

// `attached` are more children of the root, after its own. A null root gives an empty snapshot.
ObjectSnapshot Snapshot(const std::shared_ptr<Trackable>& root, GraphView view,
                        std::span<const NamedObject> attached = {});

}  // namespace savedmodel
