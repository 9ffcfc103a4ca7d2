#include "savedmodel/tests/support/allocation_faults.h"

#include <atomic>
#include <cstdlib>
#include <new>

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SAVEDMODEL_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SAVEDMODEL_SANITIZED 1
#endif

namespace savedmodel::testing {
namespace {

std::atomic<uint64_t> fail_at = 0;  // 0: never
std::atomic<uint64_t> count = 0;
std::atomic<bool> fail_later = false;
std::atomic<size_t> smallest = 0;

}  // namespace

#ifdef SAVEDMODEL_SANITIZED

const bool kCanFailAllocations = false;

#else

const bool kCanFailAllocations = true;

namespace {

bool MustFail(size_t size) {
  const uint64_t at = fail_at.load(std::memory_order_relaxed);
  if (at == 0 || size < smallest.load(std::memory_order_relaxed)) return false;
  const uint64_t number = ++count;
  return number == at || (number > at && fail_later.load(std::memory_order_relaxed));
}

}  // namespace

void* Allocate(std::size_t size) {
  void* block = MustFail(size) ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

#endif

AllocationFaults::AllocationFaults(uint64_t n, bool and_all_later, size_t min_size) {
  count = 0;
  smallest = min_size;
  fail_later = and_all_later;
  fail_at = n;
}

void AllocationFaults::Stop() {
  const uint64_t at = fail_at.exchange(0);
  if (at != 0) happened_ = count >= at;
}

}  // namespace savedmodel::testing

#ifndef SAVEDMODEL_SANITIZED

void* operator new(std::size_t size) { return savedmodel::testing::Allocate(size); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

#endif
