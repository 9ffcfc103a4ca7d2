#include "savedmodel/tools/model_argument.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/proto/saved_model.pb.h"
#include "savedmodel/tests/support/status_matchers.h"
#include "savedmodel/tests/support/temp_dir.h"

namespace savedmodel::tools {
namespace {

using savedmodel::testing::StatusIs;
using savedmodel::testing::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto kSavedModel = ModelArgument::Kind::kSavedModel;
constexpr auto kCheckpoint = ModelArgument::Kind::kCheckpoint;

void ExpectModel(const std::string& argument, ModelArgument::Kind kind, const std::string& path) {
  const StatusOr<ModelArgument> model = ResolveModel(argument);
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_EQ(model->kind, kind) << argument;
  EXPECT_EQ(model->path, path) << argument;
}

TEST(ModelArgument, SavedModels) {
  const TempDir temp;
  for (const char* name : {"a/saved_model.pb", "b/saved_model.pbtxt", "c/saved_model.cpb"}) {
    const std::string file = temp.WriteFile(name, "");
    const std::string directory = temp.Path(std::string(1, name[0]));
    ExpectModel(directory, kSavedModel, directory);
    ExpectModel(directory + "/", kSavedModel, directory + "/");
  }
  ExpectModel(temp.Path("a/saved_model.pb"), kSavedModel, temp.Path("a"));
  ExpectModel(temp.Path("b/saved_model.pbtxt"), kSavedModel, temp.Path("b"));
  temp.WriteFile("a/saved_model.pbtxt", "saved_model_schema_version: 1\n");  // is not what would be read
  EXPECT_THAT(ResolveModel(temp.Path("a/saved_model.pbtxt")), StatusIs(StatusCode::kDataLoss));
}

TEST(ModelArgument, B14_EveryFileOfACheckpointLeadsToIt) {
  const TempDir temp;
  for (const char* name : {"ckpt-1.index", "ckpt-1.data-00000-of-00002", "ckpt-1.data-00001-of-00002"}) {
    temp.WriteFile(name, "");
  }
  const std::string prefix = temp.Path("ckpt-1");
  for (const char* suffix : {"", ".index", ".data-00000-of-00002", ".data-00001-of-00002"}) {
    ExpectModel(prefix + suffix, kCheckpoint, prefix);
  }
}

TEST(ModelArgument, StateFilesLeadToTheNewestCheckpoint) {
  const TempDir temp;
  const std::string text = "model_checkpoint_path: \"ckpt-2\"\n";
  temp.WriteFile("checkpoint", text);
  temp.WriteFile("other_state", text);
  ExpectModel(temp.path(), kCheckpoint, temp.Path("ckpt-2"));
  ExpectModel(temp.path() + "/", kCheckpoint, temp.path() + "/ckpt-2");
  ExpectModel(temp.Path("checkpoint"), kCheckpoint, temp.Path("ckpt-2"));
  ExpectModel(temp.Path("other_state"), kCheckpoint, temp.Path("ckpt-2"));
}

TEST(ModelArgument, B82_ABrokenStateFileIsNotAnEmptyDirectory) {
  const TempDir temp;
  temp.WriteFile("checkpoint", "?!");
  EXPECT_THAT(ResolveModel(temp.path()), StatusIs(StatusCode::kDataLoss, HasSubstr("checkpoint")));
}

TEST(ModelArgument, B77_PathsAreLiteral) {
  const TempDir temp;
  for (const char* name : {"_[200]", "a*", "{x}", "~", "%41", "a b", "a\nb", "-x", "dot.", "\xff\xfe", "#"}) {
    const std::string file = temp.WriteFile(std::string(name) + ".index", "");
    ExpectModel(temp.Path(name), kCheckpoint, temp.Path(name));
  }
  EXPECT_THAT(ResolveModel(temp.Path("_[20]")), StatusIs(StatusCode::kNotFound));
}

TEST(ModelArgument, APrefixMayEndInASlash) {
  const TempDir temp;
  temp.WriteFile("dir/.index", "");
  temp.WriteFile("dir/.data-00000-of-00001", "");
  for (const char* name : {"dir/", "dir/.index", "dir/.data-00000-of-00001"}) {
    ExpectModel(temp.Path(name), kCheckpoint, temp.Path("dir/"));
  }
  EXPECT_THAT(ResolveModel(temp.Path("dir")), StatusIs(StatusCode::kNotFound, HasSubstr("dir/\"")));
}

TEST(ModelArgument, AnIndexBesideADirectoryOfItsNameIsMeant) {
  const TempDir temp;
  temp.WriteFile("m.index", "");
  temp.MakeDirectory("m");
  ExpectModel(temp.Path("m"), kCheckpoint, temp.Path("m"));
  temp.WriteFile("m/saved_model.pb", "");
  ExpectModel(temp.Path("m"), kSavedModel, temp.Path("m"));
}

TEST(ModelArgument, OtherFilesAreNamed) {
  const TempDir temp;
  proto::GraphDef graph;
  graph.add_node()->set_name("x");
  graph.mutable_versions()->set_producer(1);
  proto::MetaGraphDef meta_graph;
  *meta_graph.mutable_graph_def() = graph;
  meta_graph.mutable_meta_info_def()->add_tags("serve");
  meta_graph.mutable_saver_def()->set_max_to_keep(1);
  proto::SavedModel model;
  model.set_saved_model_schema_version(1);
  *model.add_meta_graphs() = meta_graph;
  const struct {
    const char* name;
    std::string content;
    const char* looks;
  } cases[] = {
      {"lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "a Git-LFS pointer"},
      {"model.h5", std::string("\x89HDF\r\n\x1a\n\0\0\0\0", 12), "an HDF5 file"},
      {"model.keras", std::string("PK\x03\x04\0\0", 6), "a zip archive"},
      {"notes.txt", "hello\n", "text"},
      {"empty", "", "an empty file"},
      {"frozen.pb", graph.SerializeAsString(), "a frozen GraphDef"},
      {"graph.meta", meta_graph.SerializeAsString(), "a MetaGraphDef"},
      {"renamed.pb", model.SerializeAsString(), "the message of a SavedModel"},
      {"noise", "\x01\x02\xff\xfe", "unknown kind"},
  };
  for (const auto& c : cases) {
    const std::string path = temp.WriteFile(c.name, c.content);
    EXPECT_THAT(ResolveModel(path),
                StatusIs(StatusCode::kDataLoss, AllOf(HasSubstr(c.looks), HasSubstr(c.name))));
  }
}

TEST(ModelArgument, NothingIsToldWithWhatIsClose) {
  const TempDir temp;
  temp.WriteFile("model-1000.index", "");
  temp.WriteFile("model-1000.data-00000-of-00001", "");
  EXPECT_THAT(ResolveModel(temp.Path("model-100")),
              StatusIs(StatusCode::kNotFound,
                       AllOf(HasSubstr("model-100"), HasSubstr("did you mean \"model-1000\""))));
  EXPECT_THAT(ResolveModel(temp.Path("no/such/folder")), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(ResolveModel(temp.path()),
              StatusIs(StatusCode::kNotFound, AllOf(HasSubstr("no SavedModel"), HasSubstr("model-1000"))));
}

TEST(ModelArgument, ADirectoryOneTooHighLeadsToTheModelsInIt) {
  const TempDir temp;
  temp.WriteFile("models/1/saved_model.pb", "");
  temp.WriteFile("models/2/saved_model.pb", "");
  temp.WriteFile("models/notes/x", "");
  EXPECT_THAT(ResolveModel(temp.Path("models")),
              StatusIs(StatusCode::kNotFound, AllOf(HasSubstr("pass one of the SavedModels in it"),
                                                    HasSubstr("models/1"), HasSubstr("models/2"))));
}

TEST(ModelArgument, WhyAFileCannotBeSeenIsNotTakenForItsAbsence) {
  const TempDir temp;
  const auto fails = [&](const char* name, StatusCode code, const char* file) {
    EXPECT_THAT(ResolveModel(temp.Path(name)), StatusIs(code, HasSubstr(file))) << name;
  };
  for (const char* name : {"loop", "gone", "state_loop", "state_gone"}) temp.MakeDirectory(name);
  temp.MakeLink("saved_model.pb", "loop/saved_model.pb");
  temp.MakeLink("nowhere", "gone/saved_model.pb");
  temp.MakeLink("checkpoint", "state_loop/checkpoint");
  temp.MakeLink("nowhere", "state_gone/checkpoint");
  temp.MakeLink("ckpt.index", "ckpt.index");
  fails("loop", StatusCode::kInvalidArgument, "loop/saved_model.pb");
  EXPECT_THAT(ResolveModel(temp.Path("gone")), StatusIs(StatusCode::kNotFound, HasSubstr("symbolic link")));
  fails("gone", StatusCode::kNotFound, "gone/saved_model.pb");
  fails("state_loop", StatusCode::kInvalidArgument, "state_loop/checkpoint");
  fails("state_gone", StatusCode::kNotFound, "state_gone/checkpoint");
  fails("ckpt", StatusCode::kInvalidArgument, "ckpt.index");
}

TEST(ModelArgument, WhatIsNoPathIsRefused) {
  const TempDir temp;
  EXPECT_THAT(ResolveModel(""), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(ResolveModel("s3://bucket/model"), StatusIs(StatusCode::kUnimplemented, HasSubstr("s3")));
  ASSERT_EQ(mkfifo(temp.Path("fifo").c_str(), 0600), 0);
  const Status status = ResolveModel(temp.Path("fifo")).status();
  EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument, HasSubstr("FIFO")));
  EXPECT_TRUE(internal::IsWrongKindOfFile(status));
  temp.MakeLink("loop", "loop");
  EXPECT_THAT(ResolveModel(temp.Path("loop")), StatusIs(StatusCode::kInvalidArgument));
  temp.MakeLink("nowhere", "dangling");
  EXPECT_THAT(ResolveModel(temp.Path("dangling")), StatusIs(StatusCode::kNotFound));
}

}  // namespace
}  // namespace savedmodel::tools
