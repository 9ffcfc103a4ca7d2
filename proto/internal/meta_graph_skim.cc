#include "savedmodel/proto/internal/meta_graph_skim.h"

#include <algorithm>
#include <utility>

#include "savedmodel/base/internal/text.h"
#include "savedmodel/proto/internal/wire_cursor.h"
#include "savedmodel/proto/meta_graph.pb.h"

namespace savedmodel::internal {
namespace {

using proto::FunctionDef;
using proto::FunctionDefLibrary;
using proto::GraphDef;
using proto::MetaGraphDef;
using proto::NodeDef;
using proto::OpDef;
using proto::SavedObjectGraph;

constexpr std::string_view kConst = "Const";

// A map's field is a repeated message of a key and a value; protobuf fixes their numbers.
constexpr uint32_t kMapKey = 1;
constexpr uint32_t kMapValue = 2;

// How many messages lie around each message that is walked.
constexpr int kMetaGraphLevel = 1;
constexpr int kGraphLevel = 2;
constexpr int kObjectGraphLevel = 2;
constexpr int kMetaInfoLevel = 2;
constexpr int kLibraryLevel = 3;
constexpr int kNodeLevel = 3;
constexpr int kFunctionLevel = 4;
constexpr int kSignatureLevel = 5;

// By name; parts of one name by their offset, which is file order. (std::stable_sort needs memory of its
// own.)
void SortByName(std::vector<NamedRange>* parts) {
  std::sort(parts->begin(), parts->end(), [](const NamedRange& a, const NamedRange& b) {
    const int order = a.name.compare(b.name);
    return order != 0 ? order < 0 : a.range.offset < b.range.offset;
  });
}

// Sorts the entries of a map; of equal names the last one in file order stays.
void SortMap(std::vector<NamedRange>* entries) {
  SortByName(entries);
  auto kept = entries->begin();
  for (auto entry = entries->begin(); entry != entries->end(); ++entry)
    if (entry + 1 == entries->end() || entry->name != (entry + 1)->name) *kept++ = *entry;
  entries->erase(kept, entries->end());
}

// Each function walks one kind of message and returns false when there is a result to report.
class MetaGraphSkim {
 public:
  MetaGraphSkim(const WireIndexLimits& limits, SkimCounts* counts, MetaGraphIndex* out)
      : limits_(limits), counts_(*counts), out_(*out), buffer_(out->buffer.view()) {}

  SkimResult Run() {
    if (!MetaGraph(out_.whole)) return std::move(result_);
    SortByName(&out_.library_functions);
    SortByName(&out_.constants);
    SortMap(&out_.signature_defs);
    SortMap(&out_.collection_defs);
    SortMap(&out_.concrete_functions);
    return {};
  }

 private:
  bool MetaGraph(ByteRange range) {
    return ForEachBytes(range, kMetaGraphLevel, "MetaGraphDef", [&](uint32_t field, ByteRange part) {
      switch (field) {
        case MetaGraphDef::kMetaInfoDefFieldNumber:
          return Once(part, &out_.meta_info_def) && MetaInfo(part);
        case MetaGraphDef::kGraphDefFieldNumber:
          return Once(part, &out_.graph_def) && Graph(part);
        case MetaGraphDef::kSaverDefFieldNumber:
          return Once(part, &out_.saver_def);
        case MetaGraphDef::kCollectionDefFieldNumber:
          return MapEntry(part, kMetaGraphLevel + 1, "MetaGraphDef.collection_def", &out_.collection_defs);
        case MetaGraphDef::kSignatureDefFieldNumber:
          return MapEntry(part, kMetaGraphLevel + 1, "MetaGraphDef.signature_def", &out_.signature_defs);
        case MetaGraphDef::kAssetFileDefFieldNumber:
          return Other(part, &out_.asset_file_defs);
        case MetaGraphDef::kObjectGraphDefFieldNumber:
          return Once(part, &out_.object_graph_def) && ObjectGraph(part);
        default:
          return true;
      }
    });
  }

  bool MetaInfo(ByteRange range) {
    return ForEachBytes(range, kMetaInfoLevel, "MetaInfoDef", [&](uint32_t field, ByteRange part) {
      if (field != MetaGraphDef::MetaInfoDef::kTagsFieldNumber) return true;
      std::string_view tag;
      if (!Name(part, "MetaInfoDef.tags", &tag)) return false;
      out_.tags.push_back(tag);
      return Count(&counts_.other_parts, limits_.max_other_parts, "tags, assets and gradients", part.offset);
    });
  }

  bool Graph(ByteRange range) {
    std::optional<ByteRange> library;
    return ForEachBytes(range, kGraphLevel, "GraphDef", [&](uint32_t field, ByteRange part) {
      switch (field) {
        case GraphDef::kNodeFieldNumber:
          return Node(part);
        case GraphDef::kLibraryFieldNumber:
          return Once(part, &library) && Library(part);
        case GraphDef::kVersionsFieldNumber:
          return Once(part, &out_.graph_versions);
        default:
          return true;
      }
    });
  }

  bool Node(ByteRange range) {
    ByteRange name, op;
    ++out_.num_graph_nodes;
    const bool ok = ForEachBytes(range, kNodeLevel, "NodeDef", [&](uint32_t field, ByteRange part) {
      if (field == NodeDef::kNameFieldNumber) name = part;
      if (field == NodeDef::kOpFieldNumber) op = part;
      return true;
    });
    if (!ok || View(op) != kConst) return ok;
    return Named(name, range, "NodeDef.name", &out_.constants);
  }

  bool Library(ByteRange range) {
    return ForEachBytes(range, kLibraryLevel, "FunctionDefLibrary", [&](uint32_t field, ByteRange part) {
      switch (field) {
        case FunctionDefLibrary::kFunctionFieldNumber:
          return Function(part);
        case FunctionDefLibrary::kGradientFieldNumber:
          return Other(part, &out_.gradients);
        case FunctionDefLibrary::kRegisteredGradientsFieldNumber:
          return Other(part, &out_.registered_gradients);
        default:
          return true;
      }
    });
  }

  // The last `name` in any `signature` counts: several signatures merge field by field.
  bool Function(ByteRange range) {
    ByteRange name;
    const bool ok = ForEachBytes(range, kFunctionLevel, "FunctionDef", [&](uint32_t field, ByteRange part) {
      return field != FunctionDef::kSignatureFieldNumber || Signature(part, &name);
    });
    return ok && Named(name, range, "OpDef.name", &out_.library_functions);
  }

  bool Signature(ByteRange range, ByteRange* name) {
    return ForEachBytes(range, kSignatureLevel, "OpDef", [&](uint32_t field, ByteRange part) {
      if (field == OpDef::kNameFieldNumber) *name = part;
      return true;
    });
  }

  bool ObjectGraph(ByteRange range) {
    return ForEachBytes(range, kObjectGraphLevel, "SavedObjectGraph", [&](uint32_t field, ByteRange part) {
      if (field == SavedObjectGraph::kConcreteFunctionsFieldNumber)
        return MapEntry(part, kObjectGraphLevel + 1, "SavedObjectGraph.concrete_functions",
                        &out_.concrete_functions);
      if (field != SavedObjectGraph::kNodesFieldNumber) return true;
      out_.object_nodes.push_back(part);
      return Count(&counts_.object_nodes, limits_.max_object_nodes, "nodes of object graphs", part.offset);
    });
  }

  // The last key counts; values merge, so that two of them need a join; a missing one is an empty message.
  bool MapEntry(ByteRange range, int level, const char* place, std::vector<NamedRange>* out) {
    ByteRange key;
    std::optional<ByteRange> value;
    const bool ok = ForEachBytes(range, level, place, [&](uint32_t field, ByteRange part) {
      std::string_view ignored;
      if (field == kMapKey) return key = part, Name(part, place, &ignored);
      return field != kMapValue || Once(part, &value);
    });
    return ok && Named(key, value.value_or(ByteRange{range.offset + range.size, 0}), place, out);
  }

  // Calls `visit(field number, payload)` for each length-delimited field until it returns false.
  template <class Visit>
  bool ForEachBytes(ByteRange range, int level, const char* place, Visit visit) {
    if (level > limits_.max_depth)
      return Limit("nesting", static_cast<uint64_t>(limits_.max_depth), range.offset);
    WireCursor cursor(buffer_, range, limits_.max_depth - level);
    for (WireField field; cursor.Next(&field);)
      if (field.type == WireType::kBytes && !visit(field.number, field.payload)) return false;
    if (cursor.fault() == WireFault::kNone) return true;
    return Fault(cursor.fault(), place, cursor.offset());
  }

  bool Once(ByteRange part, std::optional<ByteRange>* slot) {
    if (slot->has_value()) return result_.kind = SkimResult::Kind::kNeedsJoin, false;
    *slot = part;
    return true;
  }

  bool Named(ByteRange name, ByteRange part, const char* place, std::vector<NamedRange>* out) {
    NamedRange named{{}, part};
    if (!Name(name, place, &named.name)) return false;
    out->push_back(named);
    return Count(&counts_.named_parts, limits_.max_named_parts,
                 "functions, constants, signatures and collections", part.offset);
  }

  bool Other(ByteRange part, std::vector<ByteRange>* out) {
    out->push_back(part);
    return Count(&counts_.other_parts, limits_.max_other_parts, "tags, assets and gradients", part.offset);
  }

  bool Name(ByteRange range, const char* place, std::string_view* name) {
    *name = View(range);
    if (range.size > limits_.max_name_bytes)
      return Limit("bytes of a name", limits_.max_name_bytes, range.offset);
    const size_t valid = ValidUtf8Prefix(*name);
    return valid == range.size || Fault(WireFault::kUtf8, place, range.offset + static_cast<uint32_t>(valid));
  }

  bool Count(uint64_t* count, uint64_t limit, const char* what, uint32_t offset) {
    return ++*count <= limit || Limit(what, limit, offset);
  }

  bool Fault(WireFault fault, const char* place, uint32_t offset) {
    if (fault == WireFault::kDepth) return Limit("nesting", static_cast<uint64_t>(limits_.max_depth), offset);
    result_ = {SkimResult::Kind::kFault, fault, place, "", offset};
    return false;
  }

  bool Limit(const char* what, uint64_t limit, uint32_t offset) {
    result_ = {SkimResult::Kind::kLimit, WireFault::kNone, "", what + (" above " + std::to_string(limit)),
               offset};
    return false;
  }

  std::string_view View(ByteRange range) const { return buffer_.substr(range.offset, range.size); }

  const WireIndexLimits& limits_;
  SkimCounts& counts_;
  MetaGraphIndex& out_;
  std::string_view buffer_;
  SkimResult result_;
};

}  // namespace

SkimResult SkimMetaGraph(const WireIndexLimits& limits, SkimCounts* counts, MetaGraphIndex* out) {
  return MetaGraphSkim(limits, counts, out).Run();
}

}  // namespace savedmodel::internal
