// The files of a bundle: the index read whole, shards opened when they are needed.
// FORMAT.md#files.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "savedmodel/base/buffer.h"
#include "savedmodel/base/file_system.h"
#include "savedmodel/base/status.h"

namespace savedmodel::internal {

// The bytes of `prefix`'s index file. A file that is no table is refused before it is read.
// Errors: NotFound (saying what there is), DataLoss (no table), ResourceExhausted (over `max_bytes`), as
// base/file_system.h.
StatusOr<Buffer> ReadIndexFile(const Directory& directory, std::string_view prefix, uint64_t max_bytes);

// Thread-safe. Each shard is opened once, when it is first asked for; a failure is not remembered.
class ShardFiles {
 public:
  ShardFiles(std::shared_ptr<const Directory> directory, std::string prefix, int32_t num_shards)
      : directory_(std::move(directory)), prefix_(std::move(prefix)), num_shards_(num_shards) {}

  // The path for messages.
  std::string Name(int32_t shard) const;
  // Errors: NotFound, which with `explain` says which shards there are (that lists a directory: too much for each of
  // very many), as base/file_system.h.
  StatusOr<std::shared_ptr<const RandomAccessFile>> Open(int32_t shard, bool explain = true) const;

 private:
  Status Missing(int32_t shard, bool explain) const;

  std::shared_ptr<const Directory> directory_;
  std::string prefix_;
  int32_t num_shards_;
  mutable std::mutex mutex_;
  mutable std::map<int32_t, std::shared_ptr<const RandomAccessFile>> files_;
};

}  // namespace savedmodel::internal
