// Early return on error, for .cc files.
#pragma once

#include <utility>

#include "savedmodel/base/status.h"

#define SAVEDMODEL_RETURN_IF_ERROR(expr)                                            \
  do {                                                                              \
    if (::savedmodel::Status savedmodel_status_ = (expr); !savedmodel_status_.ok()) \
      return savedmodel_status_;                                                    \
  } while (false)

#define SAVEDMODEL_CONCAT_INNER_(a, b) a##b
#define SAVEDMODEL_CONCAT_(a, b) SAVEDMODEL_CONCAT_INNER_(a, b)
#define SAVEDMODEL_ASSIGN_OR_RETURN(lhs, expr) \
  SAVEDMODEL_ASSIGN_OR_RETURN_IMPL_(SAVEDMODEL_CONCAT_(savedmodel_or_, __LINE__), lhs, expr)
#define SAVEDMODEL_ASSIGN_OR_RETURN_IMPL_(tmp, lhs, expr) \
  auto tmp = (expr);                                      \
  if (!tmp.ok()) return tmp.status();                     \
  lhs = std::move(tmp).value()
