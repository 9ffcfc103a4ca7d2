#include "savedmodel/proto/internal/tensor_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "savedmodel/proto/internal/parse.h"
#include "savedmodel/proto/internal/serialize.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel::internal {
namespace {

using proto::TensorProto;
using ::savedmodel::testing::IsOk;
using ::savedmodel::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TensorProto Message(DType dtype, std::initializer_list<int64_t> dims) {
  TensorProto message;
  message.set_dtype(static_cast<proto::DataType>(dtype));
  message.mutable_tensor_shape();
  for (int64_t dim : dims) message.mutable_tensor_shape()->add_dim()->set_size(dim);
  return message;
}

// ---- what real TensorFlow decodes (tests/fixtures/make_tensor_values.py) ----

std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; hex != "-" && i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

std::string ToHex(std::string_view bytes) {
  std::string hex;
  for (unsigned char c : bytes) {
    hex.push_back("0123456789abcdef"[c >> 4]);
    hex.push_back("0123456789abcdef"[c & 15]);
  }
  return hex;
}

std::string LittleEndianBytes(const Tensor& tensor) {
  std::string bytes(tensor.buffer().view());
  const size_t unit = DTypeSwapUnit(tensor.dtype());
  for (size_t i = 0; std::endian::native == std::endian::big && i < bytes.size(); i += unit)
    std::reverse(bytes.begin() + static_cast<ptrdiff_t>(i), bytes.begin() + static_cast<ptrdiff_t>(i + unit));
  return bytes;
}

std::string Elements(const Tensor& tensor) {
  std::string text;
  if (tensor.dtype() != DType::kString) text = ToHex(LittleEndianBytes(tensor));
  for (int64_t i = 0; tensor.dtype() == DType::kString && i < tensor.num_elements(); ++i)
    text += "[" + ToHex(*tensor.StringAt(i)) + "]";
  return text.empty() ? "-" : text;
}

// As a line of the file has it after the message.
std::string Verdict(const StatusOr<Tensor>& tensor) {
  if (!tensor.ok()) return "error";
  std::string dims = tensor->shape().ToString();
  dims = dims == "[]" ? "-" : dims.substr(1, dims.size() - 2);
  return std::to_string(static_cast<int>(tensor->dtype())) + " " + dims + " " + Elements(*tensor);
}

struct Case {
  std::string name;
  TensorProto message;
  std::string verdict;
};

std::vector<Case> TensorFlowCases() {
  std::ifstream file(SAVEDMODEL_SOURCE_DIR "/tests/fixtures/tensor_values.txt");
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Case one;
    std::string hex;
    words >> one.name >> hex >> std::ws;
    std::getline(words, one.verdict);
    EXPECT_THAT(ParseBounded(FromHex(hex), &one.message, {}), IsOk());
    cases.push_back(std::move(one));
  }
  return cases;
}

TEST(DecodeTensor, DecodesWhatTensorFlowDecodes) {
  const std::vector<Case> cases = TensorFlowCases();
  EXPECT_GT(cases.size(), 300u);
  for (const Case& one : cases) {
    EXPECT_EQ(Verdict(DecodeTensor(one.message)), one.verdict) << one.name;
    EXPECT_EQ(Verdict(DecodeTensor(TensorProto(one.message))), one.verdict)
        << one.name << ", content taken over";
  }
}

TEST(DecodeTensor, ComesBackFromEncodeTensor) {
  for (const Case& one : TensorFlowCases()) {
    const StatusOr<Tensor> tensor = DecodeTensor(one.message);
    if (!tensor.ok()) continue;
    TensorProto message;
    ASSERT_THAT(EncodeTensor(*tensor, &message), IsOk()) << one.name;
    EXPECT_EQ(Verdict(DecodeTensor(message)), one.verdict) << one.name;
  }
}

// ---- errors and limits ----

TEST(DecodeTensor, ReadsFloat4AsSubByteType) {
  TensorProto message = Message(DType::kFloat4E2m1fn, {2});
  message.add_int_val(0x1f);
  SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor, DecodeTensor(message));
  EXPECT_EQ(tensor.buffer().view(), "\x0f\x0f");
}

TEST(DecodeTensor, AFewBytesDoNotBecomeATerabyte) {
  for (DType dtype :
       {DType::kFloat32, DType::kString, DType::kBool, DType::kComplex128, DType::kVariant, DType::kInt4}) {
    EXPECT_THAT(DecodeTensor(Message(dtype, {int64_t{1} << 40})), StatusIs(StatusCode::kResourceExhausted));
    EXPECT_THAT(DecodeTensor(Message(dtype, {int64_t{1} << 31, (int64_t{1} << 31) - 1})),
                StatusIs(StatusCode::kResourceExhausted));
  }
  TensorProto repeated = Message(DType::kString, {1 << 20});
  repeated.add_string_val(std::string(1 << 12, 'x'));
  EXPECT_THAT(DecodeTensor(repeated), StatusIs(StatusCode::kResourceExhausted));
}

TEST(DecodeTensor, TheLimitIsForWhatIsFilledInOnly) {
  TensorProto message = Message(DType::kFloat32, {3});
  message.add_float_val(1);
  EXPECT_THAT(DecodeTensor(message, {.max_filled_bytes = 11}), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(DecodeTensor(message, {.max_filled_bytes = 12}), IsOk());
  message.add_float_val(2);
  message.add_float_val(3);
  EXPECT_THAT(DecodeTensor(message, {.max_filled_bytes = 0}), IsOk());
}

TEST(DecodeTensor, SaysWhatIsWrong) {
  EXPECT_THAT(DecodeTensor(TensorProto()), StatusIs(StatusCode::kDataLoss, HasSubstr("without a dtype")));
  EXPECT_THAT(DecodeTensor(Message(DType::kResource, {})),
              StatusIs(StatusCode::kUnimplemented, HasSubstr("resource (20)")));
  EXPECT_THAT(DecodeTensor(Message(static_cast<DType>(101), {})),
              StatusIs(StatusCode::kUnimplemented, HasSubstr("float32_ref (101)")));
  EXPECT_THAT(DecodeTensor(Message(static_cast<DType>(77), {})),
              StatusIs(StatusCode::kUnimplemented, HasSubstr("77")));
  EXPECT_THAT(DecodeTensor(Message(DType::kFloat32, {2, -1})),
              StatusIs(StatusCode::kDataLoss, HasSubstr("shape")));
  TensorProto content = Message(DType::kInt64, {2});
  content.set_tensor_content("abc");
  EXPECT_THAT(DecodeTensor(content),
              StatusIs(StatusCode::kDataLoss, HasSubstr("2 elements of 8 bytes, found 3 bytes")));
}

TEST(DecodeTensor, KeepsVariantsAsTheirEncodingAndPadsWithEmptyOnes) {
  TensorProto message = Message(DType::kVariant, {2});
  message.add_variant_val()->set_type_name("tensorflow::TensorList");
  SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor, DecodeTensor(message));
  EXPECT_EQ(*tensor.StringAt(0), *SerializeParsed(message.variant_val(0)));
  EXPECT_EQ(*tensor.StringAt(1), "");
  TensorProto back;
  ASSERT_THAT(EncodeTensor(tensor, &back), IsOk());
  EXPECT_EQ(back.variant_val_size(), 2);
  EXPECT_EQ(back.variant_val(0).type_name(), "tensorflow::TensorList");
  message.set_tensor_content("x");
  EXPECT_THAT(DecodeTensor(message), StatusIs(StatusCode::kUnimplemented));
}

TEST(DecodeTensor, TakesContentOverWithoutACopy) {
  TensorProto message = Message(DType::kUint8, {1000});
  message.set_tensor_content(std::string(1000, 'x'));
  const void* bytes = message.tensor_content().data();
  SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor, DecodeTensor(std::move(message)));
  EXPECT_EQ(tensor.buffer().data(), bytes);
}

TEST(EncodeTensor, WritesContentForNumbersAndAListForStrings) {
  SM_ASSERT_OK_AND_ASSIGN(const Tensor numbers, Tensor::FromValues<int16_t>({2}, {1, -2}));
  const std::vector<std::string> words = {"a", "bc"};
  SM_ASSERT_OK_AND_ASSIGN(const Tensor strings, Tensor::FromStrings({2}, words));
  TensorProto message;
  ASSERT_THAT(EncodeTensor(numbers, &message), IsOk());
  EXPECT_EQ(message.tensor_content(), std::string("\x01\x00\xfe\xff", 4));
  ASSERT_THAT(EncodeTensor(strings, &message), IsOk());
  EXPECT_THAT(message.string_val(), ElementsAre("a", "bc"));
  EXPECT_EQ(message.tensor_content(), "");
}

TEST(EncodeTensor, RefusesWhatIsNoVariant) {
  SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor,
                          Tensor::FromElements(DType::kVariant, {1}, Buffer::FromString("\xff"), {1}));
  TensorProto message;
  EXPECT_THAT(EncodeTensor(tensor, &message), StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(EncodeTensor(Tensor(), &message), StatusIs(StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace savedmodel::internal
