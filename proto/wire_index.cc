#include "savedmodel/proto/wire_index.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/arena.h"
#include "savedmodel/base/internal/absl_compat.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/recognize.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/proto/internal/meta_graph_skim.h"
#include "savedmodel/proto/internal/parse.h"
#include "savedmodel/proto/internal/serialize.h"
#include "savedmodel/proto/internal/text_format.h"
#include "savedmodel/proto/internal/wire_cursor.h"
#include "savedmodel/proto/saved_model.pb.h"

namespace savedmodel {
namespace {

using google::protobuf::Arena;
using internal::Error;
using internal::SkimResult;
using internal::WireCursor;
using internal::WireFault;
using internal::WireField;
using internal::WireType;

constexpr size_t kHeadBytes = 512;  // enough for RecognizeFile

// The file an index is made of, for messages.
struct Origin {
  std::string_view file;
  std::string_view head;  // its first bytes; empty when it is text
  bool is_binary = true;  // offsets in the bytes are offsets in the file

  Error Fail(StatusCode code, std::string what, uint64_t offset) const {
    Error error(code, std::move(what));
    error.File(file);
    if (is_binary) error.Offset(offset);
    const auto looks = internal::RecognizeFile(std::as_bytes(std::span(head)));
    if (code == StatusCode::kDataLoss && !head.empty() && !looks.empty())
      error.Hint(absl::StrCat("the file looks like ", internal::ToAbsl(looks)));
    return error;
  }
  Error Fault(WireFault fault, std::string_view place, uint64_t offset) const {
    return Fail(StatusCode::kDataLoss,
                absl::StrCat("not an encoded SavedModel: ", internal::ToAbsl(DescribeFault(fault)), ", in ",
                             internal::ToAbsl(place)),
                offset);
  }
  Error Limit(std::string_view what, uint64_t offset) const {
    return Fail(StatusCode::kResourceExhausted,
                absl::StrCat("SavedModel over a limit: ", internal::ToAbsl(what)), offset);
  }
};

struct TopLevel {
  int64_t schema_version = 0;
  bool has_schema_version = false;
  std::vector<ByteRange> meta_graphs;
  uint32_t seen_as_bytes = 0;  // bit n: field n was there as bytes
};

// Top-level fields of the messages that people take for a SavedModel; in a SavedModel field 1 is a number.
constexpr uint32_t Bit(uint32_t field) { return field < 32 ? 1u << field : 0; }
constexpr uint32_t kOnlyMetaGraphHas =
    Bit(proto::MetaGraphDef::kSaverDefFieldNumber) | Bit(proto::MetaGraphDef::kSignatureDefFieldNumber) |
    Bit(proto::MetaGraphDef::kAssetFileDefFieldNumber) | Bit(proto::MetaGraphDef::kObjectGraphDefFieldNumber);

Status CheckKind(const TopLevel& top, const Origin& origin) {
  const bool first_is_bytes =
      (top.seen_as_bytes & Bit(proto::SavedModel::kSavedModelSchemaVersionFieldNumber)) != 0;
  if (top.has_schema_version || !first_is_bytes) return OkStatus();
  const bool meta_graph = (top.seen_as_bytes & kOnlyMetaGraphHas) != 0;
  return origin.Fail(StatusCode::kDataLoss, "not a SavedModel", 0)
      .Expected("a SavedModel with its schema version")
      .Found(meta_graph ? "what looks like a MetaGraphDef" : "what looks like a frozen GraphDef");
}

StatusOr<TopLevel> ReadTopLevel(std::string_view bytes, const Origin& origin, const WireIndexLimits& limits) {
  TopLevel top;
  WireCursor cursor(bytes, {0, static_cast<uint32_t>(bytes.size())}, limits.max_depth);
  for (WireField field; cursor.Next(&field);) {
    if (field.type == WireType::kBytes) top.seen_as_bytes |= Bit(field.number);
    if (field.number == proto::SavedModel::kSavedModelSchemaVersionFieldNumber &&
        field.type == WireType::kVarint) {
      top.schema_version = static_cast<int64_t>(field.varint);
      top.has_schema_version = true;
    }
    if (!field.is_bytes(proto::SavedModel::kMetaGraphsFieldNumber)) continue;
    if (top.meta_graphs.size() >= limits.max_meta_graphs)
      return origin.Limit(absl::StrCat("MetaGraphs above ", limits.max_meta_graphs), field.payload.offset);
    top.meta_graphs.push_back(field.payload);
  }
  if (cursor.fault() == WireFault::kDepth) return origin.Limit("nesting", cursor.offset());
  if (cursor.fault() != WireFault::kNone) return origin.Fault(cursor.fault(), "SavedModel", cursor.offset());
  SAVEDMODEL_RETURN_IF_ERROR(CheckKind(top, origin));
  return top;
}

// The MetaGraph `graph` refers to, parsed and encoded anew: every message in one piece.
StatusOr<MetaGraphIndex> Joined(const MetaGraphIndex& graph, const Origin& origin,
                                const WireIndexLimits& limits) {
  Arena arena;
  auto* message = Arena::CreateMessage<proto::MetaGraphDef>(&arena);
  internal::ParseLimits parse_limits;
  parse_limits.max_depth = std::max(0, limits.max_depth - 1);
  SAVEDMODEL_RETURN_IF_ERROR(internal::ParseBounded(graph.Bytes(graph.whole), message,
                                                    {origin.file, graph.FileOffset(graph.whole), "MetaGraph"},
                                                    parse_limits));
  SAVEDMODEL_ASSIGN_OR_RETURN(std::string bytes, internal::SerializeParsed(*message));
  MetaGraphIndex joined;
  joined.whole = {0, static_cast<uint32_t>(bytes.size())};
  joined.buffer = Buffer::FromString(std::move(bytes));
  joined.offsets_are_file = false;
  return joined;
}

Status ToStatus(const SkimResult& result, const Origin& origin) {
  switch (result.kind) {
    case SkimResult::Kind::kDone:
      return OkStatus();
    case SkimResult::Kind::kFault:
      return origin.Fault(result.fault, result.place, result.offset);
    case SkimResult::Kind::kLimit:
      return origin.Limit(result.limit, result.offset);
    case SkimResult::Kind::kNeedsJoin:
      break;
  }
  return Error(StatusCode::kInternal, "a joined MetaGraph still comes in pieces");
}

StatusOr<MetaGraphIndex> IndexMetaGraph(const Buffer& bytes, ByteRange range, const Origin& origin,
                                        const WireIndexLimits& limits, internal::SkimCounts* counts) {
  const internal::SkimCounts before = *counts;
  MetaGraphIndex graph;
  graph.buffer = bytes;
  graph.offsets_are_file = origin.is_binary;
  graph.whole = range;
  SkimResult result = SkimMetaGraph(limits, counts, &graph);
  if (result.kind == SkimResult::Kind::kNeedsJoin) {
    SAVEDMODEL_ASSIGN_OR_RETURN(graph, Joined(graph, origin, limits));
    *counts = before;
    result = SkimMetaGraph(limits, counts, &graph);
    return result.kind == SkimResult::Kind::kDone
               ? StatusOr<MetaGraphIndex>(std::move(graph))
               : ToStatus(result, {.file = origin.file, .head = {}, .is_binary = false});
  }
  SAVEDMODEL_RETURN_IF_ERROR(ToStatus(result, origin));
  return graph;
}

}  // namespace

std::string_view MetaGraphIndex::Bytes(ByteRange range) const& {
  const std::string_view all = buffer.view();
  return range.offset > all.size() ? std::string_view() : all.substr(range.offset, range.size);
}

Buffer MetaGraphIndex::Slice(ByteRange range) const { return buffer.Slice(range.offset, range.size); }

std::optional<uint64_t> MetaGraphIndex::FileOffset(ByteRange range) const {
  return offsets_are_file ? std::optional<uint64_t>(range.offset) : std::nullopt;
}

const NamedRange* Find(std::span<const NamedRange> sorted, std::string_view name) {
  const auto it =
      std::lower_bound(sorted.begin(), sorted.end(), name,
                       [](const NamedRange& part, std::string_view wanted) { return part.name < wanted; });
  return it != sorted.end() && it->name == name ? &*it : nullptr;
}

// What Build and BuildFromText share.
class WireIndexBuilder {
 public:
  static StatusOr<WireIndex> Build(Buffer bytes, const Origin& origin, const WireIndexLimits& limits) {
    const uint64_t max_bytes = std::min(limits.max_bytes, internal::kMaxWireBytes);
    if (bytes.size() > max_bytes) return origin.Limit(absl::StrCat("bytes above ", max_bytes), 0);
    SAVEDMODEL_ASSIGN_OR_RETURN(const TopLevel top, ReadTopLevel(bytes.view(), origin, limits));
    WireIndex index;
    index.file_ = origin.file;
    index.bytes_ = std::move(bytes);
    index.schema_version_ = top.schema_version;
    internal::SkimCounts counts;
    for (ByteRange range : top.meta_graphs) {
      SAVEDMODEL_ASSIGN_OR_RETURN(auto graph, IndexMetaGraph(index.bytes_, range, origin, limits, &counts));
      index.meta_graphs_.push_back(std::move(graph));
    }
    return index;
  }
};

StatusOr<WireIndex> WireIndex::Build(Buffer bytes, std::string_view file, const WireIndexLimits& limits) {
  const Buffer head = bytes.Slice(0, kHeadBytes);
  return WireIndexBuilder::Build(std::move(bytes), {.file = file, .head = head.view()}, limits);
}

StatusOr<WireIndex> WireIndex::BuildFromText(std::string_view text, std::string_view file,
                                             const WireIndexLimits& limits) {
  Arena arena;
  auto* model = Arena::CreateMessage<proto::SavedModel>(&arena);
  internal::ParseLimits parse_limits;
  parse_limits.max_bytes = limits.max_bytes;
  parse_limits.max_depth = limits.max_depth;
  SAVEDMODEL_RETURN_IF_ERROR(
      internal::ParseText(text, model, {.file = file, .what = "SavedModel"}, parse_limits));
  SAVEDMODEL_ASSIGN_OR_RETURN(std::string bytes, internal::SerializeParsed(*model));
  return WireIndexBuilder::Build(Buffer::FromString(std::move(bytes)),
                                 {.file = file, .head = {}, .is_binary = false}, limits);
}

}  // namespace savedmodel
