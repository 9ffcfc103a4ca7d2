#include "savedmodel/base/tensor.h"

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

#include "savedmodel/base/error_context.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::StatusIs;

// Bytes 0, 1, 2, ... at `misalignment` bytes past a multiple of 64.
Buffer MisalignedBytes(size_t misalignment, size_t size) {
  auto memory = MutableBuffer::Allocate(misalignment + size);
  for (size_t i = 0; i < memory->size(); ++i) memory->data()[i] = static_cast<std::byte>(i);
  return (*std::move(memory)).Freeze().Slice(misalignment, size);
}

TEST(Tensor, FromValuesHoldsThem) {
  SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor, Tensor::FromValues<float>({2, 3}, {0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(tensor.dtype(), DType::kFloat32);
  EXPECT_EQ(tensor.shape(), (Shape{2, 3}));
  EXPECT_EQ(tensor.num_bytes(), 24u);
  SM_ASSERT_OK_AND_ASSIGN(const auto view, tensor.View<float>());
  EXPECT_THAT(view, ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Tensor, CountThatDoesNotFitTheShapeIsRefused) {
  EXPECT_THAT(Tensor::FromValues<int32_t>({2, 2}, {1, 2, 3}),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("expected 16 bytes, found 12 bytes")));
  EXPECT_THAT(Tensor::FromBuffer(DType::kInt64, {2}, Buffer::FromString("123456789012345")),
              StatusIs(StatusCode::kInvalidArgument));
}

// 2^62 elements of 16 bytes are 2^66 bytes: they must not be taken for 0.
TEST(Tensor, ByteCountThatOverflowsIsRefused) {
  EXPECT_THAT(Tensor::FromBuffer(DType::kComplex128, Shape{int64_t{1} << 62}, Buffer()),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("more bytes than 64 bits")));
}

TEST(Tensor, DTypesWithoutASizeNeedElements) {
  for (DType dtype : {DType::kString, DType::kVariant, DType::kResource, DType::kInvalid,
                      static_cast<DType>(101), static_cast<DType>(77)}) {
    EXPECT_THAT(Tensor::FromBuffer(dtype, Shape(), Buffer()), StatusIs(StatusCode::kInvalidArgument));
  }
}

TEST(Tensor, EveryFixedSizeDTypeHoldsItsBytes) {
  for (DType dtype : AllDTypes()) {
    if (!IsFixedSize(dtype)) continue;
    const Buffer bytes = MisalignedBytes(0, 3 * DTypeSize(dtype));
    SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor, Tensor::FromBuffer(dtype, {3}, bytes));
    EXPECT_EQ(tensor.num_bytes(), 3 * DTypeSize(dtype)) << DTypeName(dtype);
    EXPECT_EQ(tensor.buffer().data(), bytes.data()) << "shared, not copied";
  }
}

TEST(Tensor, EmptyTensorsAreViewed) {
  SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor, Tensor::FromValues<double>({0, 3}, {}));
  EXPECT_EQ(tensor.num_elements(), 0);
  SM_ASSERT_OK_AND_ASSIGN(const auto view, tensor.View<double>());
  EXPECT_TRUE(view.empty());
  SM_ASSERT_OK_AND_ASSIGN(const Tensor odd, Tensor::FromBuffer(DType::kFloat64, {0}, MisalignedBytes(3, 0)));
  EXPECT_THAT(odd.View<double>(), IsOk()) << "nothing to be misaligned";
  EXPECT_THAT(odd.Aligned(), IsOk());
}

TEST(Tensor, ScalarsHaveOneElement) {
  SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor, Tensor::FromValues<int64_t>({}, {-7}));
  SM_ASSERT_OK_AND_ASSIGN(const auto view, tensor.View<int64_t>());
  EXPECT_THAT(view, ElementsAre(-7));
}

TEST(Tensor, ViewAsAnotherTypeIsRefusedEvenOfTheSameSize) {
  SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor, Tensor::FromValues<float>({1}, {1}));
  EXPECT_THAT(tensor.View<int32_t>(), StatusIs(StatusCode::kInvalidArgument, HasSubstr("float32")));
  const Status as_double = tensor.View<double>().status();
  EXPECT_EQ(GetErrorContext(as_double)->expected, "float64") << "what was asked for";
  EXPECT_EQ(GetErrorContext(as_double)->found, "float32");
  const Tensor none;
  EXPECT_THAT(none.View<float>(), StatusIs(StatusCode::kInvalidArgument));
}

template <class T>
void ExpectAlignmentChecked() {
  for (size_t offset = 0; offset < 16; ++offset) {
    SCOPED_TRACE(std::string(DTypeName(kDTypeOf<T>)) + " at " + std::to_string(offset));
    SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor,
                            Tensor::FromBuffer(kDTypeOf<T>, {2}, MisalignedBytes(offset, 2 * sizeof(T))));
    const auto view = tensor.View<T>();
    if (offset % alignof(T) == 0) {
      ASSERT_THAT(view, IsOk());
      EXPECT_EQ(static_cast<const void*>(view->data()), tensor.buffer().data());
    } else {
      EXPECT_THAT(view, StatusIs(StatusCode::kFailedPrecondition, HasSubstr("Aligned()")));
    }
    SM_ASSERT_OK_AND_ASSIGN(const Tensor aligned, tensor.Aligned());
    EXPECT_THAT(aligned.View<T>(), IsOk());
    EXPECT_EQ(aligned, tensor);
    EXPECT_EQ(aligned.buffer().data() == tensor.buffer().data(), offset % alignof(T) == 0)
        << "copied only when needed";
  }
}

TEST(Tensor, MisalignedBytesAreNotViewedButAlignedCopiesAre) {
  ExpectAlignmentChecked<int8_t>();
  ExpectAlignmentChecked<uint16_t>();
  ExpectAlignmentChecked<Float16>();
  ExpectAlignmentChecked<float>();
  ExpectAlignmentChecked<int64_t>();
  ExpectAlignmentChecked<std::complex<float>>();
  ExpectAlignmentChecked<std::complex<double>>();
}

TEST(Tensor, ComplexElementsAreViewed) {
  using Complex = std::complex<float>;
  SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor, Tensor::FromValues<Complex>({2}, {{1, 2}, {3, 4}}));
  SM_ASSERT_OK_AND_ASSIGN(const auto view, tensor.View<Complex>());
  EXPECT_THAT(view, ElementsAre(Complex(1, 2), Complex(3, 4)));
}

TEST(Tensor, BoolsAreZeroOrOne) {
  SM_ASSERT_OK_AND_ASSIGN(const Tensor good,
                          Tensor::FromBuffer(DType::kBool, {3}, Buffer::FromString({1, 0, 1})));
  SM_ASSERT_OK_AND_ASSIGN(const auto view, good.View<bool>());
  EXPECT_THAT(view, ElementsAre(true, false, true));
  for (char bad : {'\x02', '\x80', '\xff'}) {
    SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor,
                            Tensor::FromBuffer(DType::kBool, {3}, Buffer::FromString({1, 0, bad})));
    EXPECT_THAT(tensor.View<bool>(), StatusIs(StatusCode::kDataLoss, HasSubstr("element 2")));
    EXPECT_EQ(tensor.buffer().size(), 3u) << "still seen as bytes";
  }
}

TEST(Tensor, ViewsLiveWithAnyBufferOfTheSameBytes) {
  auto tensor = std::make_optional(*Tensor::FromValues<int32_t>({2}, {5, 6}));
  const auto view = *tensor->View<int32_t>();
  const Buffer keep = tensor->buffer();
  tensor.reset();
  EXPECT_THAT(view, ElementsAre(5, 6));  // AddressSanitizer sees a use after free here
}

TEST(Tensor, StringsKeepNulBytesAndEmptyElements) {
  const std::vector<std::string> elements = {"", std::string("a\0b", 3), "\xff\xfe", ""};
  SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor, Tensor::FromStrings({2, 2}, elements));
  EXPECT_EQ(tensor.dtype(), DType::kString);
  EXPECT_EQ(tensor.num_bytes(), 5u);
  for (int64_t i = 0; i < 4; ++i) {
    SM_ASSERT_OK_AND_ASSIGN(const std::string_view element, tensor.StringAt(i));
    EXPECT_EQ(element, elements[static_cast<size_t>(i)]) << i;
  }
}

TEST(Tensor, StringAtChecksIndexAndDType) {
  const std::vector<std::string> elements = {"x"};
  SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor, Tensor::FromStrings({1}, elements));
  for (int64_t i :
       {int64_t{1}, int64_t{-1}, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}) {
    EXPECT_THAT(tensor.StringAt(i), StatusIs(StatusCode::kOutOfRange)) << i;
  }
  SM_ASSERT_OK_AND_ASSIGN(const Tensor numbers, Tensor::FromValues<float>({1}, {1}));
  EXPECT_THAT(numbers.StringAt(0), StatusIs(StatusCode::kInvalidArgument, HasSubstr("float32")));
}

TEST(Tensor, EmptyStringTensor) {
  SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor, Tensor::FromStrings({0}, {}));
  EXPECT_EQ(tensor.num_bytes(), 0u);
  EXPECT_THAT(tensor.StringAt(0), StatusIs(StatusCode::kOutOfRange));
  EXPECT_THAT(tensor.Clone(), IsOk());
}

TEST(Tensor, StringCountMustFitTheShape) {
  const std::vector<std::string> elements = {"x", "y"};
  EXPECT_THAT(Tensor::FromStrings({3}, elements), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Tensor::FromStrings({}, elements), StatusIs(StatusCode::kInvalidArgument));
}

TEST(Tensor, ElementsMustLieInThePayload) {
  const Buffer payload = Buffer::FromString("abcdef");
  SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor,
                          Tensor::FromElements(DType::kVariant, {3}, payload, {1, 1, 4}));
  SM_ASSERT_OK_AND_ASSIGN(const std::string_view last, tensor.StringAt(2));
  EXPECT_EQ(last, "bcd");
  EXPECT_EQ(tensor.num_bytes(), 4u) << "bytes past the last element are not the tensor's";
  EXPECT_THAT(Tensor::FromElements(DType::kString, {2}, payload, {3, 2}),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Tensor::FromElements(DType::kString, {2}, payload, {3, 7}),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Tensor::FromElements(DType::kString, {1}, payload, {~uint64_t{0}}),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Tensor::FromElements(DType::kString, {3}, payload, {1, 2}),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Tensor::FromElements(DType::kInt8, {1}, payload, {6}), StatusIs(StatusCode::kInvalidArgument));
}

TEST(Tensor, EqualityComparesElementsNotMemory) {
  const std::vector<std::string> one = {"ab", "c"}, other = {"a", "bc"};
  SM_ASSERT_OK_AND_ASSIGN(const Tensor a, Tensor::FromStrings({2}, one));
  SM_ASSERT_OK_AND_ASSIGN(const Tensor same, Tensor::FromStrings({2}, one));
  SM_ASSERT_OK_AND_ASSIGN(const Tensor b, Tensor::FromStrings({2}, other));
  EXPECT_EQ(a, same);
  EXPECT_FALSE(a == b) << "same bytes, other elements";
  SM_ASSERT_OK_AND_ASSIGN(const Tensor row, Tensor::FromValues<float>({1, 2}, {1, 2}));
  SM_ASSERT_OK_AND_ASSIGN(const Tensor column, Tensor::FromValues<float>({2, 1}, {1, 2}));
  SM_ASSERT_OK_AND_ASSIGN(const Tensor different, Tensor::FromValues<float>({1, 2}, {1, 3}));
  EXPECT_FALSE(row == column);
  EXPECT_FALSE(row == different);
  EXPECT_FALSE(row == Tensor());
  EXPECT_EQ(Tensor(), Tensor());
}

TEST(Tensor, CloneSharesNothing) {
  const std::vector<std::string> elements = {"ab", "c"};
  SM_ASSERT_OK_AND_ASSIGN(const Tensor tensor, Tensor::FromStrings({2}, elements));
  SM_ASSERT_OK_AND_ASSIGN(const Tensor clone, tensor.Clone());
  EXPECT_EQ(clone, tensor);
  EXPECT_NE(clone.buffer().data(), tensor.buffer().data());
}

TEST(TensorSpec, Prints) {
  EXPECT_EQ((TensorSpec{DType::kFloat32, Shape{2, 3}}).ToString(), "float32[2,3]");
  EXPECT_EQ((TensorSpec{DType::kString, *PartialShape::Make(std::vector<int64_t>{2, -1})}).ToString(),
            "string[2,?]");
  EXPECT_EQ((TensorSpec{DType::kBool, Shape()}).ToString(), "bool[]");
  EXPECT_EQ((TensorSpec{DType::kBool, PartialShape()}).ToString(), "bool <unknown>");
}

}  // namespace
}  // namespace savedmodel
