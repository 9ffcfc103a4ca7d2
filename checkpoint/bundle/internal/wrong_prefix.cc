#include "savedmodel/checkpoint/bundle/internal/wrong_prefix.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "savedmodel/base/internal/checked_files.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/recognize.h"
#include "savedmodel/base/internal/saved_model_names.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/checkpoint/bundle/bundle_names.h"
#include "savedmodel/checkpoint/bundle/internal/table_format.h"
#include "savedmodel/checkpoint/bundle/internal/table_reader.h"

namespace savedmodel::internal {
namespace {

constexpr size_t kHeadSize = 512;  // enough to recognise a file
constexpr size_t kMaxNames = 3;    // named in a hint
constexpr std::string_view kStatePathField = "model_checkpoint_path: \"";

std::string Quoted(std::string_view name) { return "\"" + Printable(name) + "\""; }

StatusOr<std::string> ReadHead(const RandomAccessFile& file) {
  std::string head(static_cast<size_t>(std::min<uint64_t>(file.size(), kHeadSize)), '\0');
  SAVEDMODEL_RETURN_IF_ERROR(file.ReadAt(0, std::as_writable_bytes(std::span(head))));
  return head;
}

std::string Recognize(std::string_view head) {
  return std::string(RecognizeFile(std::as_bytes(std::span(head))));
}

bool IsTable(const RandomAccessFile& file) {
  std::array<std::byte, sizeof(kTableMagic)> tail;
  return file.size() >= kTableFooterSize && file.ReadAt(file.size() - tail.size(), tail).ok() &&
         HasTableMagic(tail);
}

Error NoIndex(const Directory& directory, std::string_view prefix, StatusCode code = StatusCode::kNotFound) {
  return Error(code, "no checkpoint with this prefix")
      .File(JoinPath(directory.name(), IndexFileName(prefix)));
}

std::string PassPrefix(const Directory& directory, std::string_view prefix) {
  return "pass the prefix " + Quoted(JoinPath(directory.name(), prefix));
}

// `name` beside the file `sibling`.
std::string Beside(std::string_view sibling, std::string_view name) {
  const size_t slash = sibling.rfind('/');
  return std::string(slash == std::string_view::npos ? "" : sibling.substr(0, slash + 1)).append(name);
}

// The names in the folder that holds `prefix`, none when it cannot be listed.
std::vector<std::string> NamesBeside(const Directory& directory, std::string_view prefix) {
  const SplitPathResult place = SplitPath(prefix);
  std::vector<std::string> names;
  const StatusOr<std::shared_ptr<const Directory>> folder = OpenDirectory(directory, place.directory);
  if (!folder.ok()) return names;
  StatusOr<std::vector<DirectoryEntry>> entries = (*folder)->List();
  if (!entries.ok()) return names;
  for (DirectoryEntry& entry : *entries) names.push_back(std::move(entry.name));
  return names;
}

std::vector<std::string> CheckpointsIn(const std::vector<std::string>& names) {
  std::vector<std::string> prefixes;
  for (std::string_view name : names) {
    const std::string_view prefix = PrefixOfFileName(name);
    if (!prefix.empty() && name == IndexFileName(prefix)) prefixes.emplace_back(prefix);
  }
  return prefixes;
}

std::string ListNames(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < kMaxNames; ++i) text += (i == 0 ? "" : ", ") + Quoted(names[i]);
  if (names.size() > kMaxNames) text += " and " + std::to_string(names.size() - kMaxNames) + " more";
  return text;
}

// The prefix that a `checkpoint` state file gives for its newest checkpoint.
std::optional<std::string> NewestInState(std::string_view head) {
  const size_t at = head.find(kStatePathField);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = head.substr(at + kStatePathField.size());
  const size_t end = rest.find_first_of("\"\\\n");
  if (end == std::string_view::npos || rest[end] != '"') return std::nullopt;
  return std::string(rest.substr(0, end));
}

std::string StateHint(const Directory& directory, std::string_view state_file, std::string_view head) {
  const std::optional<std::string> newest = NewestInState(head);
  if (!newest) return "";
  if (newest->starts_with('/')) return "pass the prefix " + Quoted(*newest);
  return PassPrefix(directory, Beside(state_file, *newest));
}

Status ExplainDirectory(const Directory& directory, std::string_view prefix) {
  Error error = NoIndex(directory, prefix);
  error.Found("a directory of the name " + Quoted(prefix));
  const std::string inside = std::string(prefix) + (prefix.ends_with('/') ? "" : "/");
  const std::string saved_model = inside + std::string(kVariablesPrefix);
  if (directory.Stat(IndexFileName(saved_model)).ok()) {
    return error.Hint("it holds a SavedModel: " + PassPrefix(directory, saved_model)).ToStatus();
  }
  std::vector<std::string> prefixes = CheckpointsIn(NamesBeside(directory, inside));
  for (std::string& name : prefixes) name = JoinPath(directory.name(), inside + name);
  return error.Hint(prefixes.empty() ? "" : "the prefixes in it are " + ListNames(prefixes)).ToStatus();
}

Status ExplainFile(const Directory& directory, std::string_view prefix, const RandomAccessFile& file) {
  if (IsTable(file)) {
    return Error(StatusCode::kUnimplemented, "checkpoint is of the first format (V1), which is not read")
        .File(file.name())
        .ToStatus();
  }
  const StatusOr<std::string> head = ReadHead(file);
  const std::string looks = head.ok() ? Recognize(*head) : "";
  if (looks.empty())
    return NoIndex(directory, prefix).Found("a file of the name " + Quoted(prefix)).ToStatus();
  return Error(StatusCode::kDataLoss, "file is not a checkpoint")
      .File(file.name())
      .Expected("a checkpoint prefix")
      .Found(looks)
      .Hint(StateHint(directory, prefix, *head))
      .ToStatus();
}

Status ExplainNothing(const Directory& directory, std::string_view prefix) {
  const std::vector<std::string> prefixes = CheckpointsIn(NamesBeside(directory, prefix));
  std::string hint = DidYouMean(SplitPath(prefix).base, {prefixes.begin(), prefixes.end()});
  if (hint.empty() && !prefixes.empty()) hint = "the prefixes there are " + ListNames(prefixes);
  return NoIndex(directory, prefix).Hint(std::move(hint)).ToStatus();
}

}  // namespace

StatusOr<std::string> LooksLike(const RandomAccessFile& file) {
  SAVEDMODEL_ASSIGN_OR_RETURN(const std::string head, ReadHead(file));
  return Recognize(head);
}

Status ExplainMissingIndex(const Directory& directory, std::string_view prefix) {
  const std::string_view meant = PrefixOfFileName(prefix);
  if (!meant.empty() && directory.Stat(IndexFileName(meant)).ok()) {
    return NoIndex(directory, prefix)
        .Found("the file " + Quoted(prefix) + " of a checkpoint")
        .Hint(PassPrefix(directory, meant))
        .ToStatus();
  }
  const StatusOr<FileKind> kind = directory.Stat(prefix);
  if (kind.ok() && *kind == FileKind::kDirectory) return ExplainDirectory(directory, prefix);
  if (kind.ok() && *kind == FileKind::kFile) {
    const StatusOr<std::shared_ptr<const RandomAccessFile>> file = OpenFile(directory, prefix);
    if (file.ok()) return ExplainFile(directory, prefix, **file);
  }
  return ExplainNothing(directory, prefix);
}

std::string ShardsThere(const Directory& directory, std::string_view prefix) {
  const std::string base = SplitPath(prefix).base;
  std::vector<std::string> shards;
  for (std::string& name : NamesBeside(directory, prefix)) {
    if (PrefixOfFileName(name) == base && name != IndexFileName(base)) shards.push_back(std::move(name));
  }
  return shards.empty() ? "" : "there are " + ListNames(shards);
}

}  // namespace savedmodel::internal
