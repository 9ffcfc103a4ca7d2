#include "savedmodel/base/internal/errno_error.h"

#include <cerrno>
#include <system_error>

namespace savedmodel::internal {
namespace {

struct Line {
  int error;
  StatusCode code;
};

constexpr Line kLines[] = {
    {ENOENT, StatusCode::kNotFound},

    {EACCES, StatusCode::kPermissionDenied},
    {EPERM, StatusCode::kPermissionDenied},
    {EROFS, StatusCode::kPermissionDenied},

    {EISDIR, StatusCode::kInvalidArgument},
    {ENOTDIR, StatusCode::kInvalidArgument},
    {ELOOP, StatusCode::kInvalidArgument},
    {ENAMETOOLONG, StatusCode::kInvalidArgument},
    {EINVAL, StatusCode::kInvalidArgument},
    {EILSEQ, StatusCode::kInvalidArgument},
    {ENXIO, StatusCode::kInvalidArgument},  // a socket, or a device that is not there
    {ENODEV, StatusCode::kInvalidArgument},

    {EMFILE, StatusCode::kResourceExhausted},
    {ENFILE, StatusCode::kResourceExhausted},
    {ENOMEM, StatusCode::kResourceExhausted},
    {ENOSPC, StatusCode::kResourceExhausted},
    {EFBIG, StatusCode::kResourceExhausted},
    {EOVERFLOW, StatusCode::kResourceExhausted},
    {EMLINK, StatusCode::kResourceExhausted},
#ifdef EDQUOT
    {EDQUOT, StatusCode::kResourceExhausted},
#endif

    {EIO, StatusCode::kUnavailable},
    {EBUSY, StatusCode::kUnavailable},
    {ETXTBSY, StatusCode::kUnavailable},
    {EAGAIN, StatusCode::kUnavailable},
    {ETIMEDOUT, StatusCode::kUnavailable},
#ifdef ESTALE
    {ESTALE, StatusCode::kUnavailable},
#endif

    {EEXIST, StatusCode::kAlreadyExists},
    {ENOTEMPTY, StatusCode::kAlreadyExists},

    {ENOSYS, StatusCode::kFailedPrecondition},  // what the file system cannot do
    {EOPNOTSUPP, StatusCode::kFailedPrecondition},
    {EXDEV, StatusCode::kFailedPrecondition},
};

}  // namespace

StatusCode ErrnoCode(int error) {
  for (const Line& line : kLines) {
    if (line.error == error) return line.code;
  }
  return StatusCode::kUnavailable;
}

Error ErrnoError(int error, std::string_view what, std::string_view file) {
  // generic_category, unlike strerror, may be asked from several threads.
  std::string text = "cannot " + std::string(what) + ": " + std::generic_category().message(error);
  Error out(ErrnoCode(error), std::move(text));
  if (ErrnoCode(error) == StatusCode::kInvalidArgument) out.WrongKindOfFile();
  return out.File(file);
}

}  // namespace savedmodel::internal
