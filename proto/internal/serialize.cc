#include "savedmodel/proto/internal/serialize.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/proto/internal/wire.h"

namespace savedmodel::internal {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

bool HasBadString(const Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  std::string scratch;
  if (!field.is_repeated()) return !IsValidUtf8(reflection.GetStringReference(message, &field, &scratch));
  const int count = reflection.FieldSize(message, &field);
  for (int i = 0; i < count; ++i)
    if (!IsValidUtf8(reflection.GetRepeatedStringReference(message, &field, i, &scratch))) return true;
  return false;
}

void PushChildren(const Message& message, const FieldDescriptor& field, std::vector<const Message*>* stack) {
  const Reflection& reflection = *message.GetReflection();
  if (!field.is_repeated()) return stack->push_back(&reflection.GetMessage(message, &field));
  const int count = reflection.FieldSize(message, &field);
  for (int i = 0; i < count; ++i) stack->push_back(&reflection.GetRepeatedMessage(message, &field, i));
}

}  // namespace

std::optional<std::string> FindInvalidUtf8(const Message& root) {
  std::vector<const Message*> stack = {&root};
  std::vector<const FieldDescriptor*> fields;
  while (!stack.empty()) {
    const Message& message = *stack.back();
    stack.pop_back();
    fields.clear();
    message.GetReflection()->ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
      if (field->type() == FieldDescriptor::TYPE_STRING && HasBadString(message, *field))
        return absl::StrCat(message.GetDescriptor()->name(), ".", field->name());
      if (field->type() == FieldDescriptor::TYPE_MESSAGE) PushChildren(message, *field, &stack);
    }
  }
  return std::nullopt;
}

StatusOr<std::string> SerializeParsed(const Message& message) {
  const uint64_t size = message.ByteSizeLong();
  if (size > kMaxWireBytes) {
    return Error(StatusCode::kResourceExhausted,
                 absl::StrCat(message.GetDescriptor()->name(), " is too large to encode"))
        .Expected(absl::StrCat("at most ", kMaxWireBytes, " bytes"))
        .Found(absl::StrCat(size));
  }
  std::string bytes;
  bytes.reserve(size);
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  message.SerializeWithCachedSizes(&out);
  out.Trim();
  return bytes;
}

StatusOr<std::string> SerializeDeterministic(const Message& message) {
  if (const auto field = FindInvalidUtf8(message))
    return Error(StatusCode::kInvalidArgument, "a string to encode is not UTF-8, in " + *field);
  return SerializeParsed(message);
}

}  // namespace savedmodel::internal
