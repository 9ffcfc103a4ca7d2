// Object graphs for tests: by hand, of extreme forms, and at random.
//
//   GraphBuilder b(3);
//   b.Link(0, "a", 1).Link(1, "v", 2);
//   b.nodes[2].kind = NodeKind::kVariable;
//   const ObjectGraph graph = b.Build();
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "savedmodel/object_graph/object_graph.h"

namespace savedmodel::testing {

class GraphBuilder {
 public:
  explicit GraphBuilder(size_t size, NodeKind kind = NodeKind::kUserObject) : nodes(size) {
    for (Node& node : nodes) SetKind(node, kind);
  }

  Node& operator[](NodeId id) { return nodes[static_cast<size_t>(id)]; }
  GraphBuilder& Link(NodeId from, std::string name, NodeId to) {
    (*this)[from].children.push_back({std::move(name), to});
    return *this;
  }
  GraphBuilder& Kind(NodeId id, NodeKind kind) { return SetKind((*this)[id], kind), *this; }
  GraphBuilder& Variable(NodeId id, DType dtype, const Shape& shape) {
    (*this)[id].kind = NodeKind::kVariable;
    (*this)[id].detail = VariableInfo{.spec = {dtype, shape}};
    return *this;
  }
  GraphBuilder& Slot(NodeId optimizer, NodeId original, std::string name, NodeId slot) {
    (*this)[optimizer].slots.push_back({original, std::move(name), slot});
    return *this;
  }
  GraphBuilder& Value(NodeId id, std::string key) {
    (*this)[id].attributes.push_back({std::string(kVariableValue), "", std::move(key)});
    return *this;
  }
  ObjectGraph Build() const& { return ObjectGraph(nodes); }
  ObjectGraph Build() && { return ObjectGraph(std::move(nodes)); }

  std::vector<Node> nodes;

 private:
  static void SetKind(Node& node, NodeKind kind) {
    node.kind = kind;
    if (kind == NodeKind::kUserObject) node.detail = UserObjectInfo{.identifier = "_generic_user_object"};
    if (kind == NodeKind::kVariable) node.detail = VariableInfo{.spec = {DType::kFloat32, Shape{}}};
    if (kind == NodeKind::kFunction) node.detail = FunctionInfo{};
    if (kind == NodeKind::kConstant) node.detail = ConstantInfo{};
    if (kind == NodeKind::kResource) node.detail = ResourceInfo{};
  }
};

// root.n.n.n..., `size` nodes.
inline GraphBuilder ChainGraph(size_t size) {
  GraphBuilder b(size);
  for (size_t i = 0; i + 1 < size; ++i) b.Link(static_cast<NodeId>(i), "n", static_cast<NodeId>(i + 1));
  return b;
}

// The same, closed by an edge "n" from the last node to the root.
inline GraphBuilder RingGraph(size_t size) {
  GraphBuilder b = ChainGraph(size);
  b.Link(static_cast<NodeId>(size - 1), "n", kRootId);
  return b;
}

// root.0, root.1, ..., `children` of them.
inline GraphBuilder WideGraph(size_t children) {
  GraphBuilder b(children + 1);
  for (size_t i = 0; i < children; ++i) b.Link(kRootId, std::to_string(i), static_cast<NodeId>(i + 1));
  return b;
}

// Numbers that are the same with every compiler; std::mt19937 is, its distributions are not.
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  size_t Below(size_t n) { return engine_() % n; }
  NodeId Id(size_t n) { return static_cast<NodeId>(Below(n)); }
  bool OneIn(size_t n) { return Below(n) == 0; }
  template <class T>
  void Shuffle(std::vector<T>& values) {
    for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[Below(i)]);
  }
  // `size` bytes of any value, the odd ones more often than not.
  std::string Bytes(size_t size) {
    static constexpr std::string_view kOdd("ab.*\"\\ \n\t\0\x7f\xff\xc3\xa9root", 18);
    std::string out;
    for (size_t i = 0; i < size; ++i) {
      out += OneIn(3) ? static_cast<char>(Below(256)) : kOdd[Below(kOdd.size())];
    }
    return out;
  }

 private:
  std::mt19937 engine_;
};

struct RandomGraphShape {
  size_t nodes = 6;
  size_t edges = 10;
  size_t names = 3;  // edges are called a, b, ...
  size_t slots = 0;  // slot references of random optimizers
};

// Any graph of that size: with cycles, several edges of one name, and nodes that no edge reaches.
inline GraphBuilder RandomGraph(Random& random, const RandomGraphShape& shape) {
  GraphBuilder b(shape.nodes);
  for (size_t e = 0; e < shape.edges; ++e) {
    b.Link(random.Id(shape.nodes), std::string(1, static_cast<char>('a' + random.Below(shape.names))),
           random.Id(shape.nodes));
  }
  for (size_t s = 0; s < shape.slots; ++s) {
    b.Slot(random.Id(shape.nodes), random.Id(shape.nodes), random.OneIn(2) ? "m" : "v",
           random.Id(shape.nodes));
  }
  return b;
}

// The same graph with other ids: node i becomes ids[i]. ids[0] is 0.
inline GraphBuilder Renumbered(const GraphBuilder& from, const std::vector<NodeId>& ids) {
  GraphBuilder b(from.nodes.size());
  auto to = [&](NodeId id) { return ids[static_cast<size_t>(id)]; };
  for (size_t i = 0; i < from.nodes.size(); ++i) {
    Node node = from.nodes[i];
    for (Edge& edge : node.children) edge.child = to(edge.child);
    for (SlotReference& slot : node.slots) slot = {to(slot.original), slot.slot_name, to(slot.slot)};
    for (NodeId& id : node.dependencies) id = to(id);
    for (SaveableFunctions& functions : node.saveables) {
      functions.save = to(functions.save);
      functions.restore = to(functions.restore);
    }
    b[to(static_cast<NodeId>(i))] = std::move(node);
  }
  return b;
}

// A permutation of 0..size-1 that keeps the root.
inline std::vector<NodeId> RandomIds(Random& random, size_t size) {
  std::vector<NodeId> rest;
  for (size_t i = 1; i < size; ++i) rest.push_back(static_cast<NodeId>(i));
  random.Shuffle(rest);
  rest.insert(rest.begin(), kRootId);
  return rest;
}

}  // namespace savedmodel::testing
