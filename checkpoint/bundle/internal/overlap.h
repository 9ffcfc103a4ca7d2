// Whether boxes of one tensor lie over one another.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/bundle/internal/copy_runs.h"

namespace savedmodel::internal {

// Two boxes, by index, with a common element; nothing when all are apart. All have the same rank.
// Errors: ResourceExhausted (so many boxes beside each other that comparing them has no end).
StatusOr<std::optional<std::pair<size_t, size_t>>> FindOverlap(std::span<const Box> boxes);

}  // namespace savedmodel::internal
