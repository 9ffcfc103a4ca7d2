#include "savedmodel/proto/wire_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "savedmodel/proto/internal/parse.h"
#include "savedmodel/proto/internal/serialize.h"
#include "savedmodel/proto/saved_model.pb.h"
#include "savedmodel/tests/proto/support/compare_index.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::CompareIndex;
using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::SizeIs;
using std::string_literals::operator""s;

// Messages up to 127 bytes.
std::string Bytes(char field, const std::string& payload) {
  return static_cast<char>(field << 3 | 2) + std::string(1, static_cast<char>(payload.size())) + payload;
}
std::string Model(const std::string& meta_graph) { return "\x08\x01" + Bytes(2, meta_graph); }
std::string Entry(const std::string& key, const std::string& value) {
  return Bytes(1, key) + Bytes(2, value);
}
std::string Node(const std::string& name, const std::string& op) {
  return Bytes(1, Bytes(1, name) + Bytes(2, op));
}
std::string Function(const std::string& name) { return Bytes(1, Bytes(1, Bytes(1, name))); }
std::string ConcreteFunction(const std::string& name, const std::string& value = "") {
  return Bytes(7, Bytes(2, Entry(name, value)));
}

StatusOr<WireIndex> Build(std::string bytes, const WireIndexLimits& limits = {}) {
  return WireIndex::Build(Buffer::FromString(std::move(bytes)), "m/saved_model.pb", limits);
}

std::vector<std::string> Names(const std::vector<NamedRange>& parts) {
  std::vector<std::string> names;
  for (const NamedRange& part : parts) names.emplace_back(part.name);
  return names;
}

// The index of `bytes` says what a parse says.
void ExpectIndexed(const std::string& bytes) {
  proto::SavedModel model;
  ASSERT_TRUE(model.ParseFromString(bytes));
  SM_ASSERT_OK_AND_ASSIGN(const WireIndex index, Build(bytes));
  EXPECT_EQ(CompareIndex(index, model), "");
}

// ---- what it finds ----

TEST(WireIndex, NoBytesAreAModelWithoutMetaGraphs) {
  SM_ASSERT_OK_AND_ASSIGN(const WireIndex index, Build(""));
  EXPECT_THAT(index.meta_graphs(), SizeIs(0));
  EXPECT_EQ(index.schema_version(), 0);
}

TEST(WireIndex, FindsPartsByNameAndById) {
  const std::string graph = Bytes(2, Node("x", "Add") + Node("b", "Const") + Node("a", "Const") +
                                         Bytes(2, Function("g") + Function("f")) + "\x22\x02\x08\x09");
  const std::string objects = Bytes(7, Bytes(1, Bytes(13, "r")) + Bytes(1, "")) + "";
  const std::string info = Bytes(1, Bytes(4, "serve") + Bytes(4, "gpu"));
  SM_ASSERT_OK_AND_ASSIGN(const WireIndex index, Build(Model(info + graph + objects)));
  EXPECT_EQ(index.schema_version(), 1);
  EXPECT_EQ(index.file(), "m/saved_model.pb");
  ASSERT_THAT(index.meta_graphs(), SizeIs(1));
  const MetaGraphIndex& found = index.meta_graphs()[0];
  EXPECT_THAT(found.tags, ElementsAre("serve", "gpu"));
  EXPECT_THAT(Names(found.constants), ElementsAre("a", "b"));
  EXPECT_THAT(Names(found.library_functions), ElementsAre("f", "g"));
  EXPECT_EQ(found.num_graph_nodes, 3u);
  EXPECT_TRUE(found.has_object_graph());
  ASSERT_THAT(found.object_nodes, SizeIs(2));
  EXPECT_EQ(found.Bytes(found.object_nodes[0]), Bytes(13, "r"));
  EXPECT_EQ(found.Bytes(found.object_nodes[1]), "");
  EXPECT_EQ(found.Bytes(*found.graph_versions), "\x08\x09");
  EXPECT_EQ(found.saver_def, std::nullopt);
  EXPECT_EQ(Find(found.library_functions, "h"), nullptr);
  proto::FunctionDef function;
  ASSERT_THAT(internal::ParseBounded(found.Bytes(Find(found.library_functions, "g")->range), &function, {}),
              IsOk());
  EXPECT_EQ(function.signature().name(), "g");
}

TEST(WireIndex, AbsentAndEmptyDiffer) {
  SM_ASSERT_OK_AND_ASSIGN(const WireIndex without, Build(Model("")));
  EXPECT_FALSE(without.meta_graphs()[0].has_object_graph());
  SM_ASSERT_OK_AND_ASSIGN(const WireIndex with, Build(Model(Bytes(7, ""))));
  EXPECT_TRUE(with.meta_graphs()[0].has_object_graph());
}

TEST(WireIndex, OffsetsAreTheFiles) {
  const std::string bytes = Model(Bytes(7, Bytes(1, "") + Bytes(1, Bytes(13, "here"))));
  SM_ASSERT_OK_AND_ASSIGN(const WireIndex index, Build(bytes));
  const MetaGraphIndex& graph = index.meta_graphs()[0];
  EXPECT_EQ(graph.FileOffset(graph.object_nodes[1]), bytes.find("here") - 2);
  EXPECT_EQ(graph.FileOffset(graph.whole), 4u);
  EXPECT_EQ(graph.whole.size, bytes.size() - 4);
}

TEST(WireIndex, PartsOutliveTheIndexAndShareItsBytes) {
  std::optional<MetaGraphIndex> graph;
  Buffer part;
  {
    auto index =
        std::make_unique<StatusOr<WireIndex>>(Build(Model(Bytes(2, Node("constant name", "Const")))));
    ASSERT_THAT(*index, IsOk());
    graph = (*index)->meta_graphs()[0];
    part = graph->Slice(*graph->graph_def);
    EXPECT_EQ(part.data(), (*index)->bytes().data() + graph->graph_def->offset);
  }
  EXPECT_THAT(Names(graph->constants), ElementsAre("constant name"));
  EXPECT_EQ(part.view(), Node("constant name", "Const"));
}

TEST(WireIndex, RangesOfOthersAreClipped) {
  SM_ASSERT_OK_AND_ASSIGN(const WireIndex index, Build(Model("")));
  const MetaGraphIndex& graph = index.meta_graphs()[0];
  EXPECT_EQ(graph.Bytes({1000, 5}), "");
  EXPECT_EQ(graph.Bytes({3, 1000}), std::string_view("\x00", 1));
  EXPECT_EQ(graph.Slice({1000, 5}).size(), 0u);
}

// ---- encodings that no writer uses and protobuf allows ----

TEST(WireIndex, ConstIsExactAndTheLastOpAndNameCount) {
  const std::string nodes = Bytes(1, Bytes(2, "Const") + Bytes(1, "was") + Bytes(2, "Add")) +
                            Bytes(1, Bytes(2, "Add") + Bytes(2, "Const") + Bytes(1, "x") + Bytes(1, "is")) +
                            Node("no", "Const2") + Node("no", "const") + Bytes(1, Bytes(2, "Const"));
  SM_ASSERT_OK_AND_ASSIGN(const WireIndex index, Build(Model(Bytes(2, nodes))));
  EXPECT_THAT(Names(index.meta_graphs()[0].constants), ElementsAre("", "is"));
  ExpectIndexed(Model(Bytes(2, nodes)));
}

TEST(WireIndex, TheLastEntryOfAMapKeyCounts) {
  const std::string bytes = Model(Bytes(5, Entry("s", Bytes(3, "old"))) + Bytes(5, Entry("a", "")) +
                                  Bytes(5, Entry("s", Bytes(3, "new"))));
  SM_ASSERT_OK_AND_ASSIGN(const WireIndex index, Build(bytes));
  const MetaGraphIndex& graph = index.meta_graphs()[0];
  EXPECT_THAT(Names(graph.signature_defs), ElementsAre("a", "s"));
  EXPECT_EQ(graph.Bytes(Find(graph.signature_defs, "s")->range), Bytes(3, "new"));
  ExpectIndexed(bytes);
}

TEST(WireIndex, EntriesMayLackKeyAndValueAndRepeatKeys) {
  ExpectIndexed(Model(Bytes(7, Bytes(2, ""))));
  ExpectIndexed(Model(Bytes(4, Bytes(1, "k"))));
  ExpectIndexed(Model(Bytes(5, Bytes(2, Bytes(3, "m")))));
  ExpectIndexed(Model(Bytes(5, Bytes(1, "a") + Bytes(2, "") + Bytes(1, "b"))));
}

TEST(WireIndex, EqualNamesOfFunctionsStayInFileOrder) {
  const std::string library =
      Bytes(1, Bytes(1, Bytes(1, "f") + "\x88\x01\x01"s)) + Function("e") + Function("f");
  const std::string bytes = Model(Bytes(2, Bytes(2, library)));
  SM_ASSERT_OK_AND_ASSIGN(const WireIndex index, Build(bytes));
  const auto& functions = index.meta_graphs()[0].library_functions;
  EXPECT_THAT(Names(functions), ElementsAre("e", "f", "f"));
  EXPECT_LT(functions[1].range.offset, functions[2].range.offset);
  EXPECT_EQ(Find(functions, "f"), &functions[1]);
  ExpectIndexed(bytes);
}

TEST(WireIndex, AFunctionWithTwoSignaturesHasTheMergedName) {
  ExpectIndexed(Model(Bytes(2, Bytes(2, Bytes(1, Bytes(1, Bytes(1, "first")) + Bytes(1, "\x90\x01\x01"s))))));
  ExpectIndexed(
      Model(Bytes(2, Bytes(2, Bytes(1, Bytes(1, Bytes(1, "first")) + Bytes(1, Bytes(1, "second")))))));
}

TEST(WireIndex, MessagesInPiecesAreJoined) {
  const std::string pieces[] = {
      Bytes(2, Node("a", "Const")) + Bytes(2, Node("b", "Const")),                 // graph_def
      Bytes(7, Bytes(1, "")) + Bytes(7, Bytes(1, Bytes(13, "r"))),                 // object_graph_def
      Bytes(1, Bytes(4, "serve")) + Bytes(1, Bytes(4, "gpu")),                     // meta_info_def
      Bytes(3, Bytes(1, "f")) + Bytes(3, Bytes(3, "r")),                           // saver_def
      Bytes(2, Bytes(2, Function("f")) + Bytes(2, Function("g"))),                 // library
      Bytes(2, Bytes(4, "\x08\x01") + Bytes(4, "\x10\x02")),                       // versions
      Bytes(5, Bytes(1, "s") + Bytes(2, Bytes(3, "m")) + Bytes(2, Bytes(1, ""))),  // a map's value
      ConcreteFunction("f") + Bytes(7, Bytes(2, Entry("g", "\x12\x01\x01") + Bytes(2, ""))),
  };
  for (const std::string& piece : pieces) {
    const std::string bytes = Model(piece + Bytes(15, "unknown"));
    ExpectIndexed(bytes);
    SM_ASSERT_OK_AND_ASSIGN(const WireIndex index, Build(bytes));
    const MetaGraphIndex& graph = index.meta_graphs()[0];
    EXPECT_FALSE(graph.offsets_are_file);
    EXPECT_EQ(graph.FileOffset(graph.whole), std::nullopt);
    EXPECT_THAT(std::string(graph.Bytes(graph.whole)), HasSubstr("unknown"));
    EXPECT_EQ(index.bytes().view(), bytes);
  }
}

TEST(WireIndex, OneJoinedMetaGraphLeavesTheOthersInTheFile) {
  const std::string split = Bytes(3, "") + Bytes(3, "");
  SM_ASSERT_OK_AND_ASSIGN(const WireIndex index, Build(Model(Bytes(3, "")) + Bytes(2, split) + Bytes(2, "")));
  ASSERT_THAT(index.meta_graphs(), SizeIs(3));
  EXPECT_TRUE(index.meta_graphs()[0].offsets_are_file);
  EXPECT_FALSE(index.meta_graphs()[1].offsets_are_file);
  EXPECT_TRUE(index.meta_graphs()[2].offsets_are_file);
}

TEST(WireIndex, AJoinThatDoesNotParseIsDataLossWithItsPlace) {
  const std::string bytes = Model(Bytes(3, "\x0a\x05") + Bytes(3, ""));
  EXPECT_THAT(Build(bytes), StatusIs(StatusCode::kDataLoss, HasSubstr("SaverDef.filename_tensor_name")));
  EXPECT_THAT(Build(bytes), StatusHasContext(Field(&ErrorContext::offset, Optional(7u))));
}

// ---- what it refuses ----

TEST(WireIndex, SaysWhereTheEncodingBreaks) {
  const auto broken = Build(Model(Bytes(2, "\x0a\x7f")));
  EXPECT_THAT(broken,
              StatusIs(StatusCode::kDataLoss, AllOf(HasSubstr("past the end"), HasSubstr("GraphDef"))));
  EXPECT_THAT(broken, StatusHasContext(AllOf(Field(&ErrorContext::file, "m/saved_model.pb"),
                                             Field(&ErrorContext::offset, Optional(7u)))));
}

TEST(WireIndex, NamesAreUtf8) {
  for (const std::string& part :
       {Bytes(1, Bytes(4, "\xff")), Bytes(4, Entry("\xff", "")), Bytes(5, Entry("\xff", "")),
        Bytes(5, Bytes(1, "\xff") + Bytes(1, "ok")), Bytes(2, Node("\xff", "Const")),
        Bytes(2, Bytes(2, Function("\xff"))), ConcreteFunction("\xff")})
    EXPECT_THAT(Build(Model(part)), StatusIs(StatusCode::kDataLoss, HasSubstr("not UTF-8"))) << part;
}

TEST(WireIndex, LeavesPartsToTheirOwnParse) {
  SM_ASSERT_OK_AND_ASSIGN(const WireIndex index, Build(Model(Bytes(7, Bytes(1, "\x0a\x7f")))));
  const MetaGraphIndex& graph = index.meta_graphs()[0];
  proto::SavedObject object;
  const Status status =
      internal::ParseBounded(graph.Bytes(graph.object_nodes[0]), &object,
                             {.file = index.file(), .base_offset = graph.FileOffset(graph.object_nodes[0])});
  EXPECT_THAT(status, StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(status, StatusHasContext(Field(&ErrorContext::offset, Optional(9u))));
}

TEST(WireIndex, NamesOtherKindsOfFiles) {
  proto::GraphDef frozen;
  frozen.add_node()->set_op("Const");
  frozen.mutable_versions()->set_producer(5);
  proto::MetaGraphDef graph;
  graph.mutable_meta_info_def()->add_tags("serve");
  *graph.mutable_graph_def() = frozen;
  graph.mutable_saver_def()->set_restore_op_name("r");
  EXPECT_THAT(Build(*internal::SerializeParsed(frozen)),
              StatusIs(StatusCode::kDataLoss, HasSubstr("frozen GraphDef")));
  EXPECT_THAT(Build(*internal::SerializeParsed(graph)),
              StatusIs(StatusCode::kDataLoss, HasSubstr("MetaGraphDef")));
  EXPECT_THAT(Build("version https://git-lfs.github.com/spec/v1\noid sha256:12\n"),
              StatusIs(StatusCode::kDataLoss, HasSubstr("Git-LFS")));
  EXPECT_THAT(Build("PK\x03\x04 and so on"), StatusIs(StatusCode::kDataLoss, HasSubstr("zip")));
}

TEST(WireIndex, EveryLimitIsResourceExhaustedFromOneAboveIt) {
  const struct {
    WireIndexLimits exact, below;
    std::string bytes;
  } cases[] = {
      {{.max_bytes = 4}, {.max_bytes = 3}, Model("")},
      {{.max_meta_graphs = 2}, {.max_meta_graphs = 1}, Model("") + Bytes(2, "")},
      {{.max_object_nodes = 2}, {.max_object_nodes = 1}, Model(Bytes(7, Bytes(1, "") + Bytes(1, "")))},
      {{.max_named_parts = 5},
       {.max_named_parts = 4},
       Model(Bytes(4, Entry("c", "")) + Bytes(5, Entry("s", "")) + ConcreteFunction("f") +
             Bytes(2, Node("c", "Const") + Bytes(2, Function("f"))))},
      {{.max_other_parts = 4},
       {.max_other_parts = 3},
       Model(Bytes(1, Bytes(4, "t")) + Bytes(6, "") + Bytes(2, Bytes(2, Bytes(2, "") + Bytes(3, ""))))},
      {{.max_name_bytes = 3}, {.max_name_bytes = 2}, Model(Bytes(1, Bytes(4, "abc")))},
      {{.max_depth = 5}, {.max_depth = 4}, Model(Bytes(2, Bytes(2, Function("f"))))},
      {{.max_depth = 3}, {.max_depth = 2}, Model("\x4b\x4b\x4c\x4c")},
  };
  for (const auto& one : cases) {
    EXPECT_THAT(Build(one.bytes, one.exact), IsOk());
    EXPECT_THAT(Build(one.bytes, one.below), StatusIs(StatusCode::kResourceExhausted));
  }
}

TEST(WireIndex, PartsOfAllMetaGraphsCountTogetherAndOfJoinedOnesOnce) {
  const std::string nodes = Bytes(7, Bytes(1, "") + Bytes(1, ""));
  const std::string split = Bytes(7, Bytes(1, "")) + Bytes(7, Bytes(1, ""));
  const std::string bytes = Model(split) + Bytes(2, nodes);
  EXPECT_THAT(Build(bytes, {.max_object_nodes = 4}), IsOk());
  EXPECT_THAT(Build(bytes, {.max_object_nodes = 3}), StatusIs(StatusCode::kResourceExhausted));
}

// ---- text ----

TEST(WireIndex, TextGivesTheSameIndex) {
  SM_ASSERT_OK_AND_ASSIGN(const WireIndex index, WireIndex::BuildFromText(R"(
      saved_model_schema_version: 1
      meta_graphs { meta_info_def { tags: "serve" } graph_def { node { name: "c" op: "Const" } }
        object_graph_def { nodes {} } })",
                                                                          "m/saved_model.pbtxt"));
  const MetaGraphIndex& graph = index.meta_graphs()[0];
  EXPECT_EQ(index.schema_version(), 1);
  EXPECT_THAT(graph.tags, ElementsAre("serve"));
  EXPECT_THAT(Names(graph.constants), ElementsAre("c"));
  EXPECT_THAT(graph.object_nodes, SizeIs(1));
  EXPECT_EQ(graph.FileOffset(graph.whole), std::nullopt);
  proto::SavedModel model;
  ASSERT_TRUE(model.ParseFromString(std::string(index.bytes().view())));
  EXPECT_EQ(CompareIndex(index, model), "");
}

TEST(WireIndex, BrokenTextIsDataLossWithItsLine) {
  EXPECT_THAT(WireIndex::BuildFromText("meta_graphs {\n nope: 1 }", "m/saved_model.pbtxt"),
              StatusIs(StatusCode::kDataLoss, AllOf(HasSubstr("line 2"), HasSubstr("nope"))));
  EXPECT_THAT(WireIndex::BuildFromText("meta_graphs {} meta_graphs {}", "t", {.max_meta_graphs = 1}),
              StatusIs(StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace savedmodel
