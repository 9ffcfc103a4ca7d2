#include "savedmodel/object_graph/selection.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/object_graph/glob.h"
#include "savedmodel/object_graph/internal/first_edges.h"
#include "savedmodel/object_graph/paths.h"

namespace savedmodel {
namespace {

using internal::Error;

constexpr size_t kMaxGlobStates = 10'000'000;  // (node, pattern position) pairs one pattern may reach
constexpr size_t kMaxNamed = 10;               // missing dependencies named in one message

// Every node that a path matching `glob` leads to, with the first such path in breadth-first order.
StatusOr<std::vector<std::pair<NodeId, NodePath>>> MatchGlob(const ObjectGraph& graph, const Glob& glob) {
  struct Place {
    NodeId id;
    Glob::State state;
    size_t from;       // index of the place before; itself for the root
    uint32_t edge;
  };
  std::vector<Place> places;
  std::set<std::pair<NodeId, Glob::State>> seen;
  std::vector<std::pair<NodeId, NodePath>> matches;
  std::set<NodeId> matched;

  auto path_to = [&](size_t i) {
    std::vector<std::string> names;
    for (; places[i].from != i; i = places[i].from) {
      names.push_back(graph.node(places[places[i].from].id).children[places[i].edge].name);
    }
    std::reverse(names.begin(), names.end());
    return NodePath(std::move(names));
  };
  auto add = [&](NodeId id, Glob::State state, size_t from, uint32_t edge) {
    if (!seen.emplace(id, state).second) return;
    const bool accepted = glob.Accepts(state) && matched.insert(id).second;
    places.push_back({id, std::move(state), from, edge});
    if (accepted) matches.emplace_back(id, path_to(places.size() - 1));
  };

  if (graph.size() > 0) add(kRootId, glob.Start(), 0, 0);
  for (size_t i = 0; i < places.size(); ++i) {
    if (!glob.CanContinue(places[i].state)) continue;
    internal::ForEachFirstEdge(graph.node(places[i].id).children, [&](size_t e, const Edge& edge) {
      Glob::State next = glob.Step(places[i].state, edge.name);
      if (glob.Accepts(next) || glob.CanContinue(next)) add(edge.child, std::move(next), i, static_cast<uint32_t>(e));
    });
    if (places.size() > kMaxGlobStates) {
      return Error(StatusCode::kResourceExhausted, "the pattern reaches too many nodes in too many ways")
          .Path(glob.text());
    }
  }
  return matches;
}

class Selector {
 public:
  Selector(const ObjectGraph& graph, const SelectionOptions& options)
      : graph_(graph), options_(options), names_(graph) {
    out_.reasons.assign(graph.size(), SelectionReason::kNotSelected);
    out_.because.assign(graph.size(), -1);
  }

  StatusOr<SelectedNodes> Run(const Selection& selection) {
    for (const Selection::Entry& entry : selection.entries()) SAVEDMODEL_RETURN_IF_ERROR(Resolve(entry));
    for (const Selection::Predicate& wanted : selection.predicates()) ResolvePredicate(wanted);
    SAVEDMODEL_RETURN_IF_ERROR(CheckObjects());
    for (const RequestedNode& node : out_.requested) Add(node.id, SelectionReason::kRequested, -1);
    Close();
    SAVEDMODEL_RETURN_IF_ERROR(CheckDependencies());
    return std::move(out_);
  }

 private:
  Status Resolve(const Selection::Entry& entry) {
    if (Glob::IsPattern(entry.text)) return ResolvePattern(entry);
    SAVEDMODEL_ASSIGN_OR_RETURN(NodePath path, NodePath::Parse(entry.text));
    SAVEDMODEL_ASSIGN_OR_RETURN(NodeId id, graph_.Find(path));
    return Request({entry.text, std::move(path), id, entry.object, entry.mode});
  }

  Status ResolvePattern(const Selection::Entry& entry) {
    if (entry.object) {
      return Error(StatusCode::kInvalidArgument, "a pattern cannot be bound to an object").Path(entry.text);
    }
    SAVEDMODEL_ASSIGN_OR_RETURN(Glob glob, Glob::Parse(entry.text));
    SAVEDMODEL_ASSIGN_OR_RETURN(auto matches, MatchGlob(graph_, glob));
    if (matches.empty()) return Error(StatusCode::kNotFound, "no node matches the pattern").Path(entry.text);
    for (auto& [id, path] : matches) {
      std::string key = path.ToString();
      SAVEDMODEL_RETURN_IF_ERROR(Request({std::move(key), std::move(path), id, nullptr, entry.mode}));
    }
    return OkStatus();
  }

  void ResolvePredicate(const Selection::Predicate& wanted) {
    for (NodeId id : names_.paths().order()) {
      NodePath path = names_.PathTo(id);
      if (!wanted(id, graph_.node(id), path)) continue;
      std::string key = path.ToString();
      (void)Request({std::move(key), std::move(path), id, nullptr, BindMode::kDefault});  // binds nothing: cannot fail
    }
  }

  Status Request(RequestedNode node) {
    auto [it, is_new] = by_key_.emplace(node.key, out_.requested.size());
    if (is_new) return out_.requested.push_back(std::move(node)), OkStatus();
    RequestedNode& earlier = out_.requested[it->second];
    if (!node.object || node.object == earlier.object) return OkStatus();
    if (!earlier.object) return earlier.object = std::move(node.object), earlier.mode = node.mode, OkStatus();
    return Error(StatusCode::kFailedPrecondition, "the path is bound to two objects").Path(node.key);
  }

  Status CheckObjects() const {
    std::map<NodeId, const RequestedNode*> by_id;
    std::map<const Trackable*, const RequestedNode*> by_object;
    for (const RequestedNode& node : out_.requested) {
      if (!node.object) continue;
      const RequestedNode* same_node = by_id.emplace(node.id, &node).first->second;
      if (same_node->object != node.object) {
        return Error(StatusCode::kFailedPrecondition, "one node is reached twice, with different objects bound to it")
            .Path(node.key)
            .Found("also bound at " + same_node->key);
      }
      const RequestedNode* same_object = by_object.emplace(node.object.get(), &node).first->second;
      if (same_object->id != node.id) {
        return Error(StatusCode::kInvalidArgument, "one object is bound to two different nodes")
            .Path(node.key)
            .Found("also bound at " + same_object->key);
      }
    }
    return OkStatus();
  }

  void Add(NodeId id, SelectionReason reason, NodeId because) {
    SelectionReason& known = out_.reasons[static_cast<size_t>(id)];
    if (known != SelectionReason::kNotSelected) return;
    known = reason;
    out_.because[static_cast<size_t>(id)] = because;
    ++out_.count;
    queue_.push_back(id);
  }

  void Close() {
    for (size_t i = 0; i < queue_.size(); ++i) {
      const NodeId id = queue_[i];
      const Node& node = graph_.node(id);
      for (const Edge& edge : node.children) Add(edge.child, SelectionReason::kDescendant, id);
      for (const SlotReference& slot : node.slots) Add(slot.slot, SelectionReason::kSlotVariable, id);
      for (const SaveableFunctions& saveable : node.saveables) {
        AddSaveFunction(saveable.save, id);
        AddSaveFunction(saveable.restore, id);
      }
      for (NodeId needed : node.dependencies) AddDependency(needed, id);
      if (options_.include_dependencies) {
        for (const SlotReference& slot : node.slots) Add(slot.original, SelectionReason::kDependency, id);
      }
    }
  }

  // A file that names only one of the two functions leaves the other's id 0, the root, which is no function.
  void AddSaveFunction(NodeId function, NodeId id) {
    if (function != kRootId) Add(function, SelectionReason::kSaveFunction, id);
  }

  void AddDependency(NodeId needed, NodeId id) {
    if (options_.include_dependencies || !names_.HasPath(needed)) Add(needed, SelectionReason::kDependency, id);
  }

  Status CheckDependencies() const {
    std::map<NodeId, NodeId> missing;  // needed node -> a node that needs it
    for (NodeId id : queue_) {
      // What only saves or restores an object may capture others: those calls fail then, not the selection.
      if (out_.reasons[static_cast<size_t>(id)] == SelectionReason::kSaveFunction) continue;
      for (NodeId needed : graph_.node(id).dependencies) {
        if (!out_.Contains(needed)) missing.emplace(needed, id);
      }
      for (const SlotReference& slot : graph_.node(id).slots) {
        if (!out_.Contains(slot.original)) missing.emplace(slot.original, id);
      }
    }
    if (missing.empty()) return OkStatus();
    std::string list;
    size_t named = 0;
    for (const auto& [needed, by] : missing) {
      if (named++ == kMaxNamed) break;
      list += (list.empty() ? "" : ", ") + names_.Name(needed) + " (for " + names_.Name(by) + ")";
    }
    if (missing.size() > kMaxNamed) list += " and " + std::to_string(missing.size() - kMaxNamed) + " more";
    return Error(StatusCode::kFailedPrecondition, "the selection needs " + std::to_string(missing.size()) +
                                                      " nodes that are outside it: " + list)
        .Path(names_.Name(missing.begin()->first))
        .Hint("add these paths, or include dependencies");
  }

  const ObjectGraph& graph_;
  const SelectionOptions& options_;
  NodeNames names_;
  SelectedNodes out_;
  std::map<std::string, size_t> by_key_;
  std::vector<NodeId> queue_;
};

}  // namespace

std::string_view SelectionReasonName(SelectionReason reason) {
  switch (reason) {
    case SelectionReason::kNotSelected: return "not selected";
    case SelectionReason::kRequested: return "requested";
    case SelectionReason::kDescendant: return "below a selected node";
    case SelectionReason::kSlotVariable: return "slot variable of a selected optimizer";
    case SelectionReason::kDependency: return "needed by a selected node";
    case SelectionReason::kSaveFunction: return "saves or restores a selected node";
  }
  return "";
}

StatusOr<SelectedNodes> Select(const ObjectGraph& graph, const Selection& selection, const SelectionOptions& options) {
  return Selector(graph, options).Run(selection);
}

}  // namespace savedmodel
