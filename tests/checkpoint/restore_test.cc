#include "savedmodel/checkpoint/restore.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/memory_file_system.h"
#include "savedmodel/object_graph/python_state.h"
#include "savedmodel/object_graph/variable.h"
#include "savedmodel/tests/support/allocation_faults.h"
#include "savedmodel/tests/support/bundle_builder.h"
#include "savedmodel/tests/support/fault_file_system.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::AllocationFaults;
using ::savedmodel::testing::BundleBuilder;
using ::savedmodel::testing::FaultFileSystem;
using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::kCanFailAllocations;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Call = FaultFileSystem::Call;

constexpr float kOld = -7;
constexpr RestoreMode kModes[] = {RestoreMode::kVerifyFirst, RestoreMode::kStage, RestoreMode::kInPlace};
constexpr ReadMode kReadModes[] = {ReadMode::kCopied, ReadMode::kMapped};

constexpr int64_t kSmall = 4;
constexpr int64_t kLarge = 200'000;  // elements of a value that takes several reads

// What is stored at `i` of a value that begins with `first`; everything else holds kOld before a restore.
float Stored(float first, size_t i) { return first + static_cast<float>(i % 97); }

// One variable of the plan, float32[size].
struct Item {
  std::string key;
  int64_t size = 0;
  float first = 0;
  std::shared_ptr<Variable> variable;
  std::vector<float> memory;  // of a variable that wraps it

  bool wraps() const { return variable->wraps_memory(); }
  std::vector<float> Values() const {
    if (wraps()) return memory;
    const Tensor value = *variable->Read()->Clone();
    std::vector<float> values(static_cast<size_t>(size));
    std::memcpy(values.data(), value.buffer().data(), value.num_bytes());
    return values;
  }
  bool HoldsOld() const {
    const std::vector<float> values = Values();
    return std::all_of(values.begin(), values.end(), [](float value) { return value == kOld; });
  }
  bool IsOld() const { return HoldsOld() && variable->initialized(); }
  bool IsNew() const {
    const std::vector<float> values = Values();
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] != Stored(first, i)) return false;
    }
    return variable->initialized();
  }
};

// A bundle, a plan for it, and variables that wrap memory or own their value.
struct Scene {
  Scene() {
    Add("wrapped large", kLarge, 100, true);
    Add("owned small", kSmall, 200, false);
    Add("wrapped small", kSmall, 300, true);
    Add("owned large", kLarge, 400, false);
  }

  void Add(const std::string& key, int64_t size, float first, bool wrap) {
    items.push_back({key, size, first, nullptr, std::vector<float>(static_cast<size_t>(size), kOld)});
    Item& item = items.back();
    const TensorSpec spec = {DType::kFloat32, Shape{size}};
    const auto memory = std::as_writable_bytes(std::span(item.memory));
    item.variable = wrap ? *Variable::Wrap(spec, memory) : *Variable::Make(spec);
    (void)item.variable->Assign(*Tensor::FromBytes(DType::kFloat32, Shape{size}, memory));
    takers.push_back(item.variable);
    const auto id = static_cast<NodeId>(plan.items.size());
    const auto bytes = static_cast<uint64_t>(size) * sizeof(float);
    plan.items.push_back({.stored = id,
                          .target = id,
                          .path = "root." + key,
                          .key = key,
                          .dtype = DType::kFloat32,
                          .shape = Shape{size},
                          .bytes = bytes});
    std::vector<float> values(static_cast<size_t>(size));
    for (size_t i = 0; i < values.size(); ++i) values[i] = Stored(first, i);
    const std::string payload(reinterpret_cast<const char*>(values.data()), bytes);
    bundle.Add(
        {.key = key, .dtype = static_cast<int64_t>(DType::kFloat32), .shape = {size}, .payload = payload});
  }

  // The value of `key` is stored with one bit changed.
  void Break(const std::string& key, uint64_t at) {
    char& byte = bundle.shards[0][static_cast<size_t>(bundle.Entry(key).offset) + at];
    byte = static_cast<char>(byte ^ 1);
  }

  Status Run(RestoreMode mode) {
    if (!reader.ok()) Open();
    return Restore(*reader, plan, takers, mode, options, &report);
  }
  void Open() {
    const auto memory = std::make_shared<MemoryFileSystem>();
    bundle.WriteTo(*memory, "c");
    files = std::make_shared<FaultFileSystem>(memory);
    reader = BundleReader::Open("c", {.file_system = files});
    ASSERT_THAT(reader, IsOk());
  }

  bool All(bool (Item::*is)() const) const {
    return std::all_of(items.begin(), items.end(), [is](const Item& item) { return (item.*is)(); });
  }

  BundleBuilder bundle;
  RestorePlan plan;
  std::vector<Item> items;
  std::vector<std::shared_ptr<Trackable>> takers;
  std::shared_ptr<FaultFileSystem> files;
  StatusOr<BundleReader> reader = Status(StatusCode::kUnknown, "not opened");
  ReadOptions options{.mode = ReadMode::kCopied, .control = {.threads = 1}};
  RestoreReport report;
};

// What every mode promises after an error.
void ExpectNothingHalfDone(const Scene& scene) {
  std::vector<std::string> touched;
  for (size_t i = 0; i < scene.items.size(); ++i) {
    const Item& item = scene.items[i];
    const std::string& path = scene.plan.items[i].path;
    const auto& said = scene.report.overwritten;
    const bool listed = std::find(said.begin(), said.end(), path) != said.end();
    EXPECT_EQ(item.variable->initialized(), !listed) << path;
    if (listed) {
      EXPECT_TRUE(item.wraps()) << path;
    } else {
      EXPECT_TRUE(item.HoldsOld()) << path << " has changed and nobody says so";
    }
  }
}

TEST(Restore, EveryModeGivesEveryVariableItsValue) {
  for (const RestoreMode mode : kModes) {
    for (const ReadMode read : kReadModes) {
      for (const Verify verify : {Verify::kAlways, Verify::kWholeReads, Verify::kNever}) {
        Scene scene;
        scene.options.mode = read;
        scene.options.verify = verify;
        ASSERT_THAT(scene.Run(mode), IsOk());
        EXPECT_TRUE(scene.All(&Item::IsNew));
        EXPECT_THAT(scene.report.overwritten, IsEmpty());
      }
    }
  }
}

TEST(Restore, OnSeveralThreads) {
  for (const RestoreMode mode : kModes) {
    Scene scene;
    scene.options.control.threads = 4;
    ASSERT_THAT(scene.Run(mode), IsOk());
    EXPECT_TRUE(scene.All(&Item::IsNew));
  }
}

TEST(Restore, GivesAVariableWithoutAValueOne) {
  for (const RestoreMode mode : kModes) {
    Scene scene;
    for (const Item& item : scene.items) {
      if (item.wraps()) item.variable->MarkInitialized(false);
    }
    ASSERT_THAT(scene.Run(mode), IsOk());
    EXPECT_TRUE(scene.All(&Item::IsNew));
  }
}

TEST(Restore, CountsTheBytesOfBothPasses) {
  const uint64_t wrapped = sizeof(float) * (kLarge + kSmall), all = 2 * wrapped;
  Scene in_place, verified, staged;
  ASSERT_THAT(in_place.Run(RestoreMode::kInPlace), IsOk());
  ASSERT_THAT(verified.Run(RestoreMode::kVerifyFirst), IsOk());
  ASSERT_THAT(staged.Run(RestoreMode::kStage), IsOk());
  EXPECT_EQ(in_place.report.bytes_read, all);
  EXPECT_EQ(verified.report.bytes_read, all + wrapped);
  EXPECT_EQ(staged.report.bytes_read, all);
}

TEST(Restore, AReportIsOfOneRestore) {
  Scene scene;
  ASSERT_THAT(scene.Run(RestoreMode::kInPlace), IsOk());
  const uint64_t once = scene.report.bytes_read;
  scene.report.overwritten = {"left over"};
  ASSERT_THAT(scene.Run(RestoreMode::kInPlace), IsOk());
  EXPECT_EQ(scene.report.bytes_read, once);
  EXPECT_THAT(scene.report.overwritten, IsEmpty());
}

TEST(Restore, NothingPlannedIsNothingDone) {
  Scene scene;
  scene.plan = {};
  scene.takers.clear();
  EXPECT_THAT(scene.Run(RestoreMode::kVerifyFirst), IsOk());
  EXPECT_TRUE(scene.All(&Item::IsOld));
}

// ---- Files that are broken ----

TEST(Restore, Case33_AFlippedByteChangesNothingWhereNothingMayChange) {
  for (const RestoreMode mode : {RestoreMode::kVerifyFirst, RestoreMode::kStage}) {
    for (const ReadMode read : kReadModes) {
      for (size_t broken = 0; broken < 4; ++broken) {
        Scene scene;
        scene.options.mode = read;
        const auto size = static_cast<uint64_t>(scene.items[broken].size) * sizeof(float);
        scene.Break(scene.items[broken].key, size - 1);
        const Status status = scene.Run(mode);
        EXPECT_THAT(status, StatusIs(StatusCode::kDataLoss, HasSubstr("checksum")));
        EXPECT_THAT(status, StatusHasContext(Field(&ErrorContext::key, scene.items[broken].key)));
        EXPECT_TRUE(scene.All(&Item::IsOld)) << scene.items[broken].key;
        EXPECT_THAT(scene.report.overwritten, IsEmpty());
      }
    }
  }
}

TEST(Restore, AFlippedByteInPlaceIsReportedByPath) {
  Scene scene;
  scene.Break("wrapped large", 0);
  EXPECT_THAT(scene.Run(RestoreMode::kInPlace), StatusIs(StatusCode::kDataLoss));
  ExpectNothingHalfDone(scene);
  EXPECT_THAT(scene.report.overwritten, Contains("root.wrapped large"));
  EXPECT_THAT(scene.items[0].variable->Read(), StatusIs(StatusCode::kFailedPrecondition));
}

TEST(Restore, AFlippedByteOfAnOwningVariableLeavesWrappedMemoryAlone) {
  for (const RestoreMode mode : kModes) {
    Scene scene;
    scene.Break("owned large", 5);
    EXPECT_THAT(scene.Run(mode), StatusIs(StatusCode::kDataLoss));
    EXPECT_TRUE(scene.All(&Item::IsOld)) << "values that are read aside come first";
  }
}

TEST(Restore, UnverifiedBytesAreTakenAsTheyAre) {
  for (const RestoreMode mode : kModes) {
    Scene scene;
    scene.options.verify = Verify::kNever;
    scene.Break("wrapped small", 0);
    ASSERT_THAT(scene.Run(mode), IsOk());
    EXPECT_FALSE(scene.items[2].IsNew());
    EXPECT_TRUE(scene.items[2].variable->initialized());
  }
}

// ---- Reads that fail ----

// Runs `mode` with the n-th call of one kind failing, for every n until it succeeds; returns how often it failed.
int FailEveryCall(RestoreMode mode, ReadMode read, Call call, bool nothing_may_change) {
  for (int n = 1;; ++n) {
    Scene scene;
    scene.options.mode = read;
    scene.Open();
    scene.files->ResetCounts();
    scene.files->FailNth(call, n, internal::Error(StatusCode::kUnavailable, "disk"));
    const Status status = scene.Run(mode);
    if (status.ok()) {
      EXPECT_TRUE(scene.All(&Item::IsNew));
      return n - 1;
    }
    EXPECT_THAT(status, StatusIs(StatusCode::kUnavailable, HasSubstr("disk")));
    ExpectNothingHalfDone(scene);
    if (nothing_may_change) {
      EXPECT_TRUE(scene.All(&Item::IsOld)) << "call " << n;
      EXPECT_THAT(scene.report.overwritten, IsEmpty());
    }
    // What was overwritten gets its value the next time.
    EXPECT_THAT(scene.Run(mode), IsOk());
    EXPECT_TRUE(scene.All(&Item::IsNew));
    EXPECT_THAT(scene.report.overwritten, IsEmpty());
  }
}

TEST(Restore, StagedNothingChangesWhateverReadFails) {
  EXPECT_GT(FailEveryCall(RestoreMode::kStage, ReadMode::kCopied, Call::kReadAt, true), 2);
  EXPECT_GT(FailEveryCall(RestoreMode::kStage, ReadMode::kMapped, Call::kMap, true), 0);
  EXPECT_GT(FailEveryCall(RestoreMode::kStage, ReadMode::kMapped, Call::kReadAt, true), 1);
}

TEST(Restore, InPlaceWhateverReadFailsWhatHasChangedIsReported) {
  EXPECT_GT(FailEveryCall(RestoreMode::kInPlace, ReadMode::kCopied, Call::kReadAt, false), 2);
  EXPECT_GT(FailEveryCall(RestoreMode::kVerifyFirst, ReadMode::kCopied, Call::kReadAt, false), 3);
}

// How many reads a restore takes.
int CountReads(Scene& scene, RestoreMode mode) {
  scene.Open();
  scene.files->ResetCounts();
  EXPECT_THAT(scene.Run(mode), IsOk());
  return scene.files->calls(Call::kReadAt);
}

TEST(Restore, WhileItReadsAsideAndComparesNothingHasChanged) {
  Scene verified, in_place, aside;
  aside.plan.items = {aside.plan.items[1], aside.plan.items[3]};
  aside.takers = {aside.takers[1], aside.takers[3]};
  const int comparing =
      CountReads(verified, RestoreMode::kVerifyFirst) - CountReads(in_place, RestoreMode::kInPlace);
  const int safe = CountReads(aside, RestoreMode::kInPlace) + comparing;
  EXPECT_GT(comparing, 1);
  for (int n = 1; n <= safe + 1; ++n) {
    Scene scene;
    scene.Open();
    scene.files->ResetCounts();
    scene.files->FailNth(Call::kReadAt, n, internal::Error(StatusCode::kUnavailable, "disk"));
    ASSERT_THAT(scene.Run(RestoreMode::kVerifyFirst), StatusIs(StatusCode::kUnavailable));
    EXPECT_TRUE(n > safe || scene.All(&Item::IsOld)) << "read " << n << " of " << safe;
  }
}

TEST(Restore, StagedValuesAreCopiesAndNoMapping) {
  Scene scene;
  scene.options.mode = ReadMode::kMapped;
  scene.Open();
  ASSERT_THAT(scene.Run(RestoreMode::kStage), IsOk());
  for (const FaultFileSystem::Range& range : scene.files->ranges()) {
    if (range.call != Call::kMap) continue;
    const testing::EntryFields& owned = scene.bundle.Entry("owned large");
    EXPECT_GE(range.offset + range.size, static_cast<uint64_t>(owned.offset + owned.size));
    EXPECT_LE(range.size, static_cast<uint64_t>(owned.size) + (64 << 10)) << "only what is owned is mapped";
  }
}

TEST(Restore, CancellingStopsBeforeAnythingChanges) {
  for (const RestoreMode mode : kModes) {
    Scene scene;
    scene.options.control.cancellation.Cancel();
    EXPECT_THAT(scene.Run(mode), StatusIs(StatusCode::kCancelled));
    EXPECT_TRUE(scene.All(&Item::IsOld));
  }
}

TEST(Restore, CancelledHalfwayIsAsAFailedRead) {
  for (const RestoreMode mode : kModes) {
    for (int n = 1; n < 8; ++n) {
      Scene scene;
      scene.Open();
      int calls = 0;
      scene.files->OnCall([&](Call call, const std::string&) {
        if (call == Call::kReadAt && ++calls == n) scene.options.control.cancellation.Cancel();
      });
      if (scene.Run(mode).ok()) continue;
      ExpectNothingHalfDone(scene);
      if (mode == RestoreMode::kStage) {
        EXPECT_TRUE(scene.All(&Item::IsOld));
      }
    }
  }
}

// ---- Arguments ----

TEST(Restore, NeedsOneObjectForEachItem) {
  Scene scene;
  scene.takers.pop_back();
  EXPECT_THAT(scene.Run(RestoreMode::kInPlace), StatusIs(StatusCode::kInvalidArgument));
  scene.takers.assign(5, scene.items[0].variable);
  EXPECT_THAT(scene.Run(RestoreMode::kInPlace), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_TRUE(scene.All(&Item::IsOld));
}

TEST(Restore, AVariableThatDoesNotFitChangesNothing) {
  const std::vector<std::shared_ptr<Variable>> misfits = {
      nullptr, *Variable::Make({DType::kFloat32, Shape{3}}), *Variable::Make({DType::kInt32, Shape{kSmall}})};
  for (const auto& misfit : misfits) {
    Scene scene;
    scene.takers[1] = misfit;
    const Status status = scene.Run(RestoreMode::kInPlace);
    EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument));
    EXPECT_THAT(status, StatusHasContext(AllOf(Field(&ErrorContext::key, "owned small"),
                                               Field(&ErrorContext::path, "root.owned small"),
                                               Field(&ErrorContext::expected, "float32[4]"))));
    EXPECT_TRUE(scene.All(&Item::IsOld));
  }
}

TEST(Restore, APlanForAnotherBundleChangesNothing) {
  for (const RestoreMode mode : kModes) {
    Scene scene;
    scene.bundle.Entry("wrapped small").shape = {2, 2};
    EXPECT_THAT(scene.Run(mode), StatusIs(StatusCode::kInvalidArgument));
    EXPECT_TRUE(scene.All(&Item::IsOld));
  }
}

TEST(Restore, OnePlaceForTwoItemsIsRefused) {
  for (const RestoreMode mode : kModes) {
    for (const size_t twice : {size_t{1}, size_t{2}}) {  // an owning variable, a wrapping one
      Scene scene;
      scene.Add("another", kSmall, 500, true);
      scene.takers[4] = scene.takers[twice];
      EXPECT_THAT(scene.Run(mode), StatusIs(StatusCode::kInvalidArgument, HasSubstr("one place")));
      EXPECT_TRUE(scene.All(&Item::IsOld));
    }
  }
}

TEST(Restore, VariablesThatShareAByteOfMemoryAreRefused) {
  Scene scene;
  scene.Add("another", kSmall, 500, true);
  std::vector<float> memory(7, kOld);
  const auto bytes = std::as_writable_bytes(std::span(memory));
  const TensorSpec spec = {DType::kFloat32, Shape{kSmall}};
  scene.takers[2] = *Variable::Wrap(spec, bytes.first(16));
  scene.takers[4] = *Variable::Wrap(spec, bytes.subspan(12));
  const Status status = scene.Run(RestoreMode::kStage);
  EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(status, StatusHasContext(Field(&ErrorContext::path, "root.another")));
  memory.push_back(kOld);
  const auto apart = std::as_writable_bytes(std::span(memory));
  scene.takers[2] = *Variable::Wrap(spec, apart.first(16));
  scene.takers[4] = *Variable::Wrap(spec, apart.subspan(16));
  EXPECT_THAT(scene.Run(RestoreMode::kInPlace), IsOk());
}

TEST(Restore, AModeThatIsNoneChangesNothing) {
  Scene scene;
  EXPECT_THAT(scene.Run(static_cast<RestoreMode>(77)), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_TRUE(scene.All(&Item::IsOld));
}

TEST(Restore, OptionsOutOfRangeChangeNothing) {
  const ReadOptions bad[] = {
      {.mode = static_cast<ReadMode>(77)}, {.verify = static_cast<Verify>(77)}, {.control = {.threads = -1}}};
  for (const ReadOptions& options : bad) {
    for (const RestoreMode mode : kModes) {
      Scene scene;
      scene.options = options;
      EXPECT_THAT(scene.Run(mode), StatusIs(StatusCode::kInvalidArgument));
      EXPECT_TRUE(scene.All(&Item::IsOld));
    }
  }
}

// ---- Objects that are no variables ----

// Two float32 values of its own: `small` as it is stored, and elements [1, 3) of `sliced`.
class Custom : public Trackable {
 public:
  std::vector<CheckpointValue> CheckpointValues() const override {
    std::vector<CheckpointValue> values(3);
    values[0] = {.name = "small", .spec = {DType::kFloat32, Shape{kSmall}}};
    values[1] = {.name = "sliced", .spec = {DType::kFloat32, Shape{kLarge}}};
    values[1].slice = *TensorSlice::Rows(1, 2, 1);
    values[2] = {.name = "maybe", .spec = {DType::kFloat32, Shape{kSmall}}, .optional = true};
    return values;
  }
  Status RestoreValues(std::vector<std::optional<Tensor>> values) override {
    ++calls;
    if (!refuses.empty()) return internal::Error(StatusCode::kFailedPrecondition, refuses);
    if (when_called) when_called();
    taken = std::move(values);
    return OkStatus();
  }

  std::string refuses;
  std::function<void()> when_called;
  int calls = 0;
  std::vector<std::optional<Tensor>> taken;
};

// A scene with an object that takes its values from two of the tensors, after the variables.
struct CustomScene : Scene {
  CustomScene() {
    const std::string path = "root.custom";
    plan.items.push_back({.path = path,
                          .value = 0,
                          .key = "owned small",
                          .dtype = DType::kFloat32,
                          .shape = Shape{kSmall},
                          .bytes = kSmall * sizeof(float)});
    plan.items.push_back({.path = path,
                          .value = 1,
                          .key = "wrapped large",
                          .slice = *TensorSlice::Rows(1, 2, 1),
                          .dtype = DType::kFloat32,
                          .shape = Shape{2},
                          .bytes = kLarge * sizeof(float)});
    takers.push_back(custom);
    takers.push_back(custom);
  }

  void ExpectCustomHasItsValues() const {
    ASSERT_EQ(custom->calls, 1);
    ASSERT_EQ(custom->taken.size(), 3u);
    EXPECT_EQ(*custom->taken[0], *Tensor::FromValues<float>({4}, {200, 201, 202, 203}));
    EXPECT_EQ(*custom->taken[1], *Tensor::FromValues<float>({2}, {101, 102}));
    EXPECT_EQ(custom->taken[2], std::nullopt);
  }

  std::shared_ptr<Custom> custom = std::make_shared<Custom>();
};

TEST(Restore, AnObjectGetsAllOfItsValuesInOneCall) {
  for (const RestoreMode mode : kModes) {
    for (const ReadMode read : kReadModes) {
      CustomScene scene;
      scene.options.mode = read;
      ASSERT_THAT(scene.Run(mode), IsOk());
      scene.ExpectCustomHasItsValues();
      EXPECT_TRUE(scene.All(&Item::IsNew));
      EXPECT_THAT(scene.report.overwritten, IsEmpty());
    }
  }
}

TEST(Restore, ObjectsTakeTheirsBeforeAnyVariableDoes) {
  for (const RestoreMode mode : kModes) {
    CustomScene scene;
    bool variables_were_old = false;
    scene.custom->when_called = [&] { variables_were_old = scene.All(&Item::IsOld); };
    ASSERT_THAT(scene.Run(mode), IsOk());
    EXPECT_TRUE(variables_were_old);
  }
}

TEST(Restore, AnObjectThatRefusesChangesNothingElse) {
  for (const RestoreMode mode : kModes) {
    CustomScene scene;
    scene.custom->refuses = "not today";
    const Status status = scene.Run(mode);
    EXPECT_THAT(status, StatusIs(StatusCode::kFailedPrecondition, HasSubstr("not today")));
    EXPECT_THAT(status, StatusHasContext(Field(&ErrorContext::path, "root.custom")));
    EXPECT_TRUE(scene.All(&Item::IsOld));
    EXPECT_THAT(scene.report.overwritten, IsEmpty());
  }
}

// Notes that it takes its text, in a list of all that do.
class Text : public PythonState {
 public:
  explicit Text(std::vector<std::string>* log) : log_(log) {}
  StatusOr<std::string> Serialize() const override { return std::string(); }
  Status Deserialize(std::string_view state) override {
    log_->push_back(std::string(state));
    return OkStatus();
  }

 private:
  std::vector<std::string>* log_;
};

TEST(Restore, StatesTakeTheirsBeforeOtherObjects) {
  std::vector<std::string> log;
  CustomScene scene;
  scene.custom->when_called = [&] { log.emplace_back("custom"); };
  scene.bundle.AddStrings("text", {}, {"text"});
  scene.plan.items.push_back({.path = "root.text", .key = "text", .dtype = DType::kString});
  scene.takers.push_back(std::make_shared<Text>(&log));
  ASSERT_THAT(scene.Run(RestoreMode::kStage), IsOk());
  EXPECT_THAT(log, ElementsAre("text", "custom"));
}

// A second object of the same class behind the first.
std::shared_ptr<Custom> AddAnother(CustomScene& scene) {
  const auto another = std::make_shared<Custom>();
  for (const size_t i : {scene.plan.items.size() - 2, scene.plan.items.size() - 1}) {
    scene.plan.items.push_back(scene.plan.items[i]);
    scene.plan.items.back().path = "root.another";
    scene.takers.push_back(another);
  }
  return another;
}

TEST(Restore, WhatHadTakenItsValuesBeforeAnotherRefusedIsReported) {
  for (const RestoreMode mode : kModes) {
    CustomScene scene;
    AddAnother(scene)->refuses = "no";
    EXPECT_THAT(scene.Run(mode), StatusIs(StatusCode::kFailedPrecondition));
    EXPECT_EQ(scene.custom->calls, 1);
    EXPECT_THAT(scene.report.overwritten, ElementsAre("root.custom"));
    EXPECT_TRUE(scene.All(&Item::IsOld));
  }
}

TEST(Restore, ObjectsGetNothingWhereAByteIsBroken) {
  for (const char* key : {"owned large", "owned small", "wrapped large"}) {
    for (const RestoreMode mode : {RestoreMode::kVerifyFirst, RestoreMode::kStage}) {
      CustomScene scene;
      scene.Break(key, 7);
      EXPECT_THAT(scene.Run(mode), StatusIs(StatusCode::kDataLoss));
      EXPECT_EQ(scene.custom->calls, 0);
      EXPECT_TRUE(scene.All(&Item::IsOld));
    }
  }
}

TEST(Restore, InPlaceAFailedReadReportsTheObjectsThatHaveTakenTheirs) {
  CustomScene scene;
  scene.Break("wrapped small", 0);
  EXPECT_THAT(scene.Run(RestoreMode::kInPlace), StatusIs(StatusCode::kDataLoss));
  EXPECT_EQ(scene.custom->calls, 1);
  EXPECT_THAT(scene.report.overwritten, Contains("root.custom"));
  ExpectNothingHalfDone(scene);
}

TEST(Restore, AnItemThatIsNoneOfTheObjectsValuesChangesNothing) {
  for (const size_t value : {size_t{1}, size_t{3}}) {
    CustomScene scene;
    scene.plan.items[4].value = value;
    const Status status = scene.Run(RestoreMode::kInPlace);
    EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument, HasSubstr("does not fit")));
    EXPECT_THAT(status, StatusHasContext(Field(&ErrorContext::path, "root.custom")));
    EXPECT_EQ(scene.custom->calls, 0);
  }
}

TEST(Restore, AnotherSliceThanTheObjectsChangesNothing) {
  for (const std::optional<TensorSlice>& slice :
       {std::optional(*TensorSlice::Rows(2, 2, 1)), std::optional<TensorSlice>()}) {
    CustomScene scene;
    scene.plan.items[5].slice = slice;
    EXPECT_THAT(scene.Run(RestoreMode::kInPlace), StatusIs(StatusCode::kInvalidArgument));
    EXPECT_EQ(scene.custom->calls, 0);
    EXPECT_TRUE(scene.All(&Item::IsOld));
  }
}

TEST(Restore, ItemsOfOneObjectThatDoNotFollowEachOtherAreRefused) {
  CustomScene scene;
  std::swap(scene.plan.items[3], scene.plan.items[4]);
  std::swap(scene.takers[3], scene.takers[4]);
  EXPECT_THAT(scene.Run(RestoreMode::kStage), StatusIs(StatusCode::kInvalidArgument, HasSubstr("one place")));
  EXPECT_EQ(scene.custom->calls, 0);
}

// A class that tells of values and does not take them.
class Forgetful : public Trackable {
 public:
  std::vector<CheckpointValue> CheckpointValues() const override {
    return {{.name = "small", .spec = {DType::kFloat32, Shape{kSmall}}}};
  }
};

TEST(Restore, AClassThatDoesNotTakeItsValuesBackSaysSo) {
  CustomScene scene;
  scene.plan.items.pop_back();
  scene.takers = {scene.takers[0], scene.takers[1], scene.takers[2], scene.takers[3],
                  std::make_shared<Forgetful>()};
  EXPECT_THAT(scene.Run(RestoreMode::kStage),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("RestoreValues")));
  EXPECT_TRUE(scene.All(&Item::IsOld));
}

TEST(Restore, WhateverReadFailsAnObjectThatHasTakenItsValuesIsReported) {
  for (const RestoreMode mode : kModes) {
    bool failed_after_it = false;
    for (int n = 1;; ++n) {
      CustomScene scene;
      scene.Open();
      scene.files->ResetCounts();
      scene.files->FailNth(Call::kReadAt, n, internal::Error(StatusCode::kUnavailable, "disk"));
      if (scene.Run(mode).ok()) break;
      ExpectNothingHalfDone(scene);
      const auto& said = scene.report.overwritten;
      EXPECT_EQ(std::count(said.begin(), said.end(), "root.custom"), scene.custom->calls);
      failed_after_it |= scene.custom->calls > 0;
    }
    EXPECT_EQ(failed_after_it, mode != RestoreMode::kStage);
  }
}

// ---- Limits ----

TEST(Restore, TheLimitIsForAllValuesWhereverTheyGo) {
  for (const RestoreMode mode : kModes) {
    Scene scene;
    const uint64_t bytes = sizeof(float) * 2 * (kSmall + kLarge);
    scene.options.max_tensor_bytes = bytes - 1;
    const Status status = scene.Run(mode);
    EXPECT_THAT(status, StatusIs(StatusCode::kResourceExhausted, HasSubstr(std::to_string(bytes - 1))));
    EXPECT_THAT(status, StatusHasContext(Field(&ErrorContext::key, "owned large")));
    EXPECT_EQ(scene.files->bytes_read(".data-00000-of-00001"), 0u);
    EXPECT_TRUE(scene.All(&Item::IsOld));
    scene.options.max_tensor_bytes = bytes;
    EXPECT_THAT(scene.Run(mode), IsOk());
    EXPECT_TRUE(scene.All(&Item::IsNew));
  }
}

TEST(Restore, TheLimitCountsStringsAsTheyAreStored) {
  Scene scene;
  const std::string text(1000, 'x');
  scene.bundle.AddStrings("words", {1}, {text});
  scene.plan.items = {{.path = "root.words", .key = "words", .dtype = DType::kString, .shape = Shape{1}}};
  scene.takers = {*Variable::Make({DType::kString, PartialShape()})};
  scene.options.max_tensor_bytes = text.size() - 1;
  EXPECT_THAT(scene.Run(RestoreMode::kVerifyFirst), StatusIs(StatusCode::kResourceExhausted));
  scene.options.max_tensor_bytes = text.size() + 100;
  EXPECT_THAT(scene.Run(RestoreMode::kVerifyFirst), IsOk());
}

TEST(Restore, EveryAllocationThatFailsIsAnErrorThatSaysWhatChanged) {
  if (!kCanFailAllocations) GTEST_SKIP() << "sanitizers bring their own operator new";
  for (const RestoreMode mode : kModes) {
    for (uint64_t n = 1;; ++n) {
      ASSERT_LT(n, 100'000u);
      SCOPED_TRACE("mode " + std::to_string(static_cast<int>(mode)) + ", allocation " + std::to_string(n));
      Scene scene;
      scene.Open();
      Status status;
      AllocationFaults faults(n);
      EXPECT_NO_THROW(status = scene.Run(mode));
      faults.Stop();
      if (status.ok()) {
        EXPECT_TRUE(scene.All(&Item::IsNew));
      } else {
        EXPECT_THAT(status, StatusIs(StatusCode::kResourceExhausted));
        ExpectNothingHalfDone(scene);
      }
      if (!faults.happened()) break;
    }
  }
}

TEST(Restore, StringsAndValuesWithoutElements) {
  for (const RestoreMode mode : kModes) {
    Scene scene;
    scene.Add("empty", 0, 0, true);
    scene.bundle.AddStrings("words", {2}, {"x", std::string("\0y", 2)});
    const auto words = *Variable::Make({DType::kString, PartialShape()});
    scene.takers.push_back(words);
    scene.plan.items.push_back(
        {.path = "root.words", .key = "words", .dtype = DType::kString, .shape = Shape{2}});
    scene.items[4].variable->MarkInitialized(false);
    ASSERT_THAT(scene.Run(mode), IsOk());
    EXPECT_TRUE(scene.All(&Item::IsNew));
    const Tensor value = *words->Read();
    EXPECT_EQ(*value.StringAt(1), std::string_view("\0y", 2));
  }
}

}  // namespace
}  // namespace savedmodel
