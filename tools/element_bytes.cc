#include "savedmodel/tools/element_bytes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "savedmodel/tools/sha256.h"

namespace savedmodel::tools {
namespace {

using Take = std::function<void(std::span<const std::byte>)>;

constexpr size_t kPiece = size_t{64} << 10;  // a multiple of every unit's size

std::array<std::byte, 8> LittleEndian(uint64_t value) {
  std::array<std::byte, 8> bytes;
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(value >> (8 * i));
  return bytes;
}

void TakeStrings(const Tensor& tensor, const Take& take) {
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    const StatusOr<std::string_view> element = tensor.StringAt(i);
    if (!element.ok()) return;  // cannot be: the index is inside
    take(LittleEndian(element->size()));
    take(std::as_bytes(std::span(*element)));
  }
}

// Turns every unit of `size` bytes round.
void TakeSwapped(std::span<const std::byte> bytes, size_t size, const Take& take) {
  std::vector<std::byte> piece;
  for (; !bytes.empty(); bytes = bytes.subspan(piece.size())) {
    piece.assign(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(std::min(kPiece, bytes.size())));
    for (size_t at = 0; at + size <= piece.size(); at += size) {
      const auto unit = piece.begin() + static_cast<ptrdiff_t>(at);
      std::reverse(unit, unit + static_cast<ptrdiff_t>(size));
    }
    take(piece);
  }
}

}  // namespace

void ForEachPiece(const Tensor& tensor, const Take& take) {
  const size_t unit = DTypeSwapUnit(tensor.dtype());
  if (!IsFixedSize(tensor.dtype())) return TakeStrings(tensor, take);
  if (std::endian::native == std::endian::little || unit == 1) return take(tensor.buffer().bytes());
  TakeSwapped(tensor.buffer().bytes(), unit, take);
}

std::string DigestOf(const Tensor& tensor) {
  Sha256 sha;
  ForEachPiece(tensor, [&](std::span<const std::byte> piece) { sha.Update(piece); });
  return sha.HexDigest();
}

}  // namespace savedmodel::tools
