// Checks everything about a SavedModel and goes on after each fault.
//
//   StatusOr<VerifyReport> report = VerifyModel("models/translate/3");
//   if (!report->ok()) for (const Status& problem : report->problems) Print(Message(problem));
//
// Looked at: the graph file, whole (every MetaGraph, node and function parses); what it refers to (nodes,
// functions, constants, assets on disk); that variables and the checkpoint agree on keys, dtypes and shapes;
// the checkpoint itself as VerifyCheckpoint does; fingerprint and debug info. The fingerprint's hashes are
// not computed anew. Not looked at: bytes of a shard that no entry names, Keras metadata, other files.
// Cost: reads the graph, the index and every stored tensor. Thread-safety: a pure function.
#pragma once

#include <string_view>

#include "savedmodel/base/control.h"
#include "savedmodel/base/status.h"
#include "savedmodel/checkpoint/verify_checkpoint.h"
#include "savedmodel/saved_model/load_options.h"

namespace savedmodel {

// `options.tags` are not looked at: every MetaGraph is checked.
// Errors, which are those of looking and not of what was found: NotFound (no directory, or no SavedModel in
// it), those of base/file_system.h, InvalidArgument (`control`), ResourceExhausted (memory), Cancelled, DeadlineExceeded.
StatusOr<VerifyReport> VerifyModel(std::string_view directory, const OpenOptions& options = {},
                                   const Control& control = {});

}  // namespace savedmodel
