#include "savedmodel/object_graph/internal/deferred_release.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "savedmodel/object_graph/trackable.h"

namespace savedmodel::internal {
namespace {

// Hands its child over when it dies, as owners do, and notes how deep in other destructors it is.
class Nested : public Trackable {
 public:
  Nested(std::shared_ptr<Trackable> child, std::vector<int>* depths)
      : child_(std::move(child)), depths_(depths) {}
  ~Nested() override {
    depths_->push_back(depth_++);
    DeferredRelease(std::move(child_));
    --depth_;
  }

 private:
  static inline int depth_ = 0;
  std::shared_ptr<Trackable> child_;
  std::vector<int>* depths_;
};

TEST(DeferredRelease, OwnersInsideARunningReleaseWaitForTheirTurn) {
  std::vector<int> depths;
  std::shared_ptr<Trackable> chain;
  for (int i = 0; i < 1000; ++i) chain = std::make_shared<Nested>(std::move(chain), &depths);
  DeferredRelease(std::move(chain));
  EXPECT_EQ(depths, std::vector<int>(1000, 0));
}

TEST(DeferredRelease, NullIsNothing) { DeferredRelease(nullptr); }

TEST(DeferredRelease, AnObjectThatOthersHoldStays) {
  std::vector<int> depths;
  const auto object = std::make_shared<Nested>(nullptr, &depths);
  DeferredRelease(object);
  EXPECT_TRUE(depths.empty());
  EXPECT_EQ(object.use_count(), 1);
}

}  // namespace
}  // namespace savedmodel::internal
