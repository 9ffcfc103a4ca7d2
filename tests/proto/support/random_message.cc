#include "savedmodel/tests/proto/support/random_message.h"

#include <string>
#include <vector>

#include "google/protobuf/descriptor.h"

namespace savedmodel::testing {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

namespace {

constexpr int kMaxDepth = 12;
const std::vector<std::string> kNames = {
    "",      "a",     "b",     "node",
    "Const", "Const", "Const", "serve",
    "f_1",   "f_2",   "root",  "é",
    "名",    "x/y",   "v:0",   "default_with_a_longer_name_than_any_short_string"};

}  // namespace

uint64_t RandomMessages::Number() {
  const uint64_t wide = (static_cast<uint64_t>(random_()) << 32) | random_();
  return Below(3) == 0 ? wide >> Below(64) : Below(300);
}

std::string RandomMessages::Text(bool utf8) {
  if (utf8 || Below(2) == 0) return kNames[Below(static_cast<uint32_t>(kNames.size()))];
  std::string bytes(Below(20), '\0');
  for (char& c : bytes) c = static_cast<char>(random_());
  return bytes;
}

void RandomMessages::AddValue(Message* m, const FieldDescriptor* f, int depth) {
  const Reflection* r = m->GetReflection();
  const bool add = f->is_repeated();
  const uint64_t n = Number();
  switch (f->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return add ? r->AddInt32(m, f, static_cast<int32_t>(n)) : r->SetInt32(m, f, static_cast<int32_t>(n));
    case FieldDescriptor::CPPTYPE_INT64:
      return add ? r->AddInt64(m, f, static_cast<int64_t>(n)) : r->SetInt64(m, f, static_cast<int64_t>(n));
    case FieldDescriptor::CPPTYPE_UINT32:
      return add ? r->AddUInt32(m, f, static_cast<uint32_t>(n))
                 : r->SetUInt32(m, f, static_cast<uint32_t>(n));
    case FieldDescriptor::CPPTYPE_UINT64:
      return add ? r->AddUInt64(m, f, n) : r->SetUInt64(m, f, n);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return add ? r->AddDouble(m, f, static_cast<double>(n)) : r->SetDouble(m, f, static_cast<double>(n));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return add ? r->AddFloat(m, f, static_cast<float>(n)) : r->SetFloat(m, f, static_cast<float>(n));
    case FieldDescriptor::CPPTYPE_BOOL:
      return add ? r->AddBool(m, f, n % 2 != 0) : r->SetBool(m, f, n % 2 != 0);
    case FieldDescriptor::CPPTYPE_ENUM:
      return add ? r->AddEnumValue(m, f, static_cast<int>(n)) : r->SetEnumValue(m, f, static_cast<int>(n));
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string text = Text(f->type() == FieldDescriptor::TYPE_STRING);
      return add ? r->AddString(m, f, text) : r->SetString(m, f, text);
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return FillMessage(add ? r->AddMessage(m, f) : r->MutableMessage(m, f), depth + 1);
  }
}

void RandomMessages::FillMessage(Message* message, int depth) {
  --budget_;
  const auto* type = message->GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (is_message && (depth >= kMaxDepth || budget_ <= 0)) continue;
    // The upper levels are there to be full; further down most fields stay away.
    if (depth >= 3 && Below(3) != 0) continue;
    const uint32_t count = field->is_repeated() ? Below(depth < 3 ? 6 : 3) : Below(4) != 0;
    for (uint32_t n = 0; n < count && (!is_message || budget_ > 0); ++n) AddValue(message, field, depth);
  }
}

void RandomMessages::Fill(Message* message, int budget) {
  budget_ = budget;
  FillMessage(message, 0);
}

}  // namespace savedmodel::testing
