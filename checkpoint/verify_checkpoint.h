// Checks everything about a checkpoint and goes on after each fault.
//
//   StatusOr<VerifyReport> report = VerifyCheckpoint("ckpt/model-1");
//   for (const Status& problem : report->problems) Print(Message(problem));
//
// Looked at: the index, every entry, every shard that holds one, every tensor's checksum and contents (string lengths,
// bools), the object graph, and whether what it records is stored. Cost: reads every byte, with little
// memory. Thread-safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/control.h"
#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/object_graph/object_graph.h"

namespace savedmodel {

struct VerifiedTensor {
  std::string key = {};
  std::string path = {};  // of the object it belongs to; empty where none records it
  uint64_t bytes = 0;     // stored
  Status status = {};     // OK: what is stored is what was written
};

struct VerifyReport {
  std::vector<VerifiedTensor> tensors = {};  // by key
  // What is wrong, each with file, offset, key and path where they are known. A missing shard is one problem,
  // whatever is in it, and so are all after the first hundred of them, and all that no tensor is stored in (of
  // which the first few are looked for: the index may claim any number).
  std::vector<Status> problems = {};
  // What is no fault and worth knowing: values that the object graph records and nobody stored. TensorFlow writes
  // that for a variable without a value; a load that wants the value fails.
  std::vector<Status> notes = {};
  uint64_t bytes = 0;  // of all tensors
  bool ok() const { return problems.empty(); }
};

// Errors, which are those of looking and not of what was found: NotFound (no index of this prefix), those of
// base/file_system.h, InvalidArgument (`control`), ResourceExhausted (memory), Cancelled, DeadlineExceeded.
StatusOr<VerifyReport> VerifyCheckpoint(std::string_view prefix, const BundleOptions& options = {},
                                        const Control& control = {});

// The same for an open bundle, added to `report`. `graph` may be null; `graph_status` then says why, which is
// a problem, too, unless there is none (FailedPrecondition: a checkpoint of names) or the tensors have told
// it already. Errors: InvalidArgument (`report` null, `control`), ResourceExhausted (memory), Cancelled,
// DeadlineExceeded.
Status VerifyTensors(const BundleReader& reader, const ObjectGraph* graph, const Status& graph_status,
                     const Control& control, VerifyReport* report);

}  // namespace savedmodel
