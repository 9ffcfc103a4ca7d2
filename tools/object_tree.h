// An object graph laid out as a tree: every node is shown once with what is below it, and every other edge to
// it as a reference to that place.
//
// Where a node is shown is decided breadth-first from the tops, so from the root it is the place of its
// shortest path. An optimizer's slot variables are shown below it as children called slots.<slot>.<variable>.
// Thread-safety: a pure function. Does not recurse.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "savedmodel/object_graph/object_graph.h"
#include "savedmodel/object_graph/paths.h"

namespace savedmodel::tools {

struct TreeLine {
  NodeId node = 0;
  std::string name = {};   // of the edge, spelled as in a path; of a top its path
  size_t depth = 0;        // edges below the top
  bool last = false;       // no sibling follows
  bool reference = false;  // the node is shown elsewhere
  bool cycle = false;      // a reference to a place above
  bool slot = false;       // not an edge: an optimizer's state
  size_t hidden = 0;       // children that are not shown because of the depth
};

struct TreeTop {
  NodeId node = 0;
  std::string name = {};
};

// The name of a node for a line of text: its path, or "<node 17>" for one that has none, or a path so long (a graph made to
// be deep has many) that it is no help to anybody.
std::string ShortName(const NodeNames& names, NodeId id);

// In the order of printing. `max_depth`: lines deeper than that are left out.
// Cost: the nodes and edges below the tops.
std::vector<TreeLine> LayOut(const ObjectGraph& graph, std::span<const TreeTop> tops,
                             std::optional<size_t> max_depth);

}  // namespace savedmodel::tools
