// What an assertion of a restore says of the values and objects that are left over: counted, grouped, and short.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/restore_status.h"

namespace savedmodel::internal {

// "3 stored values are not used: root.a, root.b (attribute state), ..."
std::string DescribeUnused(std::span<const UnusedValue> unused);

// FailedPrecondition for those that are not optional; OK when there are none.
Status ErrorOfUnused(std::span<const UnusedValue> unused, const std::string& file);
Status ErrorOfUnrestored(std::span<const UnrestoredObject> objects, const std::string& file);

}  // namespace savedmodel::internal
