#include "savedmodel/checkpoint/bundle/bundle_reader.h"

#include <algorithm>
#include <utility>

#include "savedmodel/base/internal/checked_files.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/out_of_memory.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/checkpoint/bundle/internal/bundle.h"

namespace savedmodel {

using internal::Guarded;

uint64_t TensorInfo::stored_bytes() const {
  uint64_t size = bytes.size;
  // A file's claims may be any number.
  for (const StoredSlice& part : slices) size += std::min(part.bytes.size, UINT64_MAX - size);
  return size;
}

StatusOr<BundleReader> BundleReader::Open(std::string_view prefix, const BundleOptions& options) {
  return Guarded([&]() -> StatusOr<BundleReader> {
    const std::shared_ptr<const FileSystem> files =
        options.file_system != nullptr ? options.file_system : PosixFileSystem();
    const SplitPathResult path = SplitPath(prefix);
    SAVEDMODEL_ASSIGN_OR_RETURN(auto directory, internal::OpenDirectory(*files, path.directory));
    return Open(std::move(directory), path.base, options);
  });
}

StatusOr<BundleReader> BundleReader::Open(std::shared_ptr<const Directory> directory, std::string_view prefix,
                                          const BundleOptions& options) {
  return Guarded([&]() -> StatusOr<BundleReader> {
    SAVEDMODEL_ASSIGN_OR_RETURN(auto bundle,
                                internal::Bundle::Open(std::move(directory), prefix, options.limits));
    return BundleReader(std::move(bundle));
  });
}

const std::string& BundleReader::index_name() const { return bundle_->index().name(); }
int BundleReader::num_shards() const { return bundle_->index().header().num_shards; }
std::string BundleReader::ShardName(int i) const { return bundle_->shards().Name(i); }
bool BundleReader::big_endian() const { return bundle_->index().header().big_endian; }

StatusOr<uint64_t> BundleReader::ShardSize(int i) const {
  return Guarded([&]() -> StatusOr<uint64_t> {
    if (i < 0 || i >= num_shards()) {
      return internal::Error(StatusCode::kOutOfRange, "checkpoint has no such shard")
          .File(index_name())
          .Expected("0 to " + std::to_string(num_shards() - 1))
          .Found(std::to_string(i))
          .ToStatus();
    }
    SAVEDMODEL_ASSIGN_OR_RETURN(const auto file, bundle_->shards().Open(i));
    return file->size();
  });
}

std::span<const std::string_view> BundleReader::keys() const& { return bundle_->index().keys(); }
bool BundleReader::Contains(std::string_view key) const { return bundle_->index().Contains(key); }
StatusOr<TensorInfo> BundleReader::Find(std::string_view key) const {
  return Guarded([&] { return bundle_->index().Find(key); });
}

namespace {

StatusOr<Tensor> ReadOne(const internal::Bundle& bundle, ReadRequest request, const ReadOptions& options) {
  Tensor tensor;
  request.tensor = &tensor;
  SAVEDMODEL_RETURN_IF_ERROR(bundle.ReadMany({&request, 1}, options, nullptr));
  return tensor;
}

}  // namespace

StatusOr<Tensor> BundleReader::Read(std::string_view key, const ReadOptions& options) const {
  return Guarded([&] { return ReadOne(*bundle_, {.key = key}, options); });
}

StatusOr<Tensor> BundleReader::ReadSlice(std::string_view key, const TensorSlice& slice,
                                         const ReadOptions& options) const {
  return Guarded([&] { return ReadOne(*bundle_, {.key = key, .slice = slice}, options); });
}

StatusOr<Tensor> BundleReader::ReadRows(std::string_view key, int64_t begin, int64_t count,
                                        const ReadOptions& options) const {
  return Guarded([&]() -> StatusOr<Tensor> {
    SAVEDMODEL_ASSIGN_OR_RETURN(const TensorInfo info, bundle_->index().Find(key));
    StatusOr<TensorSlice> rows = TensorSlice::Rows(begin, count, info.shape.rank());
    if (!rows.ok())
      return internal::WithContext(rows.status(), {.file = index_name(), .key = std::string(key)});
    return ReadOne(*bundle_, {.key = key, .slice = *rows}, options);
  });
}

Status BundleReader::ReadMany(std::span<const ReadRequest> requests, const ReadOptions& options,
                              ReadReport* report) const {
  return Guarded([&] { return bundle_->ReadMany(requests, options, report); });
}

Status BundleReader::VerifyMany(std::span<const ReadRequest> requests, const ReadOptions& options) const {
  return Guarded([&] { return bundle_->VerifyMany(requests, options); });
}

StatusOr<std::vector<VerifyResult>> BundleReader::Verify(const Control& control) const {
  return Guarded([&] { return bundle_->Verify(control); });
}

}  // namespace savedmodel
