#include "savedmodel/proto/internal/any_types.h"

#include <string_view>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/descriptor.pb.h"
#include "google/protobuf/descriptor_database.h"
#include "savedmodel/proto/internal/wire_schema.h"

namespace savedmodel::internal {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::DescriptorProto;
using google::protobuf::FieldDescriptorProto;
using google::protobuf::FileDescriptor;
using google::protobuf::FileDescriptorProto;
using google::protobuf::Message;

constexpr std::string_view kUrlPrefix = "type.googleapis.com/";
constexpr std::string_view kTheirPackage = "tensorflow.";
constexpr std::string_view kOurPackage = "savedmodel.proto.";

// "tensorflow.X" as our "savedmodel.proto.X"; other names as they are; empty for other prefixes.
std::string OurName(const std::string& prefix, const std::string& name) {
  if (prefix != kUrlPrefix) return "";
  if (!std::string_view(name).starts_with(kTheirPackage)) return name;
  return std::string(kOurPackage) + name.substr(kTheirPackage.size());
}

// Strings to bytes and maps to lists, in `root` and the messages declared inside it.
void Loosen(DescriptorProto* root) {
  std::vector<DescriptorProto*> stack = {root};
  while (!stack.empty()) {
    DescriptorProto* message = stack.back();
    stack.pop_back();
    message->mutable_options()->clear_map_entry();
    for (auto& field : *message->mutable_field())
      if (field.type() == FieldDescriptorProto::TYPE_STRING) field.set_type(FieldDescriptorProto::TYPE_BYTES);
    for (auto& nested : *message->mutable_nested_type()) stack.push_back(&nested);
  }
}

}  // namespace

class AnyTypesForParsing::Schema {
 public:
  Schema() {
    FileDescriptorProto copy;
    for (const FileDescriptor* file : SchemaFiles()) {
      copy.Clear();
      file->CopyTo(&copy);
      for (auto& message : *copy.mutable_message_type()) Loosen(&message);
      files_.Add(copy);
    }
  }
  const Descriptor* Find(const std::string& name) { return pool_.FindMessageTypeByName(name); }

 private:
  google::protobuf::SimpleDescriptorDatabase files_;
  DescriptorPool pool_{&files_};
};

AnyTypesForParsing::AnyTypesForParsing() = default;
AnyTypesForParsing::~AnyTypesForParsing() = default;

const Descriptor* AnyTypesForParsing::FindAnyType(const Message&, const std::string& prefix,
                                                  const std::string& name) const {
  if (schema_ == nullptr) schema_ = std::make_unique<Schema>();
  return schema_->Find(OurName(prefix, name));
}

const Descriptor* AnyTypesForPrinting::FindAnyType(const Message&, const std::string& prefix,
                                                   const std::string& name) const {
  return DescriptorPool::generated_pool()->FindMessageTypeByName(OurName(prefix, name));
}

}  // namespace savedmodel::internal
