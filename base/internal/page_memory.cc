#include "savedmodel/base/internal/page_memory.h"

#include <cstdint>
#include <limits>
#include <new>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#include <unistd.h>
#define SAVEDMODEL_HAS_MMAP 1
#endif

namespace savedmodel::internal {

#if SAVEDMODEL_HAS_MMAP
namespace {

size_t RoundUpToPage(size_t size) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (size + page - 1) / page * page;
}

void Unmap(std::byte* begin, const std::byte* end) {
  if (begin != end) munmap(begin, static_cast<size_t>(end - begin));
}

}  // namespace

void* AllocatePages(size_t size) {
  if (size > std::numeric_limits<ptrdiff_t>::max() - 2 * kHugePage) return nullptr;
  const size_t length = RoundUpToPage(size);
  void* raw = mmap(nullptr, length + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  // Give back what lies before and after the aligned part.
  auto* begin = static_cast<std::byte*>(raw);
  const size_t misaligned = reinterpret_cast<uintptr_t>(raw) % kHugePage;
  std::byte* block = begin + (misaligned == 0 ? 0 : kHugePage - misaligned);
  Unmap(begin, block);
  Unmap(block + length, begin + length + kHugePage);
#ifdef MADV_HUGEPAGE
  madvise(block, length, MADV_HUGEPAGE);  // advice: a refusal changes nothing
#endif
  return block;
}

void FreePages(void* block, size_t size) { munmap(block, RoundUpToPage(size)); }

#else

void* AllocatePages(size_t size) { return ::operator new(size, std::align_val_t{kHugePage}, std::nothrow); }
void FreePages(void* block, size_t) { ::operator delete(block, std::align_val_t{kHugePage}); }

#endif

}  // namespace savedmodel::internal
