#include "savedmodel/checkpoint/bundle/internal/bundle_files.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "savedmodel/base/internal/checked_files.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/recognize.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/checkpoint/bundle/bundle_names.h"
#include "savedmodel/checkpoint/bundle/internal/table_format.h"
#include "savedmodel/checkpoint/bundle/internal/table_reader.h"
#include "savedmodel/checkpoint/bundle/internal/wrong_prefix.h"

namespace savedmodel::internal {
namespace {

Status CheckIsTable(const RandomAccessFile& file) {
  std::array<std::byte, sizeof(kTableMagic)> tail;
  if (file.size() >= kTableFooterSize) {
    SAVEDMODEL_RETURN_IF_ERROR(file.ReadAt(file.size() - tail.size(), tail));
    if (HasTableMagic(tail)) return OkStatus();
  }
  SAVEDMODEL_ASSIGN_OR_RETURN(const std::string looks, LooksLike(file));
  const bool too_short = looks.empty() && file.size() < kTableFooterSize;
  return Error(StatusCode::kDataLoss,
               too_short ? "file is too short to be a checkpoint index" : "file is not a checkpoint index")
      .File(file.name())
      .Expected("a table that ends in its magic number")
      .Found(looks.empty() ? std::to_string(file.size()) + " other bytes" : looks)
      .Hint(looks.empty() && !too_short ? "is it a data shard under another name?" : "")
      .ToStatus();
}

}  // namespace

StatusOr<Buffer> ReadIndexFile(const Directory& directory, std::string_view prefix, uint64_t max_bytes) {
  const StatusOr<std::shared_ptr<const RandomAccessFile>> file = OpenFile(directory, IndexFileName(prefix));
  if (absl::IsNotFound(file.status())) return ExplainMissingIndex(directory, prefix);
  if (!file.ok()) return file.status();
  SAVEDMODEL_RETURN_IF_ERROR(CheckIsTable(**file));
  const uint64_t size = (*file)->size();
  if (size > max_bytes) {
    return Error(StatusCode::kResourceExhausted, "checkpoint index is over the limit")
        .File((*file)->name())
        .Expected("at most " + std::to_string(max_bytes) + " bytes")
        .Found(std::to_string(size))
        .ToStatus();
  }
  SAVEDMODEL_ASSIGN_OR_RETURN(MutableBuffer bytes, MutableBuffer::Allocate(static_cast<size_t>(size)));
  SAVEDMODEL_RETURN_IF_ERROR((*file)->ReadAt(0, bytes.bytes()));
  return std::move(bytes).Freeze();
}

std::string ShardFiles::Name(int32_t shard) const {
  return JoinPath(directory_->name(), ShardFileName(prefix_, shard, num_shards_));
}

StatusOr<std::shared_ptr<const RandomAccessFile>> ShardFiles::Open(int32_t shard, bool explain) const {
  const std::lock_guard lock(mutex_);
  const auto known = files_.find(shard);
  if (known != files_.end()) return known->second;
  StatusOr<std::shared_ptr<const RandomAccessFile>> file =
      OpenFile(*directory_, ShardFileName(prefix_, shard, num_shards_));
  if (absl::IsNotFound(file.status())) return Missing(shard, explain);
  if (file.ok()) files_.emplace(shard, *file);
  return file;
}

Status ShardFiles::Missing(int32_t shard, bool explain) const {
  return Error(StatusCode::kNotFound, "checkpoint's data shard is missing")
      .File(Name(shard))
      .Hint(explain ? ShardsThere(*directory_, prefix_) : "")
      .ToStatus();
}

}  // namespace savedmodel::internal
