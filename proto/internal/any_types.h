// Which message an `Any` inside text holds: TensorFlow's type names, answered from the SDK's own schema.
#pragma once

#include <memory>
#include <string>

#include "google/protobuf/text_format.h"

namespace savedmodel::internal {

// For parsing. The descriptors it gives are copies of the schema in which each string field is a bytes field
// and each map a list of entries: the encoding is the same, but libprotobuf has nothing to check and so
// nothing to print when it encodes the value. An Any inside an Any cannot be spelled out.
class AnyTypesForParsing : public google::protobuf::TextFormat::Finder {
 public:
  AnyTypesForParsing();
  ~AnyTypesForParsing() override;
  const google::protobuf::Descriptor* FindAnyType(const google::protobuf::Message& message,
                                                  const std::string& prefix,
                                                  const std::string& name) const override;

 private:
  class Schema;
  mutable std::unique_ptr<Schema> schema_;  // made when the first Any is met
};

// For printing: the schema itself.
class AnyTypesForPrinting : public google::protobuf::TextFormat::Finder {
 public:
  const google::protobuf::Descriptor* FindAnyType(const google::protobuf::Message& message,
                                                  const std::string& prefix,
                                                  const std::string& name) const override;
};

}  // namespace savedmodel::internal
