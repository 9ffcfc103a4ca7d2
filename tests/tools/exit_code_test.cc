#include "savedmodel/tools/exit_code.h"

#include <gtest/gtest.h>

#include "savedmodel/base/file_system.h"
#include "savedmodel/base/internal/error.h"

namespace savedmodel::tools {
namespace {

TEST(ExitCode, EveryCodeHasItsOwn) {
  const struct {
    StatusCode code;
    int exit;
    std::string_view name;
  } cases[] = {
      {StatusCode::kOk, 0, "OK"},
      {StatusCode::kInvalidArgument, 2, "InvalidArgument"},
      {StatusCode::kOutOfRange, 2, "OutOfRange"},
      {StatusCode::kNotFound, 3, "NotFound"},
      {StatusCode::kPermissionDenied, 3, "PermissionDenied"},
      {StatusCode::kUnavailable, 3, "Unavailable"},
      {StatusCode::kCancelled, 3, "Cancelled"},
      {StatusCode::kDeadlineExceeded, 3, "DeadlineExceeded"},
      {StatusCode::kDataLoss, 4, "DataLoss"},
      {StatusCode::kUnimplemented, 4, "Unimplemented"},
      {StatusCode::kFailedPrecondition, 4, "FailedPrecondition"},
      {StatusCode::kResourceExhausted, 4, "ResourceExhausted"},
      {StatusCode::kAlreadyExists, 4, "AlreadyExists"},
      {StatusCode::kInternal, 4, "Internal"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ExitCode(Status(c.code, "")), c.exit) << c.name;
    EXPECT_EQ(CodeName(c.code), c.name);
  }
}

TEST(ExitCode, APathOfTheWrongKindIsNotReadable) {
  const Status file_as_directory = PosixFileSystem()->OpenDirectory("/dev/null").status();
  EXPECT_EQ(file_as_directory.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ExitCode(file_as_directory), 3);
  EXPECT_EQ(ExitCode(internal::Error(StatusCode::kInvalidArgument, "tags").File("f")), 2);
}

}  // namespace
}  // namespace savedmodel::tools
