// Which nodes of a model are wanted: paths, patterns, or everything; and into which objects of the caller's.
//
//   Selection::All()
//   Selection{"root.encoder", "root.head.kernel"}                         // these nodes and all below them
//   Selection{"root.layers.*.kernel"}                                     // a pattern (glob.h)
//   Selection({{"root.v", my_variable}, {"root.w", nullptr}})             // bound to an object, or to none
//
// The order of the entries never matters. Duplicates are one entry. A slot variable, which no edge reaches,
// is named by its SlotPath. A name with a '*' in it is quoted to stand for itself: root."a*". Thread-safety:
// a value.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/object_graph/object_graph.h"
#include "savedmodel/object_graph/trackable.h"

namespace savedmodel {

// How an object that stands in for a stored node takes the stored node's children.
enum class BindMode {
  kDefault,  // kTree
  kTree,  // existing children of the same name are filled, whatever their kind; missing ones are made; a child
          // that an entry binds by its own path is replaced by that entry's object
  kNode,  // TensorFlow's rule: children are replaced by loaded ones; only existing lists, dicts and tuples
          // are filled
};

class Selection {
 public:
  struct Entry {
    std::string text = {};                   // a path or a pattern, as given
    std::shared_ptr<Trackable> object = {};  // null: a new object is made
    BindMode mode = BindMode::kDefault;
  };
  using Predicate = std::function<bool(NodeId, const Node&, const NodePath&)>;

  // The whole model: {"root"}, and the only selection that models without an object graph take.
  static Selection All() {
    Selection all({"root"});
    all.is_all_ = true;
    return all;
  }
  Selection() = default;  // nothing
  Selection(std::initializer_list<std::string_view> paths) {
    for (std::string_view path : paths) Add(path);
  }
  explicit Selection(std::vector<std::string> paths) {
    for (std::string& path : paths) entries_.push_back({std::move(path), nullptr, BindMode::kDefault});
  }
  explicit Selection(std::vector<std::pair<std::string, std::shared_ptr<Trackable>>> bindings) {
    for (auto& [path, object] : bindings)
      entries_.push_back({std::move(path), std::move(object), BindMode::kDefault});
  }

  Selection& Add(std::string_view path) { return AddEntry({std::string(path), nullptr, BindMode::kDefault}); }
  // A null `object` means a new one, as Add does.
  Selection& Bind(std::string_view path, std::shared_ptr<Trackable> object,
                  BindMode mode = BindMode::kDefault) {
    return AddEntry({std::string(path), std::move(object), mode});
  }
  // Every node that an edge reaches and for which `wanted` is true, and all below it. Called once for each,
  // in breadth-first order, with the node's shortest path.
  Selection& Where(Predicate wanted) {
    return is_all_ = false, predicates_.push_back(std::move(wanted)), *this;
  }
  Selection& OfKind(NodeKind kind) {
    return Where([kind](NodeId, const Node& node, const NodePath&) { return node.kind == kind; });
  }

  const std::vector<Entry>& entries() const { return entries_; }
  const std::vector<Predicate>& predicates() const { return predicates_; }
  bool empty() const { return entries_.empty() && predicates_.empty(); }
  bool is_all() const { return is_all_; }  // made by All() and added to by nobody

 private:
  Selection& AddEntry(Entry entry) { return is_all_ = false, entries_.push_back(std::move(entry)), *this; }

  std::vector<Entry> entries_ = {};
  std::vector<Predicate> predicates_ = {};
  bool is_all_ = false;
};

// Why a node is part of a selection.
enum class SelectionReason {
  kNotSelected,
  kRequested,     // an entry names it
  kDescendant,    // below a node that is selected
  kSlotVariable,  // state of an optimizer that is selected
  kDependency,    // a selected function or resource needs it
  kSaveFunction,  // saves or restores a selected node, or is part of what does, and nothing else wants it
};
std::string_view SelectionReasonName(SelectionReason reason);

// A node that an entry leads to.
struct RequestedNode {
  std::string key = {};  // the entry's text; for a pattern or predicate the node's path
  NodePath path = {};
  NodeId id = 0;
  std::shared_ptr<Trackable> object = {};  // the caller's, or null
  BindMode mode = BindMode::kDefault;
};

// A selection applied to a graph.
struct SelectedNodes {
  std::vector<RequestedNode> requested = {};  // by node id, then by key
  std::vector<SelectionReason> reasons = {};  // by node id
  std::vector<NodeId> because = {};  // by node id: the node that brought it in; -1 for requested ones
  size_t count = 0;

  bool Contains(NodeId id) const { return reasons[static_cast<size_t>(id)] != SelectionReason::kNotSelected; }
};

struct SelectionOptions {
  // A selected function or resource that needs a node outside the selection: false is an error that lists
  // every such node with the path to add; true adds them, and what is below them.
  bool include_dependencies = false;
};

// Resolves every entry and closes the selection: descendants, an optimizer's slot variables, save functions
// and what is below them, and dependencies without a path (captured constants) always; other dependencies by
// the options. What only save functions need is not asked for: without it such a function cannot be called,
// and nothing else is lost.
// Errors: InvalidArgument (malformed path or pattern, a pattern with an object, an object bound to two
// nodes); NotFound (a path or pattern that leads to nothing); FailedPrecondition (dependencies outside the
// selection; a node bound to two objects, or in two modes); ResourceExhausted (a pattern or predicate over a
// graph made to be too deep).
StatusOr<SelectedNodes> Select(const ObjectGraph& graph, const Selection& selection,
                               const SelectionOptions& options = {});

}  // namespace savedmodel
