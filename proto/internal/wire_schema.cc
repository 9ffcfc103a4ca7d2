#include "savedmodel/proto/internal/wire_schema.h"

#include <algorithm>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "google/protobuf/descriptor.pb.h"
#include "google/protobuf/message.h"
#include "savedmodel/proto/checkpoint_state.pb.h"
#include "savedmodel/proto/chunk.pb.h"
#include "savedmodel/proto/fingerprint.pb.h"
#include "savedmodel/proto/keras_metadata.pb.h"
#include "savedmodel/proto/saved_model.pb.h"
#include "savedmodel/proto/saved_tensor_slice.pb.h"
#include "savedmodel/proto/tensor_bundle.pb.h"

namespace savedmodel::internal {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;

// Beyond the message itself: its slot in the parent, and for a map entry the table's node.
constexpr size_t kSlotBytes = 8;
constexpr size_t kMapNodeBytes = 64;

using Rules = absl::flat_hash_map<const Descriptor*, std::unique_ptr<MessageRule>>;

FieldKind PackedKind(const FieldDescriptor& field) {
  switch (field.type()) {
    case FieldDescriptor::TYPE_DOUBLE:
    case FieldDescriptor::TYPE_FIXED64:
    case FieldDescriptor::TYPE_SFIXED64:
      return FieldKind::kPackedFixed64;
    case FieldDescriptor::TYPE_FLOAT:
    case FieldDescriptor::TYPE_FIXED32:
    case FieldDescriptor::TYPE_SFIXED32:
      return FieldKind::kPackedFixed32;
    default:
      return FieldKind::kPackedVarint;
  }
}

FieldKind KindOf(const FieldDescriptor& field) {
  if (field.type() == FieldDescriptor::TYPE_MESSAGE) return FieldKind::kMessage;
  if (field.type() == FieldDescriptor::TYPE_STRING) return FieldKind::kString;
  return field.is_packable() ? PackedKind(field) : FieldKind::kOpaque;
}

size_t EmptyMessageBytes(const Descriptor* descriptor) {
  if (descriptor->options().map_entry()) return kMapNodeBytes;
  const auto* prototype = google::protobuf::MessageFactory::generated_factory()->GetPrototype(descriptor);
  return kSlotBytes + (prototype == nullptr ? kMapNodeBytes : prototype->SpaceUsedLong());
}

std::vector<const Descriptor*> AllMessages() {
  std::vector<const Descriptor*> all;
  for (const FileDescriptor* file : SchemaFiles())
    for (int i = 0; i < file->message_type_count(); ++i) all.push_back(file->message_type(i));
  for (size_t i = 0; i < all.size(); ++i)
    for (int n = 0; n < all[i]->nested_type_count(); ++n) all.push_back(all[i]->nested_type(n));
  return all;
}

void FillFields(const Rules& rules, MessageRule* rule) {
  for (int i = 0; i < rule->descriptor->field_count(); ++i) {
    const FieldDescriptor& field = *rule->descriptor->field(i);
    const auto number = static_cast<size_t>(field.number());
    if (rule->fields.size() <= number) rule->fields.resize(number + 1);
    rule->fields[number].kind = KindOf(field);
    if (field.message_type() != nullptr) rule->fields[number].message = rules.at(field.message_type()).get();
  }
}

Rules MakeRules() {
  Rules rules;
  for (const Descriptor* descriptor : AllMessages()) {
    auto rule = std::make_unique<MessageRule>();
    rule->descriptor = descriptor;
    rule->memory = EmptyMessageBytes(descriptor);
    rules.emplace(descriptor, std::move(rule));
  }
  for (auto& [descriptor, rule] : rules) FillFields(rules, rule.get());
  return rules;
}

}  // namespace

std::vector<const FileDescriptor*> SchemaFiles() {
  std::vector<const FileDescriptor*> files = {
      proto::SavedModel::descriptor()->file(),
      proto::CheckpointState::descriptor()->file(),
      proto::BundleHeaderProto::descriptor()->file(),
      proto::SavedTensorSlices::descriptor()->file(),
      proto::FingerprintDef::descriptor()->file(),
      proto::keras::SavedMetadata::descriptor()->file(),
      proto::proto_splitter::ChunkMetadata::descriptor()->file(),
  };
  for (size_t i = 0; i < files.size(); ++i) {
    for (int d = 0; d < files[i]->dependency_count(); ++d) {
      const FileDescriptor* imported = files[i]->dependency(d);
      if (std::find(files.begin(), files.end(), imported) == files.end()) files.push_back(imported);
    }
  }
  return files;
}

const MessageRule* FindMessageRule(const Descriptor* descriptor) {
  static const Rules& rules =
      *new Rules(MakeRules());  // never destroyed: parses may run while the process ends
  const auto it = rules.find(descriptor);
  return it == rules.end() ? nullptr : it->second.get();
}

}  // namespace savedmodel::internal
