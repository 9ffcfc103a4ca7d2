#include "savedmodel/checkpoint/checkpoint_state.h"

#include <utility>

#include "savedmodel/base/internal/checked_files.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/out_of_memory.h"
#include "savedmodel/base/internal/recognize.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/proto/checkpoint_state.pb.h"
#include "savedmodel/proto/internal/text_format.h"

namespace savedmodel {
namespace {

using internal::Error;

// A manager that keeps everything for years writes a few hundred bytes per checkpoint.
constexpr uint64_t kMaxStateBytes = uint64_t{64} << 20;
constexpr std::string_view kWhat = "checkpoint state";

struct StateFile {
  std::string name;
  std::string directory;
  std::string text;
};

StatusOr<StateFile> ReadStateFile(std::string_view path, const FileSystem& files) {
  SplitPathResult place = SplitPath(path);
  SAVEDMODEL_ASSIGN_OR_RETURN(const auto directory, internal::OpenDirectory(files, place.directory));
  SAVEDMODEL_ASSIGN_OR_RETURN(const auto file, internal::OpenFile(*directory, place.base));
  if (file->size() > kMaxStateBytes) {
    return Error(StatusCode::kResourceExhausted, "the file is larger than a checkpoint state can be")
        .File(path)
        .Expected("at most " + std::to_string(kMaxStateBytes) + " bytes")
        .Found(std::to_string(file->size()) + " bytes");
  }
  StateFile out{std::string(path), std::move(place.directory),
                std::string(static_cast<size_t>(file->size()), '\0')};
  SAVEDMODEL_RETURN_IF_ERROR(file->ReadAt(0, std::as_writable_bytes(std::span(out.text))));
  return out;
}

StatusOr<proto::CheckpointState> Parse(const StateFile& file) {
  proto::CheckpointState message;
  const Status status = internal::ParseText(file.text, &message, {.file = file.name, .what = kWhat});
  if (status.ok() && message.model_checkpoint_path().empty())
    return Error(StatusCode::kDataLoss, "checkpoint state names no checkpoint").File(file.name);
  if (status.ok()) return message;
  if (status.code() != StatusCode::kDataLoss) return status;
  const std::string_view looks = internal::RecognizeFile(std::as_bytes(std::span(file.text)));
  return internal::WithContext(status, {.expected = "a checkpoint state", .found = std::string(looks)});
}

StatusOr<CheckpointState> ReadState(std::string_view path, const FileSystem& files) {
  SAVEDMODEL_ASSIGN_OR_RETURN(const StateFile file, ReadStateFile(path, files));
  SAVEDMODEL_ASSIGN_OR_RETURN(const proto::CheckpointState message, Parse(file));
  const auto joined = [&](const std::string& prefix) {
    return prefix.starts_with('/') ? prefix : JoinPath(file.directory, prefix);
  };
  CheckpointState state;
  state.newest = joined(message.model_checkpoint_path());
  for (const std::string& prefix : message.all_model_checkpoint_paths()) state.all.push_back(joined(prefix));
  state.timestamps.assign(message.all_model_checkpoint_timestamps().begin(),
                          message.all_model_checkpoint_timestamps().end());
  state.last_preserved_timestamp = message.last_preserved_timestamp();
  return state;
}

}  // namespace

StatusOr<CheckpointState> ReadCheckpointState(std::string_view path,
                                              const std::shared_ptr<const FileSystem>& file_system) {
  return internal::Guarded([&] { return ReadState(path, file_system ? *file_system : *PosixFileSystem()); });
}

}  // namespace savedmodel
