// Reads until all bytes are there, whatever portions the system hands out.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

namespace savedmodel::internal {

// One call of the system reads at most this much (Linux stops at 2^31 - 4096, others refuse more).
inline constexpr size_t kMaxReadCall = size_t{1} << 30;

struct ReadOutcome {
  size_t done = 0;  // bytes read; fewer than asked for with error 0 means that the file ended
  int error = 0;    // errno of the call that failed
};

// `pread(void* to, size_t size, uint64_t offset)` is like POSIX pread: the bytes read, 0 at the end, -1 with
// errno set.
template <class Pread>
ReadOutcome ReadFully(uint64_t offset, std::span<std::byte> out, Pread&& pread) {
  size_t done = 0;
  while (done < out.size()) {
    const size_t want = std::min(out.size() - done, kMaxReadCall);
    const auto got = pread(out.data() + done, want, offset + done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {done, errno};
    if (got == 0) return {done, 0};
    done += static_cast<size_t>(got);
  }
  return {done, 0};
}

}  // namespace savedmodel::internal
