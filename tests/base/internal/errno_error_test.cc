#include "savedmodel/base/internal/errno_error.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::internal {
namespace {

using savedmodel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ErrnoError, CodesAreThoseOfTheTable) {
  const struct {
    int error;
    StatusCode code;
  } cases[] = {
      {ENOENT, StatusCode::kNotFound},
      {EACCES, StatusCode::kPermissionDenied},
      {EPERM, StatusCode::kPermissionDenied},
      {EROFS, StatusCode::kPermissionDenied},
      {EISDIR, StatusCode::kInvalidArgument},
      {ENOTDIR, StatusCode::kInvalidArgument},
      {ELOOP, StatusCode::kInvalidArgument},
      {ENXIO, StatusCode::kInvalidArgument},
      {ENAMETOOLONG, StatusCode::kInvalidArgument},
      {EMFILE, StatusCode::kResourceExhausted},
      {ENFILE, StatusCode::kResourceExhausted},
      {ENOMEM, StatusCode::kResourceExhausted},
      {ENOSPC, StatusCode::kResourceExhausted},
      {EIO, StatusCode::kUnavailable},
      {ESTALE, StatusCode::kUnavailable},
      {EBUSY, StatusCode::kUnavailable},
      {EEXIST, StatusCode::kAlreadyExists},
      {EXDEV, StatusCode::kFailedPrecondition},
      {99999, StatusCode::kUnavailable},
  };
  for (const auto& c : cases) EXPECT_EQ(ErrnoCode(c.error), c.code) << c.error;
}

TEST(ErrnoError, SaysWhatAndWhy) {
  EXPECT_THAT(ErrnoError(EACCES, "open", "m/saved_model.pb").ToStatus(),
              StatusIs(StatusCode::kPermissionDenied, AllOf(HasSubstr("cannot open"), HasSubstr("ermission"),
                                                            HasSubstr("m/saved_model.pb"))));
}

TEST(ErrnoError, AWrongKindOfFileIsTold) {
  for (int error : {EISDIR, ENOTDIR, ELOOP, ENXIO}) {
    EXPECT_TRUE(IsWrongKindOfFile(ErrnoError(error, "open", "m"))) << error;
  }
  EXPECT_FALSE(IsWrongKindOfFile(ErrnoError(ENOENT, "open", "m")));
  EXPECT_FALSE(IsWrongKindOfFile(ErrnoError(EACCES, "open", "m")));
}

}  // namespace
}  // namespace savedmodel::internal
