#include "savedmodel/tests/proto/support/compare_index.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "savedmodel/base/error_context.h"
#include "savedmodel/proto/internal/parse.h"
#include "savedmodel/proto/internal/serialize.h"
#include "savedmodel/proto/internal/wire_cursor.h"

namespace savedmodel::testing {
namespace {

using google::protobuf::Message;
using internal::ParseBounded;
using internal::ParseLimits;
using internal::SerializeParsed;

constexpr int kMetaGraphLevel = 1;  // messages around a MetaGraphDef, plus one

// Limits under which only the encoding decides; `level` messages lie around what is parsed.
ParseLimits EncodingOnly(int level) {
  ParseLimits limits;
  limits.max_depth -= level;
  limits.max_memory_floor = uint64_t{1} << 40;
  return limits;
}

std::string Encoded(const Message& message) { return *SerializeParsed(message); }

// The part `bytes` parsed as the type of `like` and encoded in the one way.
std::string Canonical(std::string_view bytes, const Message& like) {
  std::unique_ptr<Message> message(like.New());
  const Status status = ParseBounded(bytes, message.get(), {}, EncodingOnly(0));
  return status.ok() ? Encoded(*message) : "does not parse: " + status.ToString();
}

class Comparison {
 public:
  Comparison(const MetaGraphIndex& index, const proto::MetaGraphDef& model) : index_(index), model_(model) {}

  std::string Run() {
    Part("MetaGraphDef", index_.whole, true, model_);
    Part("meta_info_def", index_.meta_info_def, model_.has_meta_info_def(), model_.meta_info_def());
    Part("graph_def", index_.graph_def, model_.has_graph_def(), model_.graph_def());
    Part("saver_def", index_.saver_def, model_.has_saver_def(), model_.saver_def());
    Part("object_graph_def", index_.object_graph_def, model_.has_object_graph_def(),
         model_.object_graph_def());
    Part("versions", index_.graph_versions, model_.graph_def().has_versions(), model_.graph_def().versions());
    const auto& tags = model_.meta_info_def().tags();
    Check("tags", std::equal(tags.begin(), tags.end(), index_.tags.begin(), index_.tags.end()));
    CompareMap("signature_def", index_.signature_defs, model_.signature_def());
    CompareMap("collection_def", index_.collection_defs, model_.collection_def());
    CompareMap("concrete_functions", index_.concrete_functions,
               model_.object_graph_def().concrete_functions());
    CompareList("asset_file_def", index_.asset_file_defs, model_.asset_file_def());
    CompareList("nodes", index_.object_nodes, model_.object_graph_def().nodes());
    const auto& library = model_.graph_def().library();
    CompareList("gradient", index_.gradients, library.gradient());
    CompareList("registered_gradients", index_.registered_gradients, library.registered_gradients());
    Named("function", index_.library_functions, library.function(),
          [](const proto::FunctionDef& f) { return std::optional(f.signature().name()); });
    Named("Const node", index_.constants, model_.graph_def().node(),
          [](const proto::NodeDef& n) { return n.op() == "Const" ? std::optional(n.name()) : std::nullopt; });
    Check("num_graph_nodes", index_.num_graph_nodes == static_cast<uint64_t>(model_.graph_def().node_size()));
    return difference_;
  }

 private:
  void Check(const std::string& what, bool same) {
    if (!same && difference_.empty()) difference_ = what;
  }
  void Same(const std::string& what, ByteRange range, const Message& message) {
    Check(what, Canonical(index_.Bytes(range), message) == Encoded(message));
  }
  void Part(const std::string& what, std::optional<ByteRange> range, bool present, const Message& message) {
    Check("presence of " + what, range.has_value() == present);
    if (range && present) Same(what, *range, message);
  }
  template <class List>
  void CompareList(const std::string& what, const std::vector<ByteRange>& ranges, const List& messages) {
    Check("number of " + what, ranges.size() == static_cast<size_t>(messages.size()));
    for (size_t i = 0; i < ranges.size() && difference_.empty(); ++i)
      Same(what + " " + std::to_string(i), ranges[i], messages.Get(static_cast<int>(i)));
  }
  template <class Map>
  void CompareMap(const std::string& what, const std::vector<NamedRange>& parts, const Map& map) {
    Check("number of " + what, parts.size() == map.size());
    const std::map<std::string, typename Map::mapped_type> sorted(map.begin(), map.end());
    auto part = parts.begin();
    for (const auto& [name, message] : sorted) {
      if (!difference_.empty()) return;
      Check(what + " name " + name, part->name == name && Find(parts, name) == &*part);
      Same(what + " " + name, (part++)->range, message);
    }
  }
  template <class List, class NameOf>
  void Named(const std::string& what, const std::vector<NamedRange>& parts, const List& messages,
             NameOf name_of) {
    std::multimap<std::string, const Message*> sorted;  // keeps the order of equal names
    for (const auto& message : messages)
      if (const auto name = name_of(message)) sorted.emplace(*name, &message);
    Check("number of " + what, parts.size() == sorted.size());
    auto part = parts.begin();
    for (const auto& [name, message] : sorted) {
      if (!difference_.empty()) return;
      Check(what + " name " + name, part->name == name && Find(parts, name)->name == name);
      Same(what + " " + name, (part++)->range, *message);
    }
  }

  const MetaGraphIndex& index_;
  const proto::MetaGraphDef& model_;
  std::string difference_;
};

template <class M>
bool Parses(const MetaGraphIndex& graph, ByteRange range, int level) {
  M message;
  return ParseBounded(graph.Bytes(range), &message, {}, EncodingOnly(level)).ok();
}
template <class M>
bool Parses(const MetaGraphIndex& graph, const std::optional<ByteRange>& range, int level) {
  return !range || Parses<M>(graph, *range, level);
}

bool PartsParse(const MetaGraphIndex& graph) {
  bool ok = Parses<proto::MetaGraphDef::MetaInfoDef>(graph, graph.meta_info_def, kMetaGraphLevel + 1) &&
            Parses<proto::GraphDef>(graph, graph.graph_def, kMetaGraphLevel + 1) &&
            Parses<proto::SaverDef>(graph, graph.saver_def, kMetaGraphLevel + 1) &&
            Parses<proto::SavedObjectGraph>(graph, graph.object_graph_def, kMetaGraphLevel + 1);
  for (const NamedRange& part : graph.collection_defs)
    ok = ok && Parses<proto::CollectionDef>(graph, part.range, kMetaGraphLevel + 2);
  for (const NamedRange& part : graph.signature_defs)
    ok = ok && Parses<proto::SignatureDef>(graph, part.range, kMetaGraphLevel + 2);
  for (ByteRange range : graph.asset_file_defs)
    ok = ok && Parses<proto::AssetFileDef>(graph, range, kMetaGraphLevel + 1);
  return ok;
}

bool HasReplacedEntries(const MetaGraphIndex& graph) {
  size_t entries = 0;
  internal::WireCursor cursor(graph.buffer.view(), graph.whole, internal::kMaxWireDepth);
  for (internal::WireField field; cursor.Next(&field);)
    entries += field.is_bytes(proto::MetaGraphDef::kCollectionDefFieldNumber) ||
               field.is_bytes(proto::MetaGraphDef::kSignatureDefFieldNumber);
  return entries != graph.collection_defs.size() + graph.signature_defs.size();
}

std::string CheckLaxness(const WireIndex& index, const Status& parse) {
  bool parts_parse = true;
  for (const MetaGraphIndex& graph : index.meta_graphs()) {
    if (HasReplacedEntries(graph)) return "";
    parts_parse = parts_parse && PartsParse(graph);
  }
  return parts_parse ? "index and all parts are fine, the parse is not: " + parse.ToString() : "";
}

bool IsAnotherKind(const Status& status) {
  return std::string(savedmodel::Message(status)).find("not a SavedModel") != std::string::npos;
}

}  // namespace

std::string CompareIndex(const WireIndex& index, const proto::SavedModel& model) {
  if (index.schema_version() != model.saved_model_schema_version()) return "schema version";
  const auto graphs = index.meta_graphs();
  if (graphs.size() != static_cast<size_t>(model.meta_graphs_size())) return "number of MetaGraphs";
  for (size_t i = 0; i < graphs.size(); ++i) {
    const std::string difference = Comparison(graphs[i], model.meta_graphs(static_cast<int>(i))).Run();
    if (!difference.empty()) return "MetaGraph " + std::to_string(i) + ": " + difference;
  }
  return "";
}

std::string CheckAgreement(std::string_view bytes) {
  const StatusOr<WireIndex> index = WireIndex::Build(Buffer::FromString(std::string(bytes)), "model");
  proto::SavedModel model;
  const Status parse = ParseBounded(bytes, &model, {}, EncodingOnly(0));
  if (index.ok() && parse.ok()) return CompareIndex(*index, model);
  if (index.ok()) return CheckLaxness(*index, parse);
  if (index.status().code() == StatusCode::kResourceExhausted || IsAnotherKind(index.status())) return "";
  return parse.ok() ? "the parse is fine, the index is not: " + index.status().ToString() : "";
}

}  // namespace savedmodel::testing
