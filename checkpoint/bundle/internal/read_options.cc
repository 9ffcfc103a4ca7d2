#include "savedmodel/checkpoint/bundle/internal/read_options.h"

#include <string>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"

namespace savedmodel::internal {
namespace {

template <class Enum>
Status NoSuchValue(const char* what, Enum value) {
  return Error(StatusCode::kInvalidArgument, std::string(what) + " is none that there is")
      .Found(std::to_string(static_cast<int>(value)));
}

Status CheckMode(ReadMode mode) {
  switch (mode) {
    case ReadMode::kMapped:
    case ReadMode::kCopied:
      return OkStatus();
  }
  return NoSuchValue("ReadMode", mode);
}

Status CheckVerify(Verify verify) {
  switch (verify) {
    case Verify::kAlways:
    case Verify::kWholeReads:
    case Verify::kNever:
      return OkStatus();
  }
  return NoSuchValue("Verify", verify);
}

}  // namespace

Status CheckOptions(const ReadOptions& options) {
  SAVEDMODEL_RETURN_IF_ERROR(CheckMode(options.mode));
  SAVEDMODEL_RETURN_IF_ERROR(CheckVerify(options.verify));
  return options.control.CheckOptions();
}

}  // namespace savedmodel::internal
