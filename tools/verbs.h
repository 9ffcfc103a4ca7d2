// One function per verb. Each finds out everything first and then answers, so that a failure's answer is the
// error alone.
//
// They return the exit code of an answer that was given (0, 1 for "no", or that of the first fault in a
// list), or the error that is the answer.
#pragma once

#include "savedmodel/base/status.h"
#include "savedmodel/tools/console.h"
#include "savedmodel/tools/options.h"

namespace savedmodel::tools {

StatusOr<int> RunShow(const Options& options, Console& console);
StatusOr<int> RunLs(const Options& options, Console& console);
StatusOr<int> RunTree(const Options& options, Console& console);
StatusOr<int> RunCat(const Options& options, Console& console);
StatusOr<int> RunLoad(const Options& options, Console& console);
StatusOr<int> RunVerify(const Options& options, Console& console);

}  // namespace savedmodel::tools
