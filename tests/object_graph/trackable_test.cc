#include "savedmodel/object_graph/trackable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "savedmodel/object_graph/module.h"
#include "savedmodel/tests/support/graph_builder.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::Random;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

// An object that says when it dies.
class Mortal : public Trackable {
 public:
  explicit Mortal(std::atomic<int64_t>* living) : living_(living) { ++*living_; }
  ~Mortal() override { --*living_; }

 private:
  std::atomic<int64_t>* living_;
};

std::shared_ptr<Trackable> Object() { return std::make_shared<Module>(); }

std::vector<std::string> Names(const Trackable& object) {
  std::vector<std::string> names;
  object.ForEachChild([&](const std::string& name, const std::shared_ptr<Trackable>& child) {
    EXPECT_NE(child, nullptr);
    EXPECT_EQ(object.Child(name), child);
    names.push_back(name);
  });
  EXPECT_EQ(object.num_children(), names.size());
  return names;
}

TEST(Trackable, ChildrenKeepTheOrderInWhichTheyWereFirstTracked) {
  const auto object = Object(), z = Object(), a = Object();
  ASSERT_THAT(object->Track("z", z), IsOk());
  ASSERT_THAT(object->Track("a", a), IsOk());
  EXPECT_THAT(Names(*object), ElementsAre("z", "a"));
  EXPECT_EQ(object->Child("z"), z);
  EXPECT_EQ(object->Child("A"), nullptr);
}

TEST(Trackable, ANameTrackedAgainIsReplacedInPlace) {
  const auto object = Object();
  auto first = Object(), second = Object();
  const std::weak_ptr<Trackable> gone = first;
  ASSERT_THAT(object->Track("a", first), IsOk());
  ASSERT_THAT(object->Track("b", Object()), IsOk());
  first.reset();
  ASSERT_THAT(object->Track("a", second), IsOk());
  EXPECT_THAT(Names(*object), ElementsAre("a", "b"));
  EXPECT_EQ(object->Child("a"), second);
  EXPECT_TRUE(gone.expired());
}

TEST(Trackable, TheEmptyNameIsAName) {
  const auto object = Object(), child = Object();
  ASSERT_THAT(object->Track("", child), IsOk());
  ASSERT_THAT(object->Track(std::string("\0a", 2), Object()), IsOk());
  EXPECT_EQ(object->Child(""), child);
  EXPECT_EQ(object->num_children(), 2u);
}

TEST(Trackable, NullIsInvalidArgumentAndChangesNothing) {
  const auto object = Object(), child = Object();
  ASSERT_THAT(object->Track("a", child), IsOk());
  EXPECT_THAT(object->Track("a", nullptr), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(object->TrackBack("b", nullptr), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(object->Track("b", nullptr), StatusHasContext(Field(&ErrorContext::path, "b")));
  EXPECT_THAT(Names(*object), ElementsAre("a"));
  EXPECT_EQ(object->Child("a"), child);
}

TEST(Trackable, ABackReferenceDoesNotOwn) {
  auto parent = Object();
  const auto child = Object();
  const std::weak_ptr<Trackable> watch = parent;
  ASSERT_THAT(parent->Track("child", child), IsOk());
  ASSERT_THAT(child->TrackBack("parent", parent), IsOk());
  EXPECT_EQ(child->Child("parent"), parent);
  EXPECT_EQ(child->num_children(), 1u);
  parent.reset();
  EXPECT_TRUE(watch.expired());
  EXPECT_EQ(child->Child("parent"), nullptr);
  EXPECT_THAT(Names(*child), ElementsAre());
}

TEST(Trackable, TrackAndTrackBackReplaceEachOther) {
  const auto object = Object();
  auto owned = Object();
  const std::weak_ptr<Trackable> watch = owned;
  ASSERT_THAT(object->TrackBack("a", owned), IsOk());
  ASSERT_THAT(object->Track("a", owned), IsOk());
  owned.reset();
  ASSERT_FALSE(watch.expired());
  const auto other = Object();
  ASSERT_THAT(object->TrackBack("a", other), IsOk());
  EXPECT_TRUE(watch.expired());
  EXPECT_EQ(object->Child("a"), other);
}

TEST(Trackable, UntrackRemovesTheEdge) {
  const auto object = Object(), b = Object();
  ASSERT_THAT(object->Track("a", Object()), IsOk());
  ASSERT_THAT(object->Track("b", b), IsOk());
  ASSERT_THAT(object->Track("c", Object()), IsOk());
  EXPECT_TRUE(object->Untrack("b"));
  EXPECT_FALSE(object->Untrack("b"));
  EXPECT_FALSE(object->Untrack("x"));
  EXPECT_EQ(b.use_count(), 1);
  EXPECT_THAT(Names(*object), ElementsAre("a", "c"));
  ASSERT_THAT(object->Track("b", b), IsOk());
  EXPECT_THAT(Names(*object), ElementsAre("a", "c", "b")) << "a name tracked anew comes last";
}

TEST(Trackable, ChildAsIsNullForAnotherType) {
  const auto object = Object();
  ASSERT_THAT(object->Track("a", Object()), IsOk());
  EXPECT_NE(object->ChildAs<Module>("a"), nullptr);
  EXPECT_EQ(object->ChildAs<Mortal>("a"), nullptr);
  EXPECT_EQ(object->ChildAs<Module>("b"), nullptr);
}

// Few children are scanned and many are indexed, and removals leave holes: all behave as a plain list does.
TEST(Trackable, BehavesAsAListOfNamesWhateverTheNumberOfChildren) {
  Random random(13);
  for (int round = 0; round < 50; ++round) {
    const auto object = Object();
    std::vector<std::pair<std::string, std::shared_ptr<Trackable>>> model;
    const size_t names = 1 + random.Below(60);
    for (int step = 0; step < 300; ++step) {
      const std::string name = "n" + std::to_string(random.Below(names));
      auto known =
          std::find_if(model.begin(), model.end(), [&](const auto& entry) { return entry.first == name; });
      if (random.OneIn(3)) {
        ASSERT_EQ(object->Untrack(name), known != model.end());
        if (known != model.end()) model.erase(known);
      } else {
        const auto child = Object();
        ASSERT_THAT(object->Track(name, child), IsOk());
        if (known != model.end()) {
          known->second = child;
        } else {
          model.emplace_back(name, child);
        }
      }
      ASSERT_EQ(object->num_children(), model.size());
    }
    std::vector<std::string> expected;
    for (const auto& [name, child] : model) {
      expected.push_back(name);
      ASSERT_EQ(object->Child(name), child);
    }
    ASSERT_EQ(Names(*object), expected);
  }
}

TEST(Trackable, FiftyThousandChildrenComeAndGoInTime) {
  constexpr int kChildren = 50'000;
  const auto object = Object();
  for (int i = 0; i < kChildren; ++i) ASSERT_THAT(object->Track(std::to_string(i), Object()), IsOk());
  for (int i = 0; i < kChildren; ++i) ASSERT_NE(object->Child(std::to_string(i)), nullptr);
  for (int i = 0; i < kChildren; i += 2) ASSERT_TRUE(object->Untrack(std::to_string(i)));
  EXPECT_EQ(object->num_children(), kChildren / 2u);
  EXPECT_EQ(object->Child("2"), nullptr);
  for (int i = kChildren - 1; i > 0; i -= 2) ASSERT_TRUE(object->Untrack(std::to_string(i)));
  EXPECT_EQ(object->num_children(), 0u);
}

// ---- Destruction ----

std::shared_ptr<Trackable> Chain(size_t size, std::atomic<int64_t>* living) {
  auto root = std::make_shared<Mortal>(living);
  std::shared_ptr<Trackable> last = root;
  for (size_t i = 1; i < size; ++i) {
    auto next = std::make_shared<Mortal>(living);
    (void)last->Track("next", next);
    (void)next->TrackBack("parent", last);
    last = std::move(next);
  }
  return root;
}

TEST(TrackableDestruction, OfAChainOfAMillionDoesNotRecurse) {
  std::atomic<int64_t> living = 0;
  std::shared_ptr<Trackable> root = Chain(1'000'000, &living);
  EXPECT_EQ(living, 1'000'000);
  root.reset();
  EXPECT_EQ(living, 0);
}

TEST(TrackableDestruction, OfAMillionByReplacingAndByRemovingDoesNotRecurse) {
  std::atomic<int64_t> living = 0;
  const auto owner = Object();
  ASSERT_THAT(owner->Track("a", Chain(1'000'000, &living)), IsOk());
  ASSERT_THAT(owner->Track("a", Object()), IsOk());
  EXPECT_EQ(living, 0);
  ASSERT_THAT(owner->Track("a", Chain(300'000, &living)), IsOk());
  ASSERT_THAT(owner->TrackBack("a", owner), IsOk());
  EXPECT_EQ(living, 0);
  ASSERT_THAT(owner->Track("a", Chain(300'000, &living)), IsOk());
  EXPECT_TRUE(owner->Untrack("a"));
  EXPECT_EQ(living, 0);
}

TEST(TrackableDestruction, KeepsWhatSomebodyElseHolds) {
  std::atomic<int64_t> living = 0;
  std::shared_ptr<Trackable> root = Chain(1000, &living);
  std::shared_ptr<Trackable> middle = root;
  for (int i = 0; i < 400; ++i) middle = middle->Child("next");
  root.reset();
  EXPECT_EQ(living, 600);
  EXPECT_EQ(middle->Child("parent"), nullptr);
  middle.reset();
  EXPECT_EQ(living, 0);
}

// A class of the program's own that also keeps its child in a member.
class Holder : public Mortal {
 public:
  Holder(std::atomic<int64_t>* living, std::shared_ptr<Trackable> next)
      : Mortal(living), next_(std::move(next)) {
    (void)Track("next", next_);
  }

 private:
  std::shared_ptr<Trackable> next_;
};

TEST(TrackableDestruction, OfObjectsThatAlsoHoldTheirChildInAMemberDoesNotRecurse) {
  std::atomic<int64_t> living = 0;
  std::shared_ptr<Trackable> last = std::make_shared<Mortal>(&living);
  for (int i = 0; i < 1'000'000; ++i) last = std::make_shared<Holder>(&living, std::move(last));
  EXPECT_EQ(living, 1'000'001);
  last.reset();
  EXPECT_EQ(living, 0);
}

// An object whose destructor makes and drops others.
class Dying : public Trackable {
 public:
  explicit Dying(std::atomic<int64_t>* living) : living_(living) {}
  ~Dying() override {
    std::shared_ptr<Trackable> other = Chain(10, living_);
    (void)other->Track("more", Chain(10, living_));
    other->Untrack("more");
  }

 private:
  std::atomic<int64_t>* living_;
};

TEST(TrackableDestruction, MayDestroyOthersMeanwhile) {
  std::atomic<int64_t> living = 0;
  {
    const auto root = Object();
    for (int i = 0; i < 100; ++i)
      ASSERT_THAT(root->Track(std::to_string(i), std::make_shared<Dying>(&living)), IsOk());
  }
  EXPECT_EQ(living, 0);
}

TEST(TrackableDestruction, OnManyThreadsAtOnce) {
  std::atomic<int64_t> living = 0;
  const auto shared = Chain(1000, &living);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        std::shared_ptr<Trackable> root = Chain(500, &living);
        (void)root->Track("shared", shared);
        root.reset();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(living, 1000);
}

// Every thread holds a part of one tree; whoever is last destroys what is left.
TEST(TrackableDestruction, OfOneTreeThatManyThreadsLetGoOf) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int64_t> living = 0;
    std::vector<std::shared_ptr<Trackable>> handles = {Chain(400, &living)};
    for (int i = 1; i < 400; ++i) handles.push_back(handles.back()->Child("next"));
    std::vector<std::thread> threads;
    for (size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&handles, t] {
        for (size_t i = t; i < handles.size(); i += 4) handles[i].reset();
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(living, 0);
  }
}

TEST(Trackable, ManyThreadsMayReadOneObject) {
  std::atomic<int64_t> living = 0;
  const auto root = Chain(50, &living);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      std::shared_ptr<Trackable> at = root;
      for (int i = 0; i < 2000; ++i) {
        std::shared_ptr<Trackable> next = at->Child(i % 3 == 2 ? "parent" : "next");
        if (next) at = std::move(next);
        at->ForEachChild([](const std::string&, const std::shared_ptr<Trackable>&) {});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// ---- Listeners ----

// Notes what it is told in a log that several share.
class Listener : public AttachListener {
 public:
  Listener(uint64_t issue, std::vector<std::string>* log) : issue_(issue), log_(log) {}
  uint64_t issue() const override { return issue_; }
  void OnChild(int32_t token, const std::string& name, const std::shared_ptr<Trackable>& child) override {
    log_->push_back(std::to_string(issue_) + ": " + std::to_string(token) + " " + name);
    last_child = child;
    if (when_told) when_told(child);
  }
  void OnSlot(int32_t, const std::shared_ptr<Trackable>&) override { FAIL() << "nobody made a slot"; }

  std::weak_ptr<Trackable> last_child;
  std::function<void(const std::shared_ptr<Trackable>&)> when_told;

 private:
  uint64_t issue_;
  std::vector<std::string>* log_;
};

class ListenerTest : public ::testing::Test {
 protected:
  std::shared_ptr<Listener> Listen(uint64_t issue, int32_t token = 0) {
    auto listener = std::make_shared<Listener>(issue, &log);
    object->AddListener(listener, token);
    return listener;
  }

  std::vector<std::string> log;
  std::shared_ptr<Trackable> object = Object();
};

TEST_F(ListenerTest, IsToldOfANewChildWhenItIsThere) {
  const auto listener = Listen(1, 7), other = Listen(2, 0);
  const auto a = Object();
  listener->when_told = [&](const std::shared_ptr<Trackable>& told) { EXPECT_EQ(object->Child("a"), told); };
  ASSERT_THAT(object->Track("a", a), IsOk());
  EXPECT_EQ(listener->last_child.lock(), a);
  EXPECT_THAT(log, ElementsAre("2: 0 a", "1: 7 a"));
}

TEST_F(ListenerTest, TheLastIssuedIsToldFirst) {
  const auto second = Listen(2), first = Listen(1), third = Listen(3);
  ASSERT_THAT(object->Track("a", Object()), IsOk());
  EXPECT_THAT(log, ElementsAre("3: 0 a", "2: 0 a", "1: 0 a"));
}

TEST_F(ListenerTest, IsToldOfBackReferencesToo) {
  const auto listener = Listen(1);
  const auto parent = Object();
  ASSERT_THAT(object->TrackBack("parent", parent), IsOk());
  EXPECT_EQ(listener->last_child.lock(), parent);
}

TEST_F(ListenerTest, AReplacedNameIsNotNew) {
  const auto listener = Listen(1);
  const auto child = Object();
  ASSERT_THAT(object->Track("a", Object()), IsOk());
  ASSERT_THAT(object->Track("a", child), IsOk());
  ASSERT_THAT(object->TrackBack("a", child), IsOk());
  EXPECT_EQ(log.size(), 1u);
  EXPECT_THAT(object->Track("b", nullptr), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_EQ(log.size(), 1u);
}

TEST_F(ListenerTest, ANameThatIsFreeAgainIsNew) {
  const auto listener = Listen(1);
  ASSERT_THAT(object->Track("a", Object()), IsOk());
  ASSERT_TRUE(object->Untrack("a"));
  ASSERT_THAT(object->Track("a", Object()), IsOk());
  EXPECT_EQ(log.size(), 2u);
  auto gone = Object();
  ASSERT_THAT(object->TrackBack("b", gone), IsOk());
  gone.reset();
  ASSERT_THAT(object->Track("b", Object()), IsOk());
  EXPECT_EQ(log.size(), 4u) << "a child that is gone is none";
}

TEST_F(ListenerTest, OneThatIsGoneIsDropped) {
  auto listener = Listen(1);
  const auto other = Listen(2);
  EXPECT_EQ(object->num_listeners(), 2u);
  listener.reset();
  EXPECT_EQ(object->num_listeners(), 1u);
  ASSERT_THAT(object->Track("a", Object()), IsOk());
  EXPECT_THAT(log, ElementsAre("2: 0 a"));
}

TEST_F(ListenerTest, AddedAgainItIsToldOnce) {
  const auto listener = Listen(1, 7);
  object->AddListener(listener, 8);
  EXPECT_EQ(object->num_listeners(), 1u);
  ASSERT_THAT(object->Track("a", Object()), IsOk());
  EXPECT_THAT(log, ElementsAre("1: 7 a")) << "nothing has changed";
}

TEST_F(ListenerTest, OneThatIsGoneWhenItIsAddedIsNone) {
  object->AddListener(std::weak_ptr<AttachListener>(), 0);
  EXPECT_EQ(object->num_listeners(), 0u);
}

TEST_F(ListenerTest, MayAttachMoreWhileItIsTold) {
  const auto listener = Listen(1);
  listener->when_told = [&](const std::shared_ptr<Trackable>&) {
    const size_t next = object->num_children();
    if (next < 20) {
      ASSERT_THAT(object->Track(std::to_string(next), Object()), IsOk());
    }
  };
  ASSERT_THAT(object->Track("0", Object()), IsOk());
  EXPECT_EQ(object->num_children(), 20u);
  EXPECT_EQ(log.size(), 20u);
  EXPECT_EQ(log.back(), "1: 0 19");
}

TEST_F(ListenerTest, MayComeAndGoWhileOthersAreTold) {
  auto last = Listen(1);
  const auto first = Listen(3);
  std::shared_ptr<Listener> late;
  auto middle = Listen(2);
  first->when_told = [&](const std::shared_ptr<Trackable>&) {
    late = Listen(9);
    last.reset();
    middle.reset();
  };
  ASSERT_THAT(object->Track("a", Object()), IsOk());
  EXPECT_THAT(log, ElementsAre("3: 0 a", "2: 0 a", "1: 0 a")) << "those that were there when the child came";
  log.clear();
  first->when_told = nullptr;
  ASSERT_THAT(object->Track("b", Object()), IsOk());
  EXPECT_THAT(log, ElementsAre("9: 0 b", "3: 0 b"));
}

TEST_F(ListenerTest, MayRemoveTheChildAgain) {
  const auto untracks = Listen(2), other = Listen(1);
  untracks->when_told = [&](const std::shared_ptr<Trackable>&) { EXPECT_TRUE(object->Untrack("a")); };
  ASSERT_THAT(object->Track("a", Object()), IsOk());
  EXPECT_EQ(object->Child("a"), nullptr);
  EXPECT_EQ(log.size(), 2u);
}

TEST_F(ListenerTest, MayReplaceTheChild) {
  const auto listener = Listen(1);
  listener->when_told = [&](const std::shared_ptr<Trackable>&) {
    ASSERT_THAT(object->Track("a", Object()), IsOk());
  };
  ASSERT_THAT(object->Track("a", Object()), IsOk());
  EXPECT_EQ(log.size(), 1u);
}

TEST(Trackable, RemembersWhichRestoreGaveItItsValues) {
  const auto object = Object();
  EXPECT_EQ(object->restored_by(), 0u);
  object->set_restored_by(3);
  EXPECT_EQ(object->restored_by(), 3u);
}

TEST(Trackable, HasNoValuesOfItsOwnUnlessItsClassDoes) {
  const auto object = Object();
  EXPECT_TRUE(object->CheckpointValues().empty());
  EXPECT_THAT(object->RestoreValues({}), IsOk());
  EXPECT_THAT(object->RestoreValues({std::nullopt}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("RestoreValues")));
}

// ---- FindObject ----

TEST(FindObject, WalksNames) {
  const auto root = Object(), a = Object(), b = Object();
  ASSERT_THAT(root->Track("a", a), IsOk());
  ASSERT_THAT(a->Track("b.c", b), IsOk());
  EXPECT_EQ(*FindObject(root, NodePath()), root);
  EXPECT_EQ(*FindObject(root, NodePath({"a", "b.c"})), b);
}

TEST(FindObject, SaysHowFarAPathLeads) {
  const auto root = Object(), a = Object();
  ASSERT_THAT(root->Track("a", a), IsOk());
  ASSERT_THAT(a->Track("kernel", Object()), IsOk());
  const auto found = FindObject(root, NodePath({"a", "kernal", "x"}));
  EXPECT_THAT(found, StatusIs(StatusCode::kNotFound, HasSubstr("no object at root.a.kernal,")));
  EXPECT_THAT(found, StatusIs(StatusCode::kNotFound, HasSubstr("did you mean \"kernel\"")));
  EXPECT_THAT(found, StatusHasContext(Field(&ErrorContext::path, "root.a.kernal.x")));
  EXPECT_THAT(FindObject(nullptr, NodePath()), StatusIs(StatusCode::kInvalidArgument));
}

TEST(FindObject, FollowsAPathOfAMillionNames) {
  std::atomic<int64_t> living = 0;
  const auto root = Chain(1'000'000, &living);
  EXPECT_THAT(FindObject(root, NodePath(std::vector<std::string>(999'999, "next"))), IsOk());
  EXPECT_THAT(FindObject(root, NodePath(std::vector<std::string>(1'000'000, "next"))),
              StatusIs(StatusCode::kNotFound));
}

}  // namespace
}  // namespace savedmodel
