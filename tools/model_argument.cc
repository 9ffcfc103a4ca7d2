#include "savedmodel/tools/model_argument.h"

#include <algorithm>
#include <memory>
#include <optional>
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

// The prefix in the name of an index or a shard, which may be empty: "dir/.index" is the checkpoint "dir/".
std::optional<std::string> PrefixOf(const std::string& name) {
  const std::string with_one = "x" + name;  // PrefixOfFileName says "no prefix" and "empty prefix" alike
  const std::string_view prefix = PrefixOfFileName(with_one);
  if (prefix.empty()) return std::nullopt;
  return std::string(prefix.substr(1));
}

std::string PrefixPath(std::string_view directory, std::string_view prefix) {
  if (!prefix.empty()) return JoinPath(directory, prefix);
  return std::string(directory) + (directory.ends_with('/') ? "" : "/");
}

// Paths of the checkpoints in a directory.
std::vector<std::string> PrefixesIn(const Directory& directory) {
  std::vector<std::string> prefixes;
  for (const std::string& name : NamesIn(directory)) {
    const std::optional<std::string> prefix = PrefixOf(name);
    if (prefix && name == IndexFileName(*prefix)) prefixes.push_back(PrefixPath(directory.name(), *prefix));
  }
  return prefixes;
}

// NotFound may also mean a link to something that is not there, and then it says so.
bool IsPlainAbsence(const Status& status) {
  const std::optional<ErrorContext> context = GetErrorContext(status);
  return status.code() == StatusCode::kNotFound && (!context || context->found.empty());
}

// True also for a name that cannot be looked at, so that the reason is told and not taken for absence;
// loading sees it so, too.
bool IsThere(const Status& status) { return status.code() != StatusCode::kNotFound; }

// OK for a SavedModel's directory. Else NotFound when it has no graph file, or why that cannot be known.
Status FindGraphFile(const Directory& directory) {
  Status first_dangling;
  for (const std::string_view name : kGraphFiles) {
    const Status status = directory.Stat(name).status();
    if (IsThere(status)) return status;
    if (first_dangling.ok() && !IsPlainAbsence(status)) first_dangling = status;
  }
  if (!first_dangling.ok()) return first_dangling;
  return Error(StatusCode::kNotFound, "no graph file");
}

// The argument and the directory that holds it.
struct Place {
  std::string argument;
  std::shared_ptr<const Directory> directory;
  std::string base;
};

StatusOr<ModelArgument> NewestOf(const std::string& state_file) {
  SAVEDMODEL_ASSIGN_OR_RETURN(CheckpointState state, ReadCheckpointState(state_file));
  return ModelArgument{ModelArgument::Kind::kCheckpoint, std::move(state.newest)};
}

// Paths of the SavedModels one level below: a directory one too high is the commonest mistake.
std::vector<std::string> ModelsBelow(const Directory& directory) {
  constexpr size_t kMaxLookedInto = 64;
  std::vector<std::string> models, names = NamesIn(directory);
  names.resize(std::min(names.size(), kMaxLookedInto));
  for (const std::string& name : names) {
    const StatusOr<std::shared_ptr<const Directory>> below = directory.OpenDirectory(name);
    if (below.ok() && FindGraphFile(**below).ok()) models.push_back(JoinPath(directory.name(), name));
  }
  return models;
}

StatusOr<ModelArgument> ResolveDirectory(const std::string& path, const Directory& directory) {
  const Status state = directory.Stat(kCheckpointStateFile).status();
  if (state.ok()) return NewestOf(JoinPath(path, kCheckpointStateFile));
  if (!IsPlainAbsence(state)) return state;
  const std::vector<std::string> prefixes = PrefixesIn(directory);
  Error error(StatusCode::kNotFound, "the directory is no SavedModel and has no checkpoint state file");
  error.File(path);
  if (!prefixes.empty()) return error.Hint("pass one of the checkpoints in it: " + List(prefixes));
  const std::vector<std::string> models = ModelsBelow(directory);
  if (!models.empty()) error.Hint("pass one of the SavedModels in it: " + List(models));
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
      (place.base == internal::kGraphTextFile &&
       !IsThere(place.directory->Stat(internal::kGraphFile).status()))) {
    return ModelArgument{ModelArgument::Kind::kSavedModel, place.directory->name()};
  }
  if (const std::optional<std::string> prefix = PrefixOf(place.base)) {
    return ModelArgument{ModelArgument::Kind::kCheckpoint, PrefixPath(place.directory->name(), *prefix)};
  }
  SAVEDMODEL_ASSIGN_OR_RETURN(const auto file, place.directory->OpenFile(place.base));
  std::string head(static_cast<size_t>(std::min<uint64_t>(file->size(), kStateField.size())), '\0');
  SAVEDMODEL_RETURN_IF_ERROR(file->ReadAt(0, std::as_writable_bytes(std::span(head))));
  if (place.base == kCheckpointStateFile || head == kStateField) return NewestOf(place.argument);
  return ExplainFile(place.argument, *file);
}

Status ExplainNothing(const Place& place) {
  std::vector<std::string> names;
  for (const std::string& name : NamesIn(*place.directory)) {
    names.push_back(PrefixOf(name).value_or(name));
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
  const Status graph = inside.ok() ? FindGraphFile(**inside) : inside.status();
  if (graph.ok()) return ModelArgument{ModelArgument::Kind::kSavedModel, std::string(argument)};
  if (inside.ok() && IsThere(graph)) return graph;
  // A prefix may end in '/': then the index is called just ".index".
  const Status index = place.directory->Stat(IndexFileName(place.base)).status();
  if (index.ok()) return ModelArgument{ModelArgument::Kind::kCheckpoint, std::string(argument)};
  if (inside.ok()) return IsPlainAbsence(graph) ? ResolveDirectory(place.argument, **inside) : graph;
  if (place.base.empty()) return inside.status();
  const StatusOr<FileKind> kind = place.directory->Stat(place.base);
  if (kind.ok()) return *kind == FileKind::kDirectory ? inside.status() : ResolveFile(place);
  if (!IsPlainAbsence(kind.status())) return kind.status();
  return IsPlainAbsence(index) ? ExplainNothing(place) : index;
}

}  // namespace savedmodel::tools
