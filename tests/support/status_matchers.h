// GoogleTest matchers for Status and StatusOr.
//
//   ASSERT_THAT(reader.Verify(), IsOk());
//   EXPECT_THAT(Loader::Open("nowhere"), StatusIs(StatusCode::kNotFound, HasSubstr("nowhere")));
//   SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor, reader.Read("w"));
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "savedmodel/base/error_context.h"
#include "savedmodel/base/status.h"

namespace savedmodel::testing {

inline const Status& StatusOf(const Status& status) { return status; }
template <class T>
const Status& StatusOf(const StatusOr<T>& result) {
  return result.status();
}

MATCHER(IsOk, "") {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).ok();
}

MATCHER_P(StatusIs, code, "has the code " + absl::StatusCodeToString(code)) {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).code() == code;
}

MATCHER_P2(StatusIs, code, message_matcher, "has the code " + absl::StatusCodeToString(code)) {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).code() == code &&
         ::testing::Value(std::string(Message(StatusOf(arg))), message_matcher);
}

// The facts of an error: StatusHasContext(Field(&ErrorContext::key, "w")).
MATCHER_P(StatusHasContext, context_matcher, "") {
  *result_listener << StatusOf(arg).ToString();
  const auto context = GetErrorContext(StatusOf(arg));
  return context.has_value() && ::testing::Value(*context, context_matcher);
}

}  // namespace savedmodel::testing

#define SM_CONCAT_INNER_(a, b) a##b
#define SM_CONCAT_(a, b) SM_CONCAT_INNER_(a, b)
#define SM_ASSERT_OK_AND_ASSIGN(lhs, expr) \
  SM_ASSERT_OK_AND_ASSIGN_IMPL_(SM_CONCAT_(sm_or_, __LINE__), lhs, expr)
#define SM_ASSERT_OK_AND_ASSIGN_IMPL_(tmp, lhs, expr) \
  auto tmp = (expr);                                  \
  ASSERT_THAT(tmp, ::savedmodel::testing::IsOk());    \
  lhs = std::move(tmp).value()
