#include "savedmodel/object_graph/selection.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/object_graph/glob.h"
#include "savedmodel/object_graph/internal/glob_walk.h"
#include "savedmodel/object_graph/internal/path_budget.h"
#include "savedmodel/object_graph/paths.h"

namespace savedmodel {
namespace {

using internal::Error;

constexpr size_t kMaxNamed = 10;  // missing dependencies named in one message

BindMode Resolved(BindMode mode) { return mode == BindMode::kDefault ? BindMode::kTree : mode; }

Status TwoObjects(std::string_view key, std::string_view other) {
  return Error(StatusCode::kFailedPrecondition,
               "one node is reached twice, with different objects bound to it")
      .Path(key)
      .Found("also bound at " + std::string(other));
}

Status TwoModes(std::string_view key) {
  return Error(StatusCode::kFailedPrecondition, "one node is bound in two modes").Path(key);
}

// Finds the nodes that the entries and predicates of a selection name.
class Resolver {
 public:
  Resolver(const ObjectGraph& graph, const NodeNames& names) : graph_(graph), names_(names) {}

  StatusOr<std::vector<RequestedNode>> Run(const Selection& selection) {
    for (const Selection::Entry& entry : selection.entries()) SAVEDMODEL_RETURN_IF_ERROR(Resolve(entry));
    for (const Selection::Predicate& wanted : selection.predicates()) {
      if (!wanted)
        return Error(StatusCode::kInvalidArgument, "a predicate of the selection is null").ToStatus();
      SAVEDMODEL_RETURN_IF_ERROR(ResolvePredicate(wanted));
    }
    SAVEDMODEL_RETURN_IF_ERROR(CheckObjects());
    std::sort(requested_.begin(), requested_.end(), [](const RequestedNode& a, const RequestedNode& b) {
      return std::tie(a.id, a.key) < std::tie(b.id, b.key);
    });
    return std::move(requested_);
  }

 private:
  Status Resolve(const Selection::Entry& entry) {
    if (Glob::IsPattern(entry.text)) return ResolvePattern(entry);
    SAVEDMODEL_ASSIGN_OR_RETURN(NodePath path, NodePath::Parse(entry.text));
    StatusOr<NodeId> id = graph_.Find(path);
    if (!id.ok()) {
      const std::optional<NodeId> slot = FindSlot(path);
      if (!slot) return id.status();
      id = *slot;
    }
    return Request({entry.text, std::move(path), *id, entry.object, entry.mode});
  }

  std::optional<NodeId> FindSlot(const NodePath& path) {
    if (!slots_) {
      slots_.emplace();
      for (size_t n = 0; n < graph_.size(); ++n) {
        const auto id = static_cast<NodeId>(n);
        if (names_.IsSlot(id) && names_.HasPath(id)) slots_->emplace(names_.Name(id), id);
      }
    }
    auto it = slots_->find(path.ToString());
    return it == slots_->end() ? std::nullopt : std::optional(it->second);
  }

  Status ResolvePattern(const Selection::Entry& entry) {
    if (entry.object) {
      return Error(StatusCode::kInvalidArgument, "a pattern cannot be bound to an object").Path(entry.text);
    }
    SAVEDMODEL_ASSIGN_OR_RETURN(Glob glob, Glob::Parse(entry.text));
    SAVEDMODEL_ASSIGN_OR_RETURN(std::vector<internal::GlobMatch> matches, internal::WalkGlob(graph_, glob));
    if (matches.empty()) return Error(StatusCode::kNotFound, "no node matches the pattern").Path(entry.text);
    for (internal::GlobMatch& match : matches) {
      std::string key = match.path.ToString();
      SAVEDMODEL_RETURN_IF_ERROR(
          Request({std::move(key), std::move(match.path), match.id, nullptr, entry.mode}));
    }
    return OkStatus();
  }

  Status ResolvePredicate(const Selection::Predicate& wanted) {
    for (NodeId id : names_.paths().order()) {
      NodePath path = names_.PathTo(id);
      budget_.Spend(path.components().size());
      if (wanted(id, graph_.node(id), path)) {
        budget_.Spend(path.components());
        std::string key = path.ToString();
        SAVEDMODEL_RETURN_IF_ERROR(
            Request({std::move(key), std::move(path), id, nullptr, BindMode::kDefault}));
      }
      if (!budget_.ok()) {
        return Error(StatusCode::kResourceExhausted,
                     "the paths of a graph that is this deep are too long together");
      }
    }
    return OkStatus();
  }

  Status Request(RequestedNode node) {
    auto [it, is_new] = by_key_.emplace(node.key, requested_.size());
    if (is_new) return requested_.push_back(std::move(node)), OkStatus();
    RequestedNode& earlier = requested_[it->second];
    if (!node.object) return OkStatus();
    if (!earlier.object) return earlier.object = std::move(node.object), earlier.mode = node.mode, OkStatus();
    if (node.object != earlier.object) return TwoObjects(node.key, earlier.key);
    return Resolved(node.mode) == Resolved(earlier.mode) ? OkStatus() : TwoModes(node.key);
  }

  Status CheckObjects() const {
    std::unordered_map<NodeId, const RequestedNode*> by_id;
    std::unordered_map<const Trackable*, const RequestedNode*> by_object;
    for (const RequestedNode& node : requested_) {
      if (!node.object) continue;
      const RequestedNode* same_node = by_id.emplace(node.id, &node).first->second;
      if (same_node->object != node.object) return TwoObjects(node.key, same_node->key);
      if (Resolved(same_node->mode) != Resolved(node.mode)) return TwoModes(node.key);
      const RequestedNode* same_object = by_object.emplace(node.object.get(), &node).first->second;
      if (same_object->id != node.id) {
        return Error(StatusCode::kInvalidArgument, "one object is bound to two different nodes")
            .Path(node.key)
            .Found("also bound at " + same_object->key);
      }
    }
    return OkStatus();
  }

  const ObjectGraph& graph_;
  const NodeNames& names_;
  internal::PathBudget budget_;
  std::vector<RequestedNode> requested_;
  std::unordered_map<std::string, size_t> by_key_;
  std::optional<std::unordered_map<std::string, NodeId>> slots_;  // by path; made when it is first needed
};

// Adds what the requested nodes bring with them.
class Closure {
 public:
  Closure(const ObjectGraph& graph, const NodeNames& names, const SelectionOptions& options)
      : graph_(graph), names_(names), options_(options) {}

  StatusOr<SelectedNodes> Run(std::vector<RequestedNode> requested) {
    out_.reasons.assign(graph_.size(), SelectionReason::kNotSelected);
    out_.because.assign(graph_.size(), -1);
    for (const RequestedNode& node : requested) Add(node.id, SelectionReason::kRequested, -1);
    for (size_t i = 0; i < queue_.size(); ++i) Follow(queue_[i], SelectionReason::kDescendant);
    // Save functions come last, so that a node which is selected for any other reason says so.
    const size_t saved = queue_.size();
    for (size_t i = 0; i < saved; ++i) AddSaveFunctions(queue_[i]);
    for (size_t i = saved; i < queue_.size(); ++i) {
      Follow(queue_[i], SelectionReason::kSaveFunction);
      AddSaveFunctions(queue_[i]);
    }
    SAVEDMODEL_RETURN_IF_ERROR(CheckDependencies({queue_.data(), saved}));
    out_.requested = std::move(requested);
    return std::move(out_);
  }

 private:
  void Add(NodeId id, SelectionReason reason, NodeId because) {
    SelectionReason& known = out_.reasons[static_cast<size_t>(id)];
    if (known != SelectionReason::kNotSelected) return;
    known = reason;
    out_.because[static_cast<size_t>(id)] = because;
    ++out_.count;
    queue_.push_back(id);
  }

  // What `id` brings with it; `below` is why its descendants are selected.
  void Follow(NodeId id, SelectionReason below) {
    const bool saves = below == SelectionReason::kSaveFunction;
    const Node& node = graph_.node(id);
    for (const Edge& edge : node.children) Add(edge.child, below, id);
    for (const SlotReference& slot : node.slots) {
      Add(slot.slot, saves ? below : SelectionReason::kSlotVariable, id);
      AddDependency(slot.original, saves ? below : SelectionReason::kDependency, id);
    }
    for (NodeId needed : node.dependencies)
      AddDependency(needed, saves ? below : SelectionReason::kDependency, id);
  }

  void AddDependency(NodeId needed, SelectionReason reason, NodeId id) {
    if (options_.include_dependencies || !names_.HasPath(needed)) Add(needed, reason, id);
  }

  // A file that names only one of the two functions leaves the other's id 0, the root, which is no function.
  void AddSaveFunctions(NodeId id) {
    for (const SaveableFunctions& functions : graph_.node(id).saveables) {
      if (functions.save != kRootId) Add(functions.save, SelectionReason::kSaveFunction, id);
      if (functions.restore != kRootId) Add(functions.restore, SelectionReason::kSaveFunction, id);
    }
  }

  Status CheckDependencies(std::span<const NodeId> nodes) const {
    std::map<NodeId, NodeId> missing;  // needed node -> a node that needs it
    auto check = [&](NodeId needed, NodeId by) {
      if (out_.Contains(needed)) return;
      NodeId& known = missing.emplace(needed, by).first->second;
      known = std::min(known, by);
    };
    for (NodeId id : nodes) {
      for (NodeId needed : graph_.node(id).dependencies) check(needed, id);
      for (const SlotReference& slot : graph_.node(id).slots) check(slot.original, id);
    }
    return missing.empty() ? OkStatus() : MissingDependencies(missing);
  }

  Status MissingDependencies(const std::map<NodeId, NodeId>& missing) const {
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
  const NodeNames& names_;
  const SelectionOptions& options_;
  SelectedNodes out_;
  std::vector<NodeId> queue_;  // selected nodes in the order they were added
};

}  // namespace

std::string_view SelectionReasonName(SelectionReason reason) {
  switch (reason) {
    case SelectionReason::kNotSelected:
      return "not selected";
    case SelectionReason::kRequested:
      return "requested";
    case SelectionReason::kDescendant:
      return "below a selected node";
    case SelectionReason::kSlotVariable:
      return "slot variable of a selected optimizer";
    case SelectionReason::kDependency:
      return "needed by a selected node";
    case SelectionReason::kSaveFunction:
      return "saves or restores a selected node";
  }
  return "";
}

StatusOr<SelectedNodes> Select(const ObjectGraph& graph, const Selection& selection,
                               const SelectionOptions& options) {
  const NodeNames names(graph);
  SAVEDMODEL_ASSIGN_OR_RETURN(std::vector<RequestedNode> requested, Resolver(graph, names).Run(selection));
  return Closure(graph, names, options).Run(std::move(requested));
}

}  // namespace savedmodel
