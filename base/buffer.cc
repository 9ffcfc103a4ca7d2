#include "savedmodel/base/buffer.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/page_memory.h"
#include "savedmodel/base/internal/status_macros.h"

namespace savedmodel {
namespace {

constexpr std::align_val_t kAlignment{64};  // a cache line, and the widest vector register

internal::Error NoMemory(size_t size) {
  return internal::Error(StatusCode::kResourceExhausted, "no memory for " + std::to_string(size) + " bytes");
}

std::shared_ptr<void> AllocateSmall(size_t size) {
  void* block = ::operator new(size, kAlignment, std::nothrow);
  if (block == nullptr) return nullptr;
  return {block, [](void* p) { ::operator delete(p, kAlignment); }};
}

std::shared_ptr<void> AllocateLarge(size_t size) {
  void* block = internal::AllocatePages(size);
  if (block == nullptr) return nullptr;
  return {block, [size](void* p) { internal::FreePages(p, size); }};
}

std::shared_ptr<void> AllocateBlock(size_t size) {
  if (size > static_cast<size_t>(std::numeric_limits<ptrdiff_t>::max())) return nullptr;
  try {
    return size < internal::kHugePage ? AllocateSmall(size) : AllocateLarge(size);
  } catch (const std::bad_alloc&) {  // the owner's own bookkeeping
    return nullptr;
  }
}

}  // namespace

Buffer Buffer::FromString(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  const auto bytes = std::as_bytes(std::span(*owner));
  return Buffer(std::move(owner), bytes);
}

StatusOr<Buffer> Buffer::Copy(std::span<const std::byte> bytes) {
  SAVEDMODEL_ASSIGN_OR_RETURN(MutableBuffer copy, MutableBuffer::Allocate(bytes.size()));
  std::copy(bytes.begin(), bytes.end(), copy.data());
  return std::move(copy).Freeze();
}

Buffer Buffer::Slice(size_t offset, size_t size) const {
  offset = std::min(offset, bytes_.size());
  return Buffer(owner_, bytes_.subspan(offset, std::min(size, bytes_.size() - offset)));
}

StatusOr<MutableBuffer> MutableBuffer::Allocate(size_t size) {
  MutableBuffer buffer;
  if (size == 0) return buffer;
  buffer.owner_ = AllocateBlock(size);
  if (buffer.owner_ == nullptr) return NoMemory(size);
  buffer.bytes_ = {static_cast<std::byte*>(buffer.owner_.get()), size};
  return buffer;
}

}  // namespace savedmodel
