#include "savedmodel/tools/object_tree.h"

#include <limits>
#include <utility>

#include "savedmodel/object_graph/node_path.h"

namespace savedmodel::tools {
namespace {

// An edge of the tree: position in the node's children, slots counted behind them.
constexpr size_t kTop = std::numeric_limits<size_t>::max();

constexpr std::string_view kRootPrefix = "root.";

size_t CountBelow(const Node& node) { return node.children.size() + node.slots.size(); }

NodeId Below(const Node& node, size_t i) {
  return i < node.children.size() ? node.children[i].child : node.slots[i - node.children.size()].slot;
}

class Layout {
 public:
  Layout(const ObjectGraph& graph, std::span<const TreeTop> tops, std::optional<size_t> max_depth)
      : graph_(graph), names_(graph), max_depth_(max_depth), tops_(tops), places_(graph.size()) {
    FindPlaces();
  }

  std::vector<TreeLine> Run() {
    for (size_t i = 0; i < tops_.size(); ++i) {
      const bool first = places_[static_cast<size_t>(tops_[i].node)].top == i;
      TreeLine line{.node = tops_[i].node, .name = tops_[i].name, .last = true, .reference = !first};
      Show(std::move(line));
      while (!open_.empty()) Advance();
    }
    return std::move(lines_);
  }

 private:
  // Where a node is shown.
  struct Place {
    NodeId parent = -1;
    size_t edge = kTop;
    size_t top = kTop;
    bool known = false;
    bool open = false;  // lines below it are being made
  };
  struct Open {
    NodeId node;
    size_t next;
    size_t depth;
  };

  void FindPlaces() {
    std::vector<NodeId> queue;
    const auto add = [&](NodeId id, Place place) {
      Place& known = places_[static_cast<size_t>(id)];
      if (known.known) return;
      known = place;
      known.known = true;
      queue.push_back(id);
    };
    for (size_t i = 0; i < tops_.size(); ++i) add(tops_[i].node, {.top = i});
    for (size_t q = 0; q < queue.size(); ++q) {
      const Node& node = graph_.node(queue[q]);
      for (size_t i = 0; i < CountBelow(node); ++i) add(Below(node, i), {.parent = queue[q], .edge = i});
    }
  }

  void Show(TreeLine line) {
    const bool opens = !line.reference;
    if (opens && max_depth_ && line.depth >= *max_depth_) line.hidden = CountBelow(graph_.node(line.node));
    if (opens && line.hidden == 0) {
      open_.push_back({line.node, 0, line.depth + 1});
      places_[static_cast<size_t>(line.node)].open = true;
    }
    lines_.push_back(std::move(line));
  }

  void Advance() {
    Open& open = open_.back();
    const Node& node = graph_.node(open.node);
    if (open.next == CountBelow(node)) {
      places_[static_cast<size_t>(open.node)].open = false;
      open_.pop_back();
      return;
    }
    const size_t i = open.next++;
    const Place& place = places_[static_cast<size_t>(Below(node, i))];
    const bool here = place.parent == open.node && place.edge == i;
    Show({.node = Below(node, i),
          .name = NameOf(node, i),
          .depth = open.depth,
          .last = open.next == CountBelow(node),
          .reference = !here,
          .cycle = place.open,
          .slot = i >= node.children.size()});
  }

  std::string NameOf(const Node& node, size_t i) const {
    if (i < node.children.size()) return QuoteComponent(node.children[i].name);
    const SlotReference& slot = node.slots[i - node.children.size()];
    const std::string prefix = "slots." + QuoteComponent(slot.slot_name) + ".";
    const std::string variable = ShortName(names_, slot.original);  // "root.dense.kernel", or "<node 17>"
    return prefix + (variable.starts_with(kRootPrefix) ? variable.substr(kRootPrefix.size()) : variable);
  }

  const ObjectGraph& graph_;
  NodeNames names_;
  std::optional<size_t> max_depth_;
  std::span<const TreeTop> tops_;
  std::vector<Place> places_;
  std::vector<Open> open_;
  std::vector<TreeLine> lines_;
};

}  // namespace

std::string ShortName(const NodeNames& names, NodeId id) {
  constexpr uint64_t kMaxBytes = 4096;
  return names.paths().PathBytes(id) > kMaxBytes ? "<node " + std::to_string(id) + ">" : names.Name(id);
}

std::vector<TreeLine> LayOut(const ObjectGraph& graph, std::span<const TreeTop> tops,
                             std::optional<size_t> max_depth) {
  return Layout(graph, tops, max_depth).Run();
}

}  // namespace savedmodel::tools
