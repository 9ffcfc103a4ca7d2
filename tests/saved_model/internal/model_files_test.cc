#include "savedmodel/saved_model/internal/model_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/memory_file_system.h"
#include "savedmodel/proto/saved_model.pb.h"
#include "savedmodel/tests/support/fault_file_system.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::internal {
namespace {

using ::savedmodel::testing::FaultFileSystem;
using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::Field;
using ::testing::HasSubstr;

using Call = FaultFileSystem::Call;

constexpr uint64_t kNoLimit = 1 << 20;

class ModelFiles : public ::testing::Test {
 protected:
  void Add(const std::string& name, const std::string& content) {
    memory->Add("m/" + name, Buffer::FromString(content));
  }
  std::shared_ptr<const Directory> Open() { return *files->OpenDirectory("m"); }
  static std::string Model(int64_t version) {
    proto::SavedModel model;
    model.set_saved_model_schema_version(version);
    return model.SerializeAsString();
  }

  std::shared_ptr<MemoryFileSystem> memory = std::make_shared<MemoryFileSystem>();
  std::shared_ptr<FaultFileSystem> files = std::make_shared<FaultFileSystem>(memory);
};

TEST_F(ModelFiles, Case1_TheBinaryFileWins) {
  Add("saved_model.pb", Model(1));
  Add("saved_model.pbtxt", "saved_model_schema_version: 2");
  SM_ASSERT_OK_AND_ASSIGN(const GraphFile file, ReadGraphFile(*Open(), {.max_graph_bytes = kNoLimit}));
  EXPECT_EQ(file.name, "saved_model.pb");
  EXPECT_EQ(file.index.schema_version(), 1);
}

TEST_F(ModelFiles, Case2_ABrokenBinaryFileIsAnErrorBesideASoundText) {
  Add("saved_model.pb", "\x0a");
  Add("saved_model.pbtxt", "saved_model_schema_version: 2");
  EXPECT_THAT(ReadGraphFile(*Open(), {.max_graph_bytes = kNoLimit}),
              AllOf(StatusIs(StatusCode::kDataLoss),
                    StatusHasContext(Field(&ErrorContext::file, "m/saved_model.pb"))));
}

TEST_F(ModelFiles, Case3_TextAloneIsRead) {
  Add("saved_model.pbtxt", "saved_model_schema_version: 2");
  SM_ASSERT_OK_AND_ASSIGN(const GraphFile file, ReadGraphFile(*Open(), {.max_graph_bytes = kNoLimit}));
  EXPECT_EQ(file.name, "saved_model.pbtxt");
  EXPECT_EQ(file.index.schema_version(), 2);
  Add("saved_model.pbtxt", "nonsense");
  EXPECT_THAT(ReadGraphFile(*Open(), {.max_graph_bytes = kNoLimit}), StatusIs(StatusCode::kDataLoss));
}

TEST_F(ModelFiles, Case4_NeitherFileIsNotFoundNamingBoth) {
  Add("other", "");
  EXPECT_THAT(ReadGraphFile(*Open(), {.max_graph_bytes = kNoLimit}),
              AllOf(StatusIs(StatusCode::kNotFound,
                             AllOf(HasSubstr("saved_model.pb"), HasSubstr("saved_model.pbtxt"))),
                    StatusHasContext(Field(&ErrorContext::file, "m"))));
}

TEST_F(ModelFiles, AChunkedModelAloneIsUnimplemented) {
  Add("saved_model.cpb", "x");
  EXPECT_THAT(ReadGraphFile(*Open(), {.max_graph_bytes = kNoLimit}),
              StatusIs(StatusCode::kUnimplemented, HasSubstr(".cpb")));
  Add("saved_model.pb", Model(1));
  EXPECT_THAT(ReadGraphFile(*Open(), {.max_graph_bytes = kNoLimit}), IsOk());
}

TEST_F(ModelFiles, AnotherKindOfFileIsNamed) {
  Add("saved_model.pb", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
  EXPECT_THAT(ReadGraphFile(*Open(), {.max_graph_bytes = kNoLimit}),
              StatusIs(StatusCode::kDataLoss, HasSubstr("LFS")));
}

TEST_F(ModelFiles, AFileThatCannotBeLookedAtIsNotTakenForAbsent) {
  Add("saved_model.pb", Model(1));
  Add("saved_model.pbtxt", "saved_model_schema_version: 2");
  const Status denied = Error(StatusCode::kPermissionDenied, "no");
  files->FailNamed(Call::kStat, "saved_model.pb", denied);
  files->FailNamed(Call::kOpenFile, "saved_model.pb", denied);
  EXPECT_THAT(ReadGraphFile(*Open(), {.max_graph_bytes = kNoLimit}), StatusIs(StatusCode::kPermissionDenied));
}

TEST_F(ModelFiles, AFileOverTheLimitIsResourceExhaustedUnread) {
  Add("saved_model.pb", std::string(100, '\0'));
  EXPECT_THAT(ReadGraphFile(*Open(), {.max_graph_bytes = 99}),
              AllOf(StatusIs(StatusCode::kResourceExhausted, HasSubstr("99")),
                    StatusHasContext(Field(&ErrorContext::file, "m/saved_model.pb"))));
  EXPECT_EQ(files->bytes_read(), 0u);
  EXPECT_EQ(ReadWholeFile(*Open(), "saved_model.pb", 100)->size(), 100u);
}

TEST_F(ModelFiles, AFailedReadIsTheErrorItIs) {
  Add("saved_model.pb", Model(1));
  files->FailNth(Call::kReadAt, 1, Error(StatusCode::kUnavailable, "disk"));
  EXPECT_THAT(ReadGraphFile(*Open(), {.max_graph_bytes = kNoLimit}), StatusIs(StatusCode::kUnavailable));
}

TEST_F(ModelFiles, Case57_DebugInfoMayBeAbsentButNotBroken) {
  Add("saved_model.pb", Model(1));
  EXPECT_THAT(CheckDebugInfo(*Open(), kNoLimit), IsOk());
  Add("debug/saved_model_debug_info.pb", "");
  EXPECT_THAT(CheckDebugInfo(*Open(), kNoLimit), IsOk());
  Add("debug/saved_model_debug_info.pb", "\x0a\x05x");
  EXPECT_THAT(CheckDebugInfo(*Open(), kNoLimit),
              AllOf(StatusIs(StatusCode::kDataLoss, HasSubstr("debug info")),
                    StatusHasContext(Field(&ErrorContext::file, "m/debug/saved_model_debug_info.pb"))));
}

TEST_F(ModelFiles, Case56_AFingerprintMayBeAbsentOrBroken) {
  Add("saved_model.pb", Model(1));
  EXPECT_THAT(ReadFingerprint(*Open(), kNoLimit), StatusIs(StatusCode::kNotFound));
  Add("fingerprint.pb", "\xff");
  EXPECT_THAT(ReadFingerprint(*Open(), kNoLimit), StatusIs(StatusCode::kDataLoss));
  Add("fingerprint.pb", std::string("\x08\x05", 2));
  EXPECT_EQ(ReadFingerprint(*Open(), kNoLimit)->saved_model_checksum, 5u);
}

TEST(AssetName, IsBelowTheAssetsDirectoryOrUnsafe) {
  for (const std::string name :
       {"a", "a.txt", "a/b", "..a", "a..", "a/...", ".hidden", "a b", "\xff", "a\\b"}) {
    EXPECT_TRUE(IsSafeAssetName(name)) << name;
  }
  for (const std::string name :
       {"", ".", "..", "/", "/a", "a/", "a//b", "./a", "a/.", "../a", "a/..", "a/../b"}) {
    EXPECT_FALSE(IsSafeAssetName(name)) << name;
  }
  EXPECT_FALSE(IsSafeAssetName(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace savedmodel::internal
