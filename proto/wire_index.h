// Where the parts of a saved_model.pb lie, found without parsing it.
//
//   SAVEDMODEL_ASSIGN_OR_RETURN(WireIndex index, WireIndex::Build(bytes, "m/saved_model.pb"));
//   for (const MetaGraphIndex& graph : index.meta_graphs())
//     if (const NamedRange* f = Find(graph.library_functions, "__inference_f_1")) Use(graph.Bytes(f->range));
//
// One pass over the bytes notes ranges; a part is parsed by whoever asks for it. A range always holds the
// whole encoded message: where a file splits one message into several pieces, which protobuf joins, the index
// joins them first. What is checked and what is left to the parse of a part: proto/README.md.
//
// Cost: O(bytes), about 1 ms for 20,000 nodes and 5,000 functions; 8 bytes per object-graph node, 24 per
// named part. Thread-safety: immutable after Build. Lifetime: names and Bytes() point into buffers that the
// index, every copy of it and every copy of a MetaGraphIndex keep alive.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/buffer.h"
#include "savedmodel/base/status.h"

namespace savedmodel {

// Bytes [offset, offset + size) of MetaGraphIndex::buffer. 32 bits do: an encoded message is below 2 GiB.
struct ByteRange {
  uint32_t offset = 0;
  uint32_t size = 0;
  bool operator==(const ByteRange&) const = default;
};

struct NamedRange {
  std::string_view name;
  ByteRange range;
};

// One MetaGraphDef. Each optional is empty where the field is absent; absent and empty differ.
struct MetaGraphIndex {
  Buffer buffer;                 // what every range and name here points into
  bool offsets_are_file = true;  // false: `buffer` was made by joining or from text

  ByteRange whole;                            // MetaGraphDef
  std::optional<ByteRange> meta_info_def;     // MetaGraphDef.MetaInfoDef
  std::optional<ByteRange> graph_def;         // GraphDef
  std::optional<ByteRange> saver_def;         // SaverDef
  std::optional<ByteRange> object_graph_def;  // SavedObjectGraph; present in TF2 models
  std::vector<std::string_view> tags;         // as written: unsorted, maybe repeated

  // Maps: sorted by name, names unique (the last entry of a name counts, as in protobuf).
  std::vector<NamedRange> signature_defs;      // SignatureDef
  std::vector<NamedRange> collection_defs;     // CollectionDef
  std::vector<NamedRange> concrete_functions;  // SavedConcreteFunction

  // Lists, in file order.
  std::vector<ByteRange> asset_file_defs;       // AssetFileDef
  std::vector<ByteRange> object_nodes;          // SavedObject; position = node id
  std::vector<ByteRange> gradients;             // GradientDef
  std::vector<ByteRange> registered_gradients;  // RegisteredGradient

  // Lists, sorted by name; equal names stay in file order, and nothing makes them unique.
  std::vector<NamedRange> library_functions;  // FunctionDef, by signature.name
  std::vector<NamedRange> constants;          // NodeDef of graph_def.node whose op is "Const"

  std::optional<ByteRange> graph_versions;  // VersionDef of graph_def
  uint64_t num_graph_nodes = 0;             // graph_def.node, all ops

  bool has_object_graph() const { return object_graph_def.has_value(); }
  // `range` must be one of this index; any other is clipped to the buffer.
  std::string_view Bytes(ByteRange range) const&;
  std::string_view Bytes(ByteRange range) const&& = delete;
  // `range` as a buffer of its own that keeps the bytes alive.
  Buffer Slice(ByteRange range) const;
  // Where `range` starts in the file, for messages; nothing when offsets are not the file's.
  std::optional<uint64_t> FileOffset(ByteRange range) const;
};

// The first part of that name in one of the sorted lists above; null when there is none. Cost: O(log n).
const NamedRange* Find(std::span<const NamedRange> sorted, std::string_view name);

// Everything above a limit is ResourceExhausted. The counts hold for a whole file.
struct WireIndexLimits {
  uint64_t max_bytes = 0x7fffffff;  // protobuf's own limit, 2 GiB - 1; larger values change nothing
  uint64_t max_meta_graphs = 4096;
  uint64_t max_object_nodes = 1u << 22;
  uint64_t max_named_parts = 1u << 22;  // functions, concrete functions, constants, signatures, collections
  uint64_t max_other_parts = 1u << 20;  // tags, assets, gradients
  uint64_t max_name_bytes = 1u << 16;   // of one name
  int max_depth = 100;                  // messages and groups inside each other; protobuf's default
};

class WireIndex {
 public:
  // Indexes an encoded SavedModel. `file` is for messages only. No bytes at all are a SavedModel without
  // MetaGraphs. Errors, all with file and, where it is known, offset: DataLoss (not a SavedModel: broken
  // encoding on the way to a part, a name that is not UTF-8, another kind of file, which is then named);
  // ResourceExhausted (a limit).
  static StatusOr<WireIndex> Build(Buffer bytes, std::string_view file, const WireIndexLimits& limits = {});

  // The same for text format (saved_model.pbtxt): parses all of it, encodes and indexes the result; not lazy.
  // Errors: DataLoss (bytes that are not UTF-8, unknown fields, syntax, with line and column),
  // ResourceExhausted.
  static StatusOr<WireIndex> BuildFromText(std::string_view text, std::string_view file,
                                           const WireIndexLimits& limits = {});

  // 1 in files of all known writers; 0 when absent.
  int64_t schema_version() const { return schema_version_; }
  std::span<const MetaGraphIndex> meta_graphs() const& { return meta_graphs_; }
  std::span<const MetaGraphIndex> meta_graphs() const&& = delete;  // would outlive the index
  const std::string& file() const { return file_; }
  // The encoded SavedModel: the file's bytes, or what text was encoded to.
  const Buffer& bytes() const& { return bytes_; }

 private:
  friend class WireIndexBuilder;  // in wire_index.cc
  WireIndex() = default;

  std::string file_;
  Buffer bytes_;
  int64_t schema_version_ = 0;
  std::vector<MetaGraphIndex> meta_graphs_;
};

}  // namespace savedmodel
