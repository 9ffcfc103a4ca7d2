#include "savedmodel/object_graph/leaf_nodes.h"

#include <gtest/gtest.h>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::StatusIs;

TEST(LeafNodes, SayWhatTheyAre) {
  const Asset asset("words.txt", "m/assets/words.txt");
  EXPECT_EQ(asset.kind(), NodeKind::kAsset);
  EXPECT_EQ(asset.filename(), "words.txt");
  EXPECT_EQ(asset.path(), "m/assets/words.txt");
  const Resource resource("/device:CPU:0");
  EXPECT_EQ(resource.kind(), NodeKind::kResource);
  EXPECT_EQ(resource.device(), "/device:CPU:0");
  Node node;
  node.kind = NodeKind::kBareConcreteFunction;
  node.registered_name = "x";
  const OpaqueNode opaque(node);
  EXPECT_EQ(opaque.kind(), NodeKind::kBareConcreteFunction);
  EXPECT_EQ(opaque.node().registered_name, "x");
}

TEST(Constant, IsDecodedEachTimeItIsRead) {
  int reads = 0;
  const Constant constant([&]() -> StatusOr<Tensor> {
    if (++reads == 2) return internal::Error(StatusCode::kDataLoss, "broken");
    return Tensor::FromValues<float>({}, {4});
  });
  EXPECT_EQ(constant.kind(), NodeKind::kConstant);
  EXPECT_EQ(reads, 0);
  EXPECT_EQ(constant.Read()->num_elements(), 1);
  EXPECT_THAT(constant.Read(), StatusIs(StatusCode::kDataLoss));
  EXPECT_EQ(reads, 2);
}

TEST(Constant, WithoutASourceSaysSo) {
  EXPECT_THAT(Constant(nullptr).Read(), StatusIs(StatusCode::kFailedPrecondition));
}

}  // namespace
}  // namespace savedmodel
