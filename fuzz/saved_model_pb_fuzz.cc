// The bounded parse against libprotobuf's own: the same verdict, the same message, and nothing logged.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>

#include "savedmodel/base/error_context.h"
#include "savedmodel/proto/internal/parse.h"
#include "savedmodel/proto/internal/serialize.h"
#include "savedmodel/proto/saved_model.pb.h"
#include "savedmodel/proto/trackable_object_graph.pb.h"
#include "savedmodel/tests/proto/support/quiet_protobuf.h"

namespace savedmodel {
namespace {

void Require(bool condition, const char* what, const Status& status) {
  if (condition) return;
  std::cerr << what << ": " << status << "\n";
  __builtin_trap();
}

// Strings of GraphDebugInfo, which is proto2, are checked by us alone.
bool IsDebugInfoText(const Status& status) {
  const std::string_view text = Message(status);
  return text.find("UTF-8") != text.npos &&
         (text.find("GraphDebugInfo") != text.npos || text.find("FileLineCol") != text.npos ||
          text.find("TracesEntry") != text.npos || text.find("NameToTraceIdEntry") != text.npos);
}

template <class M>
void Compare(const std::string& bytes) {
  testing::QuietProtobuf quiet;
  M theirs;
  const bool they_accept = theirs.ParseFromString(bytes);
  testing::QuietProtobuf::lines() = 0;
  internal::ParseLimits limits;
  limits.max_memory_floor = uint64_t{1} << 40;
  M ours;
  const Status status = internal::ParseBounded(bytes, &ours, {}, limits);
  Require(testing::QuietProtobuf::lines() == 0, "logged", status);
  Require(status.ok() == they_accept || IsDebugInfoText(status), "another verdict", status);
  Require(internal::CheckEncoding(bytes, M::descriptor(), {}, limits) == status, "the check differs", status);
  if (!status.ok()) return;
  const std::string encoded = *internal::SerializeDeterministic(ours);
  Require(encoded == *internal::SerializeParsed(theirs), "another message", status);
  Require(internal::ParseBounded(encoded, &theirs, {}, limits).ok(), "does not parse again", status);
  Require(encoded == *internal::SerializeParsed(theirs), "changes when parsed again", status);
}

}  // namespace
}  // namespace savedmodel

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  savedmodel::Compare<savedmodel::proto::SavedModel>(bytes);
  savedmodel::Compare<savedmodel::proto::TrackableObjectGraph>(bytes);
  return 0;
}
