#include "savedmodel/object_graph/first_edges.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "savedmodel/tests/support/graph_builder.h"

namespace savedmodel {
namespace {

// Few edges are compared and many are hashed.
TEST(ForEachFirstEdge, VisitsTheFirstOfEachNameInOrderWhateverTheirNumber) {
  testing::Random random(12);
  for (size_t size = 0; size < 40; ++size) {
    std::vector<Edge> edges;
    for (size_t i = 0; i < size; ++i) {
      edges.push_back({std::string(1, static_cast<char>('a' + random.Below(20))), static_cast<NodeId>(i)});
    }
    std::map<std::string, size_t> first;
    for (size_t i = 0; i < size; ++i) first.emplace(edges[i].name, i);
    std::vector<size_t> visited;
    ForEachFirstEdge(edges, [&](size_t i, const Edge& edge) {
      EXPECT_EQ(&edge, &edges[i]);
      EXPECT_EQ(first.at(edge.name), i);
      visited.push_back(i);
    });
    EXPECT_EQ(visited.size(), first.size());
    EXPECT_TRUE(std::is_sorted(visited.begin(), visited.end()));
  }
}

}  // namespace
}  // namespace savedmodel
