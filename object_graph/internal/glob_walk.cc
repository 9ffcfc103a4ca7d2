#include "savedmodel/object_graph/internal/glob_walk.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/object_graph/first_edges.h"
#include "savedmodel/object_graph/internal/path_budget.h"

namespace savedmodel::internal {
namespace {

constexpr uint64_t kMaxSteps = 200'000'000;  // comparisons of an edge with a component of the pattern

class Walk {
 public:
  Walk(const ObjectGraph& graph, const Glob& glob) : graph_(graph), glob_(glob), seen_(graph.size()) {}

  StatusOr<std::vector<GlobMatch>> Run() {
    if (graph_.size() == 0) return std::move(matches_);
    Enter(kRootId, glob_.Start(), 0, 0);
    for (size_t i = 0; i < places_.size(); ++i) {
      if (glob_.CanContinue(places_[i].fresh)) Leave(i);
      if (steps_ > kMaxSteps || !budget_.ok()) {
        return Error(StatusCode::kResourceExhausted, "the pattern leads to too much of the graph")
            .Path(glob_.text())
            .Hint("name a node above, or use fewer components");
      }
    }
    return std::move(matches_);
  }

 private:
  // A node as it is first reached at some positions of the pattern.
  struct Place {
    NodeId id;
    Glob::State fresh;  // these positions
    size_t from;        // the place before; itself for the root
    uint32_t edge;      // taken there
  };

  void Leave(size_t i) {
    const std::vector<Edge>& edges = graph_.node(places_[i].id).children;
    ForEachFirstEdge(edges, [&](size_t e, const Edge& edge) {
      Enter(edge.child, glob_.Step(places_[i].fresh, edge.name), i, static_cast<uint32_t>(e));
    });
    steps_ += edges.size() * seen_[kRootId].size();
  }

  void Enter(NodeId id, Glob::State state, size_t from, uint32_t edge) {
    if (!DropSeen(id, &state)) return;
    const bool accepted = glob_.Accepts(state);
    places_.push_back({id, std::move(state), from, edge});
    if (accepted && budget_.ok()) matches_.push_back({id, PathTo(places_.size() - 1)});
  }

  // Leaves the positions at which `id` is reached for the first time; false when there is none. What the
  // others lead to has a path that is shorter, or earlier, already.
  bool DropSeen(NodeId id, Glob::State* state) {
    Glob::State& seen = seen_[static_cast<size_t>(id)];
    seen.resize(state->size(), false);
    bool any = false;
    for (size_t p = 0; p < state->size(); ++p) {
      (*state)[p] = (*state)[p] && !seen[p];
      if ((*state)[p]) any = seen[p] = true;
    }
    return any;
  }

  NodePath PathTo(size_t i) {
    std::vector<std::string> names;
    for (; places_[i].from != i; i = places_[i].from) {
      names.push_back(graph_.node(places_[places_[i].from].id).children[places_[i].edge].name);
    }
    std::reverse(names.begin(), names.end());
    budget_.Spend(names);
    return NodePath(std::move(names));
  }

  const ObjectGraph& graph_;
  const Glob& glob_;
  std::vector<Place> places_;
  std::vector<Glob::State> seen_;  // by node id; empty where nothing was
  std::vector<GlobMatch> matches_;
  PathBudget budget_;
  uint64_t steps_ = 0;
};

}  // namespace

StatusOr<std::vector<GlobMatch>> WalkGlob(const ObjectGraph& graph, const Glob& glob) {
  return Walk(graph, glob).Run();
}

}  // namespace savedmodel::internal
