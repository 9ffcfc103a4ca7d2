// Carries out a restore plan: reads the planned tensors of a bundle into objects.
//
// Everything was checked when the plan was made; what can still fail is I/O, checksums, contents
// (strings, bools), memory, cancellation, and an object of the caller's that refuses what was stored for it.
// Thread-safety: the call changes the objects given and needs outside locking for them; nobody may read them
// meanwhile. Calls on other objects may run concurrently.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/checkpoint/restore_plan.h"
#include "savedmodel/object_graph/trackable.h"

namespace savedmodel {

// How values reach memory that the caller wrapped in a Variable. Variables that own their value are always
// read aside and swapped in at the end.
enum class RestoreMode {
  // Checksums of all wrapped values are compared, then they are read in place: atomic against bad files, not
  // against files that change between the two passes. With Verify::kNever nothing is compared, and this is kInPlace.
  kVerifyFirst,
  kStage,    // everything is read aside, then copied: atomic against I/O errors too; twice the memory
  kInPlace,  // one pass; the error's report names what was overwritten
};

struct RestoreReport {
  uint64_t bytes_read = 0;  // of shards, the passes that only compare checksums included
  // After an error: paths of variables whose memory no longer holds its old value, and of other objects that had
  // taken theirs before it.
  std::vector<std::string> overwritten = {};
};

// Item i of the plan goes to objects[i]; items of one object follow each other. A Variable takes its value as the mode
// says; every other object gets all of its values in one RestoreValues, once everything that is read aside has been
// read and what goes to wrapped memory has been verified. On an error no owning variable has changed, and wrapped
// ones are as `mode` says; those that are overwritten count as having no value.
// options.max_tensor_bytes is for all values of the plan together, owned and wrapped, and is compared before anything
// is read. Errors: InvalidArgument (counts differ, null, an object that does not fit, two that share memory, a mode or
// option out of range), ResourceExhausted (max_tensor_bytes, memory), those of BundleReader::ReadMany and of
// Trackable::RestoreValues.
Status Restore(const BundleReader& reader, const RestorePlan& plan,
               std::span<const std::shared_ptr<Trackable>> objects,
               RestoreMode mode = RestoreMode::kVerifyFirst, const ReadOptions& options = {},
               RestoreReport* report = nullptr);

}  // namespace savedmodel
