#include "savedmodel/tools/exit_code.h"

#include "savedmodel/base/internal/error.h"

namespace savedmodel::tools {
namespace {

struct Line {
  StatusCode code;
  std::string_view name;
  int exit;
};

// docs/errors.md says the same in words.
constexpr Line kLines[] = {
    {StatusCode::kOk, "OK", kExitFine},
    {StatusCode::kNotFound, "NotFound", kExitNotReadable},
    {StatusCode::kInvalidArgument, "InvalidArgument", kExitUsage},
    {StatusCode::kOutOfRange, "OutOfRange", kExitUsage},
    {StatusCode::kDataLoss, "DataLoss", kExitRefused},
    {StatusCode::kUnimplemented, "Unimplemented", kExitRefused},
    {StatusCode::kFailedPrecondition, "FailedPrecondition", kExitRefused},
    {StatusCode::kResourceExhausted, "ResourceExhausted", kExitRefused},
    {StatusCode::kAlreadyExists, "AlreadyExists", kExitRefused},
    {StatusCode::kPermissionDenied, "PermissionDenied", kExitNotReadable},
    {StatusCode::kUnavailable, "Unavailable", kExitNotReadable},
    {StatusCode::kCancelled, "Cancelled", kExitNotReadable},
    {StatusCode::kDeadlineExceeded, "DeadlineExceeded", kExitNotReadable},
    {StatusCode::kInternal, "Internal", kExitRefused},
};

const Line* Find(StatusCode code) {
  for (const Line& line : kLines) {
    if (line.code == code) return &line;
  }
  return nullptr;
}

}  // namespace

int ExitCode(const Status& status) {
  if (internal::IsWrongKindOfFile(status)) return kExitNotReadable;
  const Line* line = Find(status.code());
  return line ? line->exit : kExitRefused;
}

std::string_view CodeName(StatusCode code) {
  const Line* line = Find(code);
  return line ? line->name : "Unknown";
}

}  // namespace savedmodel::tools
