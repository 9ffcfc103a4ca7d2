// Bytes with a shared owner: a slice of a buffer keeps the whole allocation or file mapping alive.
//
//   Buffer all = Buffer::FromString(text);
//   Buffer part = all.Slice(4, 8);          // no copy; stays valid when `all` is gone
//
// Thread-safety: const methods may run concurrently; the bytes are never changed through a Buffer.
// Lifetime: data() is valid as long as this Buffer or any other that shares its owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "savedmodel/base/status.h"

namespace savedmodel {

class Buffer {
 public:
  Buffer() = default;
  // Shares `owner`, which must keep `bytes` valid and unchanged while it lives.
  Buffer(std::shared_ptr<const void> owner, std::span<const std::byte> bytes)
      : owner_(std::move(owner)), bytes_(bytes) {}

  static Buffer FromString(std::string text);
  // Copies `bytes`. Errors: ResourceExhausted (no memory).
  static StatusOr<Buffer> Copy(std::span<const std::byte> bytes);

  const std::byte* data() const { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  std::span<const std::byte> bytes() const& { return bytes_; }
  std::span<const std::byte> bytes() const&& = delete;  // would outlive the owner
  std::string_view view() const& { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }
  std::string_view view() const&& = delete;
  const std::shared_ptr<const void>& owner() const { return owner_; }

  // [offset, offset + size), clipped to this buffer, with the same owner.
  Buffer Slice(size_t offset, size_t size) const;

 private:
  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
};

// Memory to fill once and then freeze into a Buffer. Uninitialised; 64-byte aligned; large blocks ask for huge pages.
class MutableBuffer {
 public:
  MutableBuffer() = default;
  // Errors: ResourceExhausted (no memory). Never throws.
  static StatusOr<MutableBuffer> Allocate(size_t size);

  std::span<std::byte> bytes() const { return bytes_; }
  std::byte* data() const { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }
  const std::shared_ptr<void>& owner() const { return owner_; }
  // The same memory, read-only from now on.
  Buffer Freeze() && { return Buffer(std::move(owner_), bytes_); }

 private:
  std::shared_ptr<void> owner_;
  std::span<std::byte> bytes_;
};

}  // namespace savedmodel
