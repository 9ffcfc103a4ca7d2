#include "savedmodel/tests/checkpoint/bundle/bundle_case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cctype>
#include <memory>
#include <optional>
#include <utility>

#include "savedmodel/base/dtype.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/tests/support/bundle_builder.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr std::string_view kPrefix = "m";
constexpr bool kHostIsBig = std::endian::native == std::endian::big;

// ---- Values ----

std::string FromHex(const std::string& hex) {
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    if (hex[i] == ' ') {
      --i;
      continue;
    }
    out.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return out;
}

int64_t DTypeNumber(const json& dtype) {
  if (dtype.is_number()) return dtype.get<int64_t>();
  const auto known = DTypeFromName(dtype.get<std::string>());
  EXPECT_TRUE(known.has_value()) << dtype;
  return static_cast<int64_t>(known.value_or(DType::kInvalid));
}

template <class T>
std::string Number(const json& value, bool big) {
  return BytesOf<T>({value.get<T>()}, big);
}

std::string EncodeValue(DType dtype, const json& value, bool big) {
  switch (dtype) {
    case DType::kFloat32:
      return Number<float>(value, big);
    case DType::kFloat64:
      return Number<double>(value, big);
    case DType::kInt8:
      return Number<int8_t>(value, big);
    case DType::kInt16:
      return Number<int16_t>(value, big);
    case DType::kInt32:
      return Number<int32_t>(value, big);
    case DType::kInt64:
      return Number<int64_t>(value, big);
    case DType::kUint8:
      return Number<uint8_t>(value, big);
    case DType::kUint16:
      return Number<uint16_t>(value, big);
    case DType::kUint32:
      return Number<uint32_t>(value, big);
    case DType::kUint64:
      return Number<uint64_t>(value, big);
    case DType::kBool:
      return std::string(1, value.get<bool>() ? '\1' : '\0');
    case DType::kComplex64:
      return Number<float>(value[0], big) + Number<float>(value[1], big);
    case DType::kComplex128:
      return Number<double>(value[0], big) + Number<double>(value[1], big);
    default:
      ADD_FAILURE() << "give " << DTypeName(dtype) << " by bits";
      return "";
  }
}

std::string EncodeBits(DType dtype, const json& value, bool big) {
  switch (DTypeSize(dtype)) {
    case 1:
      return Number<uint8_t>(value, big);
    case 2:
      return Number<uint16_t>(value, big);
    case 4:
      return Number<uint32_t>(value, big);
    default:
      return Number<uint64_t>(value, big);
  }
}

// The elements that `fields` gives as "values" or "bits", as bytes in that order.
std::string EncodeElements(const json& fields, DType dtype, bool big) {
  std::string out;
  if (fields.contains("bits")) {
    for (const json& value : fields["bits"]) out += EncodeBits(dtype, value, big);
  }
  if (fields.contains("values")) {
    for (const json& value : fields["values"]) out += EncodeValue(dtype, value, big);
  }
  return out;
}

std::vector<std::string> Strings(const json& list) {
  std::vector<std::string> out;
  for (const json& s : list) out.push_back(s.get<std::string>());
  return out;
}

// ---- Inputs ----

std::string Key(const json& fields) {
  return fields.contains("key_hex") ? FromHex(fields["key_hex"]) : fields.value("key", "");
}

SliceFields ParseSlice(const json& slice) {
  SliceFields fields;
  if (slice.is_array()) {  // numbers that no text could have: [[start, length], ...]
    for (const json& extent : slice) fields.push_back({extent[0].get<int64_t>(), extent[1].get<int64_t>()});
    return fields;
  }
  const StatusOr<TensorSlice> parsed = TensorSlice::Parse(slice.get<std::string>());
  EXPECT_THAT(parsed, IsOk());
  if (!parsed.ok()) return fields;
  for (const TensorSlice::Extent& extent : parsed->extents()) fields.push_back({extent.start, extent.length});
  return fields;
}

void Override(const json& overrides, EntryFields* entry) {
  for (const auto& [name, value] : overrides.items()) {
    if (name == "dtype") entry->dtype = DTypeNumber(value);
    if (name == "shape") entry->shape = value.get<std::vector<int64_t>>();
    if (name == "rank") entry->shape.assign(value.get<size_t>(), 1);
    if (name == "unknown_rank") entry->unknown_rank = value.get<bool>();
    if (name == "shard") entry->shard = value.get<int64_t>();
    if (name == "offset") entry->offset = value.get<int64_t>();
    if (name == "size") entry->size = value.get<int64_t>();
    if (name == "crc_xor") entry->crc32c ^= value.get<uint32_t>();
  }
}

Payload MakePayload(const json& fields, DType dtype, bool big) {
  if (fields.contains("strings")) return EncodeStrings(Strings(fields["strings"]), big);
  if (fields.contains("variants")) return EncodeVariants(Strings(fields["variants"]), big);
  if (fields.contains("payload_hex")) {
    Payload payload = EncodePlain(FromHex(fields["payload_hex"]));
    if (fields.contains("crc32c")) payload.crc32c = fields["crc32c"].get<uint32_t>();
    return payload;
  }
  return EncodePlain(EncodeElements(fields, dtype, big));
}

void AddParts(const json& tensor, int64_t dtype, const std::vector<int64_t>& shape, BundleBuilder* bundle) {
  const std::string key = Key(tensor);
  bundle->AddDirectory(key, dtype, shape);
  for (const json& part : tensor["parts"]) {
    const SliceFields slice = ParseSlice(part["slice"]);
    const Payload payload = MakePayload(part, static_cast<DType>(dtype), bundle->big_endian());
    Override(part.value("entry", json::object()),
             &bundle->AddPart(key, slice, payload, part.value("shard", 0)));
    if (!part.value("listed", true)) bundle->Entry(key).slices.pop_back();
    if (!part.value("stored", true)) bundle->entries.erase(EncodePartKey(key, slice));
  }
  Override(tensor.value("entry", json::object()), &bundle->Entry(key));
}

void AddTensor(const json& tensor, BundleBuilder* bundle) {
  const int64_t dtype = DTypeNumber(tensor.value("dtype", json("float32")));
  const auto shape = tensor.value("shape", std::vector<int64_t>());
  if (tensor.contains("parts")) return AddParts(tensor, dtype, shape, bundle);
  const Payload payload = MakePayload(tensor, static_cast<DType>(dtype), bundle->big_endian());
  EntryFields& entry = bundle->AddPayload(Key(tensor), dtype, shape, payload, tensor.value("shard", 0));
  Override(tensor.value("entry", json::object()), &entry);
}

void SetHeader(const json& fields, HeaderFields* header) {
  header->num_shards = fields.value("num_shards", header->num_shards);
  header->endianness = fields.value("endianness", header->endianness);
  header->has_version = fields.value("has_version", true);
  header->producer = fields.value("producer", header->producer);
  header->min_consumer = fields.value("min_consumer", header->min_consumer);
  header->bad_consumers = fields.value("bad_consumers", header->bad_consumers);
}

// `many` int32 scalars t00000, t00001, ... whose values are their numbers.
void AddMany(int many, BundleBuilder* bundle) {
  for (int i = 0; i < many; ++i) {
    char key[16];
    std::snprintf(key, sizeof(key), "t%05d", i);
    bundle->Add({.key = key, .dtype = 3, .payload = BytesOf<int32_t>({i}, bundle->big_endian())});
  }
}

// Records whose value is an entry with an unknown field of so many bytes.
void AddLargeRecords(const json& large, BundleBuilder* bundle) {
  for (const auto& [key, size] : large.items()) {
    const std::string padding(size.get<size_t>(), 'x');
    const EntryFields entry = bundle->entries[key];
    bundle->entries.erase(key);
    bundle->extra_records.emplace_back(key,
                                       EncodeEntry(entry) + "\x7a" + EncodeVarint(padding.size()) + padding);
  }
}

// true, false, "host" or "foreign".
bool IsBig(const json& order) {
  return order.is_boolean() ? order.get<bool>() : kHostIsBig == (order.get<std::string>() == "host");
}

BundleBuilder MakeBundle(const json& fields) {
  BundleBuilder bundle(fields.value("num_shards", 1), IsBig(fields.value("big_endian", json(false))));
  bundle.alignment = fields.value("alignment", size_t{1});
  const json table = fields.value("table", json::object());
  bundle.table.block_size = table.value("block_size", bundle.table.block_size);
  bundle.table.snappy = table.value("snappy", false);
  for (const json& tensor : fields.value("tensors", json::array())) AddTensor(tensor, &bundle);
  AddMany(fields.value("many", 0), &bundle);
  AddLargeRecords(fields.value("large_records", json::object()), &bundle);
  for (const json& record : fields.value("records", json::array())) {
    bundle.extra_records.emplace_back(record[0].get<std::string>(), FromHex(record[1]));
  }
  SetHeader(fields.value("header", json::object()), &bundle.header);  // last: it may lie about the byte order
  return bundle;
}

std::string HandleOf(const json& pair) {
  return EncodeHandle(pair[0].get<uint64_t>(), pair[1].get<uint64_t>());
}

std::string BlockContents(const json& block) {
  if (block.contains("hex")) return FromHex(block["hex"]);
  Records records;
  for (const json& record : block["records"]) {
    const bool is_header = record[0].get<std::string>().empty() && record.size() == 1;
    records.emplace_back(record[0].get<std::string>(),
                         is_header ? EncodeHeader({}) : FromHex(record.size() > 1 ? record[1] : json("")));
  }
  std::string contents = EncodeBlock(records, block.value("restart_interval", 16));
  if (block.contains("tail_hex")) {  // in place of the last bytes: restart points and their number
    const std::string tail = FromHex(block["tail_hex"]);
    contents.replace(contents.size() - tail.size(), tail.size(), tail);
  }
  return contents;
}

std::string MakeRawTable(const json& fields) {
  RawTable table;
  int number = 0;
  for (const json& block : fields["blocks"]) {
    const std::string index_key = block.value("index_key", "x" + std::to_string(number++));
    const auto type = static_cast<char>(block.value("type", 0));
    if (block.contains("handle")) {
      std::string handle = HandleOf(block["handle"]) + FromHex(block.value("handle_tail_hex", ""));
      table.AddBlock(BlockContents(block), index_key, std::move(handle), type);
    } else {
      table.AddBlock(BlockContents(block), index_key, type);
    }
  }
  std::optional<std::string> metaindex;
  std::optional<std::string> index;
  if (fields.contains("metaindex")) metaindex = HandleOf(fields["metaindex"]);
  if (fields.contains("index")) index = HandleOf(fields["index"]);
  return table.Finish(metaindex, index);
}

// A place in a file; negative: from its end.
size_t At(int64_t at, size_t size) {
  return static_cast<size_t>(at < 0 ? at + static_cast<int64_t>(size) : at);
}

std::string LineFeedsAsCrLf(const std::string& bytes) {
  std::string out;
  for (char c : bytes) {
    if (c == '\n') out += '\r';
    out += c;
  }
  return out;
}

void Damage(const json& damage, FileMap* files) {
  const std::string name = std::string(kPrefix) + damage["file"].get<std::string>();
  std::string& bytes = (*files)[name];
  if (damage.contains("xor")) {
    char& byte = bytes[At(damage["at"], bytes.size())];
    byte = static_cast<char>(byte ^ damage["xor"].get<int>());
  }
  if (damage.contains("set_hex")) {
    const std::string with = FromHex(damage["set_hex"]);
    bytes.replace(At(damage["at"], bytes.size()), with.size(), with);
  }
  if (damage.contains("truncate")) bytes.resize(At(damage["truncate"], bytes.size()));
  if (damage.contains("append_hex")) bytes += FromHex(damage["append_hex"]);
  if (damage.value("crlf", false)) bytes = LineFeedsAsCrLf(bytes);
  if (damage.value("delete", false)) files->erase(name);
}

std::string MakeFile(const json& fields, const FileMap& files) {
  if (fields.contains("text")) return fields["text"].get<std::string>();
  if (fields.contains("hex")) return FromHex(fields["hex"]);
  if (fields.contains("copy")) return files.at(fields["copy"].get<std::string>());
  if (fields.contains("at")) {  // a magic number somewhere inside, as tar archives have
    std::string bytes(fields["zeros"].get<size_t>(), '\0');
    return bytes.replace(fields["at"].get<size_t>(), fields["put"].get<std::string>().size(), fields["put"]);
  }
  return std::string(fields["zeros"].get<size_t>(), '\0');
}

std::shared_ptr<MemoryFileSystem> MakeInput(const json& input) {
  FileMap files;
  if (input.contains("bundle")) files = MakeBundle(input["bundle"]).Files(kPrefix);
  if (input.contains("table")) files[std::string(kPrefix) + ".index"] = MakeRawTable(input["table"]);
  for (const json& damage : input.value("damage", json::array())) Damage(damage, &files);
  const json more = input.value("files", json::object());
  for (const auto& [name, fields] : more.items()) {
    files[name] = MakeFile(fields, files);
  }
  for (const json& name : input.value("directories", json::array()))
    files[name.get<std::string>() + "/file"] = "";
  auto file_system = std::make_shared<MemoryFileSystem>();
  WriteFiles(files, *file_system, "d");
  return file_system;
}

// ---- Steps ----

StatusOr<BundleReader> Open(const std::shared_ptr<MemoryFileSystem>& files, const std::string& prefix) {
  return BundleReader::Open("d/" + prefix, {.file_system = files});
}

StatusOr<std::optional<TensorSlice>> WantedSlice(const BundleReader& reader, const json& step,
                                                 const std::string& key) {
  if (step.contains("slice")) {
    StatusOr<TensorSlice> slice = TensorSlice::Parse(step["slice"].get<std::string>());
    if (!slice.ok()) return slice.status();
    return std::optional(*std::move(slice));
  }
  if (!step.contains("rows")) return std::optional<TensorSlice>();
  const StatusOr<TensorInfo> info = reader.Find(key);
  if (!info.ok()) return info.status();
  StatusOr<TensorSlice> rows =
      TensorSlice::Rows(step["rows"][0].get<int64_t>(), step["rows"][1].get<int64_t>(), info->shape.rank());
  if (!rows.ok()) return rows.status();
  return std::optional(*std::move(rows));
}

StatusOr<Tensor> ReadToDestination(const BundleReader& reader, const ReadRequest& request, const Tensor& like,
                                   ReadMode mode) {
  std::vector<std::byte> memory(like.num_bytes(), std::byte{0x5a});
  ReadRequest to_memory = request;
  to_memory.tensor = nullptr;
  to_memory.destination = memory;
  if (Status status = reader.ReadMany({&to_memory, 1}, {.mode = mode}); !status.ok()) return status;
  return Tensor::FromBytes(like.dtype(), like.shape(), memory);
}

// Every way to read must give the same value or the same code.
StatusOr<Tensor> ReadInAllWays(const BundleReader& reader, const std::string& key,
                               const std::optional<TensorSlice>& slice) {
  ReadRequest request{.key = key, .slice = slice};
  std::optional<StatusOr<Tensor>> first;
  for (const ReadMode mode : {ReadMode::kMapped, ReadMode::kCopied}) {
    for (const int threads : {1, 3}) {
      Tensor tensor;
      request.tensor = &tensor;
      const Status status = reader.ReadMany({&request, 1}, {.mode = mode, .control = {.threads = threads}});
      const StatusOr<Tensor> result = status.ok() ? StatusOr<Tensor>(tensor) : status;
      if (!first) first = result;
      EXPECT_EQ(result.status().code(), first->status().code()) << result.status() << first->status();
      if (result.ok() && first->ok()) {
        EXPECT_TRUE(*result == **first);
      }
      if (result.ok() && IsFixedSize(result->dtype())) {
        const StatusOr<Tensor> copy = ReadToDestination(reader, request, *result, mode);
        EXPECT_THAT(copy, IsOk());
        if (copy.ok()) {
          EXPECT_TRUE(*copy == *result);
        }
      }
      EXPECT_EQ(reader.VerifyMany({&request, 1}, {.mode = mode}).code(), result.status().code());
    }
  }
  return *first;
}

void ExpectTensor(const Tensor& tensor, const json& expected) {
  if (expected.contains("dtype")) {
    EXPECT_EQ(DTypeName(tensor.dtype()), expected["dtype"].get<std::string>());
  }
  if (expected.contains("shape")) {
    EXPECT_EQ(std::vector<int64_t>(tensor.shape().dims().begin(), tensor.shape().dims().end()),
              expected["shape"].get<std::vector<int64_t>>());
  }
  if (expected.contains("values") || expected.contains("bits")) {
    EXPECT_EQ(tensor.buffer().view(), EncodeElements(expected, tensor.dtype(), kHostIsBig));
  }
  if (expected.contains("strings")) {
    std::vector<std::string> strings;
    for (int64_t i = 0; i < tensor.num_elements(); ++i)
      strings.emplace_back(tensor.StringAt(i).value_or("?"));
    EXPECT_EQ(strings, Strings(expected["strings"]));
  }
}

void ExpectStatus(const Status& status, const json& expected) {
  EXPECT_EQ(absl::StatusCodeToString(status.code()), expected.value("code", "OK")) << status;
  const json contains = expected.value("contains", json::array());
  for (const json& text : contains.is_array() ? contains : json::array({contains})) {
    EXPECT_THAT(std::string(Message(status)), HasSubstr(text.get<std::string>()));
  }
}

void StepRead(const BundleReader& reader, const json& step, const json& expected) {
  const std::string key =
      step["read"].is_string() ? step["read"].get<std::string>() : FromHex(step["read"]["hex"]);
  const StatusOr<std::optional<TensorSlice>> slice = WantedSlice(reader, step, key);
  const StatusOr<Tensor> tensor =
      slice.ok() ? ReadInAllWays(reader, key, *slice) : StatusOr<Tensor>(slice.status());
  ExpectStatus(tensor.status(), expected);
  if (tensor.ok()) ExpectTensor(*tensor, expected);
}

void StepMany(const BundleReader& reader, const json& step, const json& expected) {
  const std::vector<std::string> keys = Strings(step["many"]);
  std::vector<Tensor> tensors(keys.size());
  std::vector<ReadRequest> requests;
  for (size_t i = 0; i < keys.size(); ++i) requests.push_back({.key = keys[i], .tensor = &tensors[i]});
  if (step.contains("dtype")) {
    for (ReadRequest& request : requests) request.dtype = static_cast<DType>(DTypeNumber(step["dtype"]));
  }
  const Status status = reader.ReadMany(requests);
  ExpectStatus(status, expected);
  if (status.ok()) return;
  for (const Tensor& tensor : tensors)
    EXPECT_EQ(tensor.dtype(), DType::kInvalid) << "a value was left behind";
}

void StepVerify(const BundleReader& reader, const json& expected) {
  const StatusOr<std::vector<VerifyResult>> results = reader.Verify();
  ASSERT_THAT(results, IsOk());
  EXPECT_EQ(results->size(), reader.keys().size());
  json bad = json::array();
  for (const VerifyResult& result : *results) {
    if (!result.status.ok()) bad.push_back(result.key);
  }
  EXPECT_EQ(bad, expected.value("bad", json::array()));
}

void StepKeys(const BundleReader& reader, const json& expected) {
  if (expected.contains("count")) {
    EXPECT_EQ(reader.keys().size(), expected["count"].get<size_t>());
  }
  if (!expected.contains("keys")) return;
  std::vector<std::string> keys;
  for (const json& key : expected["keys"])
    keys.push_back(key.is_string() ? key.get<std::string>() : FromHex(key["hex"]));
  EXPECT_EQ(std::vector<std::string>(reader.keys().begin(), reader.keys().end()), keys);
}

void StepFind(const BundleReader& reader, const json& step, const json& expected) {
  const StatusOr<TensorInfo> info = reader.Find(step["find"].get<std::string>());
  ExpectStatus(info.status(), expected);
  if (!info.ok()) return;
  if (expected.contains("partitioned")) {
    EXPECT_EQ(info->partitioned(), expected["partitioned"].get<bool>());
  }
  if (expected.contains("offset")) {
    EXPECT_EQ(info->bytes.offset, expected["offset"].get<uint64_t>());
  }
}

void RunStep(const StatusOr<BundleReader>& reader, const json& step, const json& expected) {
  if (step.contains("spec"))
    return ExpectStatus(ParseShapeAndSlice(step["spec"].get<std::string>()).status(), expected);
  if (step.contains("open")) return ExpectStatus(reader.status(), expected);
  ASSERT_THAT(reader, IsOk());
  if (step.contains("read")) StepRead(*reader, step, expected);
  if (step.contains("find")) StepFind(*reader, step, expected);
  if (step.contains("keys")) StepKeys(*reader, expected);
  if (step.contains("many")) StepMany(*reader, step, expected);
  if (step.contains("verify")) StepVerify(*reader, expected);
}

json AsList(const json& value) { return value.is_array() ? value : json::array({value}); }

}  // namespace

void RunBundleCase(const json& row) {
  SCOPED_TRACE(row.value("title", ""));
  const auto files = MakeInput(row.value("input", json::object()));
  const json steps = AsList(row.at("do"));
  const json expected = AsList(row.at("expected"));
  ASSERT_EQ(steps.size(), expected.size());
  const std::string prefix =
      steps[0].contains("open") ? steps[0]["open"].get<std::string>() : std::string(kPrefix);
  const StatusOr<BundleReader> reader = Open(files, prefix);
  for (size_t i = 0; i < steps.size(); ++i) {
    SCOPED_TRACE("step " + std::to_string(i));
    RunStep(reader, steps[i], expected[i]);
  }
}

}  // namespace savedmodel::testing
