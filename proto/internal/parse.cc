#include "savedmodel/proto/internal/parse.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "savedmodel/base/internal/absl_compat.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/proto/internal/wire_check.h"

namespace savedmodel::internal {
namespace {

using google::protobuf::Descriptor;

// One attempt to read `type` from `source`: the words of its errors.
struct Attempt {
  const Descriptor& type;
  const ParseSource& source;

  std::string Name() const {
    return source.what.empty() ? type.name() : absl::StrCat(ToAbsl(source.what), " (", type.name(), ")");
  }
  Error Fail(StatusCode code, std::string what, uint64_t offset) const {
    Error error(code, std::move(what));
    error.File(source.file);
    if (source.base_offset) error.Offset(*source.base_offset + offset);
    return error;
  }
  Status TooLarge(const char* measure, uint64_t limit, uint64_t found) const {
    return Fail(StatusCode::kResourceExhausted, absl::StrCat(Name(), " is too large"), 0)
        .Expected(absl::StrCat("at most ", limit, " bytes of ", measure))
        .Found(absl::StrCat(found))
        .ToStatus();
  }
  Status Faulty(const WireCheckResult& result) const;
};

// "NodeDef.name", "NodeDef field 99", "an unknown group".
std::string PlaceOf(const WireCheckResult& result) {
  if (result.message == nullptr) return "an unknown group";
  const Descriptor& type = *result.message->descriptor;
  if (result.field == 0) return type.name();
  const auto* field = type.FindFieldByNumber(static_cast<int>(result.field));
  return field == nullptr ? absl::StrCat(type.name(), " field ", result.field)
                          : absl::StrCat(type.name(), ".", field->name());
}

Status Attempt::Faulty(const WireCheckResult& result) const {
  const bool limit = result.fault == WireFault::kDepth;
  return Fail(limit ? StatusCode::kResourceExhausted : StatusCode::kDataLoss,
              absl::StrCat("cannot parse ", Name(), ": ", ToAbsl(DescribeFault(result.fault)), ", in ",
                           PlaceOf(result)),
              result.offset);
}

uint64_t MemoryLimit(uint64_t bytes, const ParseLimits& limits) {
  const uint64_t factor = std::max<uint64_t>(limits.max_memory_factor, 1);
  return std::max(limits.max_memory_floor, bytes > UINT64_MAX / factor ? UINT64_MAX : bytes * factor);
}

}  // namespace

Status CheckEncoding(std::string_view bytes, const Descriptor* type, const ParseSource& source,
                     const ParseLimits& limits) {
  const Attempt attempt{*type, source};
  const uint64_t max_bytes = std::min(limits.max_bytes, kMaxWireBytes);
  if (bytes.size() > max_bytes) return attempt.TooLarge("encoding", max_bytes, bytes.size());
  const MessageRule* rule = FindMessageRule(type);
  if (rule == nullptr) return attempt.Fail(StatusCode::kInternal, "no schema for " + type->full_name(), 0);
  const WireCheckResult result = CheckWire(bytes, *rule, std::clamp(limits.max_depth, 0, kMaxWireDepth));
  if (result.fault != WireFault::kNone) return attempt.Faulty(result);
  const uint64_t max_memory = MemoryLimit(bytes.size(), limits);
  return result.memory > max_memory ? attempt.TooLarge("memory", max_memory, result.memory) : OkStatus();
}

Status ParseBounded(std::string_view bytes, google::protobuf::Message* message, const ParseSource& source,
                    const ParseLimits& limits) {
  message->Clear();
  SAVEDMODEL_RETURN_IF_ERROR(CheckEncoding(bytes, message->GetDescriptor(), source, limits));
  if (message->ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size()))) return OkStatus();
  message->Clear();
  const Attempt attempt{*message->GetDescriptor(), source};
  return attempt.Fail(StatusCode::kDataLoss, "cannot parse " + attempt.Name(), 0);
}

}  // namespace savedmodel::internal
