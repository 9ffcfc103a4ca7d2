#include "savedmodel/tools/model_argument.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "savedmodel/base/file_system.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/recognize.h"
#include "savedmodel/base/internal/saved_model_names.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/checkpoint/bundle/bundle_names.h"
#include "savedmodel/checkpoint/checkpoint_state.h"
#include "savedmodel/proto/wire_index.h"

namespace savedmodel::tools {
namespace {

using internal::Error;

constexpr std::string_view kGraphFiles[] = {internal::kGraphFile, internal::kGraphTextFile,
                                            internal::kGraphChunkedFile};
constexpr std::string_view kStateField = "model_checkpoint_path:";
constexpr size_t kMaxNames = 3;                         // listed in a hint
constexpr size_t kHeadBytes = 512;                      // enough for RecognizeFile
constexpr uint64_t kMaxLookedAt = uint64_t{256} << 20;  // of a file that may be a message

std::string Quoted(std::string_view name) { return "\"" + internal::Printable(name) + "\""; }

std::string List(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMaxNames); ++i)
    text += (i == 0 ? "" : ", ") + Quoted(names[i]);
  if (names.size() > kMaxNames) text += " and " + std::to_string(names.size() - kMaxNames) + " more";
  return text;
}

std::vector<std::string> NamesIn(const Directory& directory) {
  std::vector<std::string> names;
  StatusOr<std::vector<DirectoryEntry>> entries = directory.List();
  if (!entries.ok()) return names;
  for (DirectoryEntry& entry : *entries) names.push_back(std::move(entry.name));
  return names;
}

// Paths of the checkpoints in a directory.
std::vector<std::string> PrefixesIn(const Directory& directory) {
  std::vector<std::string> prefixes;
  for (const std::string& name : NamesIn(directory)) {
    const std::string_view prefix = PrefixOfFileName(name);
    if (name == IndexFileName(prefix)) prefixes.push_back(JoinPath(directory.name(), prefix));
  }
  return prefixes;
}

bool Holds(const Directory& directory, std::string_view name) { return directory.Stat(name).ok(); }

bool IsSavedModel(const Directory& directory) {
  return std::any_of(std::begin(kGraphFiles), std::end(kGraphFiles),
                     [&](std::string_view name) { return Holds(directory, name); });
}

// The argument and the directory that holds it.
struct Place {
  std::string argument;
  std::shared_ptr<const Directory> directory;
  std::string base;

  std::string Path(std::string_view name) const { return JoinPath(directory->name(), name); }
};

StatusOr<ModelArgument> NewestOf(const std::string& state_file) {
  SAVEDMODEL_ASSIGN_OR_RETURN(CheckpointState state, ReadCheckpointState(state_file));
  return ModelArgument{ModelArgument::Kind::kCheckpoint, std::move(state.newest)};
}

StatusOr<ModelArgument> ResolveDirectory(const std::string& path, const Directory& directory) {
  if (directory.Stat(kCheckpointStateFile).ok()) return NewestOf(JoinPath(path, kCheckpointStateFile));
  const std::vector<std::string> prefixes = PrefixesIn(directory);
  Error error(StatusCode::kNotFound, "the directory is no SavedModel and has no checkpoint state file");
  error.File(path);
  if (!prefixes.empty()) error.Hint("pass one of the checkpoints in it: " + List(prefixes));
  return error;
}

// A file of none of our names: another kind of file, or the message of a model under another name.
Status ExplainFile(const std::string& path, const RandomAccessFile& file) {
  std::string head(static_cast<size_t>(std::min<uint64_t>(file.size(), kHeadBytes)), '\0');
  SAVEDMODEL_RETURN_IF_ERROR(file.ReadAt(0, std::as_writable_bytes(std::span(head))));
  std::string looks(internal::RecognizeFile(std::as_bytes(std::span(head))));
  if (looks.empty() && file.size() <= kMaxLookedAt) {
    SAVEDMODEL_ASSIGN_OR_RETURN(Buffer bytes, file.Map(0, file.size()));
    const Status status = WireIndex::Build(std::move(bytes), path).status();
    if (status.ok())
      looks = "what looks like the message of a SavedModel, which is saved_model.pb in a directory";
    if (const auto context = GetErrorContext(status)) looks = context->found;
  }
  if (looks.empty()) looks = "a file of an unknown kind";
  return Error(StatusCode::kDataLoss, "not a model")
      .File(path)
      .Expected("a SavedModel directory or a checkpoint")
      .Found(std::move(looks));
}

StatusOr<ModelArgument> ResolveFile(const Place& place) {
  // Loading takes the binary file where both are there, so the text names the model only without it.
  if (place.base == internal::kGraphFile ||
      (place.base == internal::kGraphTextFile && !Holds(*place.directory, internal::kGraphFile))) {
    return ModelArgument{ModelArgument::Kind::kSavedModel, place.directory->name()};
  }
  if (const std::string_view prefix = PrefixOfFileName(place.base); !prefix.empty()) {
    return ModelArgument{ModelArgument::Kind::kCheckpoint, place.Path(prefix)};
  }
  SAVEDMODEL_ASSIGN_OR_RETURN(const auto file, place.directory->OpenFile(place.base));
  std::string head(static_cast<size_t>(std::min<uint64_t>(file->size(), kStateField.size())), '\0');
  SAVEDMODEL_RETURN_IF_ERROR(file->ReadAt(0, std::as_writable_bytes(std::span(head))));
  if (place.base == kCheckpointStateFile || head == kStateField) return NewestOf(place.argument);
  return ExplainFile(place.argument, *file);
}

Status ExplainNothing(const Place& place) {
  std::vector<std::string> names;
  for (std::string& name : NamesIn(*place.directory)) {
    const std::string_view prefix = PrefixOfFileName(name);
    names.push_back(prefix.empty() ? std::move(name) : std::string(prefix));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return Error(StatusCode::kNotFound, "no model of this name")
      .File(place.argument)
      .Expected("a SavedModel directory or a checkpoint prefix")
      .Hint(internal::DidYouMean(place.base, {names.begin(), names.end()}));
}

StatusOr<Place> FindPlace(std::string_view argument) {
  if (argument.empty()) return Error(StatusCode::kInvalidArgument, "the MODEL argument is empty");
  SplitPathResult parts = SplitPath(argument);
  Place place{std::string(argument), nullptr, std::move(parts.base)};
  SAVEDMODEL_ASSIGN_OR_RETURN(place.directory, PosixFileSystem()->OpenDirectory(parts.directory));
  return place;
}

}  // namespace

StatusOr<ModelArgument> ResolveModel(std::string_view argument) {
  SAVEDMODEL_ASSIGN_OR_RETURN(const Place place, FindPlace(argument));
  const StatusOr<std::shared_ptr<const Directory>> inside = PosixFileSystem()->OpenDirectory(argument);
  if (inside.ok() && IsSavedModel(**inside)) {
    return ModelArgument{ModelArgument::Kind::kSavedModel, std::string(argument)};
  }
  // A prefix may end in '/': then the index is called just ".index".
  if (Holds(*place.directory, IndexFileName(place.base))) {
    return ModelArgument{ModelArgument::Kind::kCheckpoint, std::string(argument)};
  }
  if (inside.ok()) return ResolveDirectory(place.argument, **inside);
  if (place.base.empty()) return inside.status();
  const StatusOr<FileKind> kind = place.directory->Stat(place.base);
  if (kind.ok() && *kind != FileKind::kDirectory) return ResolveFile(place);
  if (kind.status().code() == StatusCode::kNotFound) return ExplainNothing(place);
  return kind.ok() ? inside.status() : kind.status();
}

}  // namespace savedmodel::tools
