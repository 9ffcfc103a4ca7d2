#include "savedmodel/saved_model/internal/model_files.h"

#include <memory>
#include <utility>

#include "savedmodel/base/internal/checked_files.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/recognize.h"
#include "savedmodel/base/internal/saved_model_names.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/proto/fingerprint.pb.h"
#include "savedmodel/proto/graph_debug_info.pb.h"
#include "savedmodel/proto/internal/parse.h"

namespace savedmodel::internal {
namespace {

bool Exists(const Directory& directory, std::string_view name) {
  StatusOr<FileKind> kind = directory.Stat(name);
  return kind.ok() || kind.status().code() != StatusCode::kNotFound;
}

Status NoGraphFile(const Directory& directory) {
  if (Exists(directory, kGraphChunkedFile)) {
    return Error(StatusCode::kUnimplemented, "the chunked format saved_model.cpb is not read")
        .File(JoinPath(directory.name(), kGraphChunkedFile));
  }
  return Error(StatusCode::kNotFound, "no saved_model.pb and no saved_model.pbtxt in the directory")
      .File(directory.name());
}

// What looks like another kind of file is named in the error.
Status NameTheFile(const Status& status, const Buffer& bytes) {
  const std::string_view kind = RecognizeFile(bytes.bytes());
  if (status.code() != StatusCode::kDataLoss || kind.empty()) return status;
  std::optional<ErrorContext> context = GetErrorContext(status);
  if (!context || !context->found.empty()) return status;
  return WithContext(status, {.expected = "a SavedModel", .found = std::string(kind)});
}

}  // namespace

StatusOr<Buffer> ReadWholeFile(const Directory& directory, std::string_view name, uint64_t max_bytes) {
  SAVEDMODEL_ASSIGN_OR_RETURN(std::shared_ptr<const RandomAccessFile> file, OpenFile(directory, name));
  if (file->size() > max_bytes) {
    return Error(StatusCode::kResourceExhausted, "the file is larger than the limit")
        .File(file->name())
        .Expected("at most " + std::to_string(max_bytes) + " bytes")
        .Found(std::to_string(file->size()) + " bytes");
  }
  SAVEDMODEL_ASSIGN_OR_RETURN(MutableBuffer bytes,
                              MutableBuffer::Allocate(static_cast<size_t>(file->size())));
  SAVEDMODEL_RETURN_IF_ERROR(file->ReadAt(0, bytes.bytes()));
  return std::move(bytes).Freeze();
}

StatusOr<GraphFile> ReadGraphFile(const Directory& directory, const OpenOptions& options) {
  const bool binary = Exists(directory, kGraphFile);
  if (!binary && !Exists(directory, kGraphTextFile)) return NoGraphFile(directory);
  const std::string_view name = binary ? kGraphFile : kGraphTextFile;
  const std::string path = JoinPath(directory.name(), name);
  SAVEDMODEL_ASSIGN_OR_RETURN(Buffer bytes, ReadWholeFile(directory, name, options.max_graph_bytes));
  const WireIndexLimits limits{.max_bytes = options.max_graph_bytes, .max_object_nodes = options.max_nodes};
  StatusOr<WireIndex> index =
      binary ? WireIndex::Build(bytes, path, limits) : WireIndex::BuildFromText(bytes.view(), path, limits);
  if (!index.ok()) return NameTheFile(index.status(), bytes);
  return GraphFile{std::string(name), *std::move(index)};
}

Status CheckDebugInfo(const Directory& directory, uint64_t max_bytes) {
  StatusOr<Buffer> bytes = ReadWholeFile(directory, kDebugInfoFile, max_bytes);
  if (bytes.status().code() == StatusCode::kNotFound) return OkStatus();
  SAVEDMODEL_RETURN_IF_ERROR(bytes.status());
  proto::GraphDebugInfo info;
  const std::string path = JoinPath(directory.name(), kDebugInfoFile);
  return ParseBounded(bytes->view(), &info, {.file = path, .base_offset = 0, .what = "debug info"});
}

StatusOr<Fingerprint> ReadFingerprint(const Directory& directory, uint64_t max_bytes) {
  SAVEDMODEL_ASSIGN_OR_RETURN(const Buffer bytes, ReadWholeFile(directory, kFingerprintFile, max_bytes));
  proto::FingerprintDef in;
  const std::string path = JoinPath(directory.name(), kFingerprintFile);
  SAVEDMODEL_RETURN_IF_ERROR(
      ParseBounded(bytes.view(), &in, {.file = path, .base_offset = 0, .what = "fingerprint"}));
  return Fingerprint{.saved_model_checksum = in.saved_model_checksum(),
                     .graph_def_program_hash = in.graph_def_program_hash(),
                     .signature_def_hash = in.signature_def_hash(),
                     .saved_object_graph_hash = in.saved_object_graph_hash(),
                     .checkpoint_hash = in.checkpoint_hash(),
                     .producer = in.version().producer(),
                     .uuid = in.uuid()};
}

bool IsSafeAssetName(std::string_view name) {
  if (name.empty() || name.find('\0') != std::string_view::npos) return false;
  while (true) {
    const size_t slash = name.find('/');
    const std::string_view component = name.substr(0, slash);
    if (component.empty() || component == "." || component == "..") return false;
    if (slash == std::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
}

}  // namespace savedmodel::internal
