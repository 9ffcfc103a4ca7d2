#include "savedmodel/signatures/signature_def.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "savedmodel/tests/support/status_matchers.h"
#include "savedmodel/tests/support/wire_model.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::IndexOf;
using ::savedmodel::testing::kWireModelFile;
using ::savedmodel::testing::StatusHasContext;
using ::savedmodel::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Encoding = SignatureTensor::Encoding;

class SignatureDefTest : public ::testing::Test {
 protected:
  StatusOr<std::map<std::string, SignatureDef>> Read() {
    const WireIndex index = IndexOf(model);
    return ReadSignatureDefs(index.meta_graphs()[0], kWireModelFile);
  }
  proto::SavedModel model;
  google::protobuf::Map<std::string, proto::SignatureDef>& signatures =
      *model.add_meta_graphs()->mutable_signature_def();
};

TEST_F(SignatureDefTest, ReadsNamedTensors) {
  proto::SignatureDef& in = signatures["serving_default"];
  in.set_method_name("tensorflow/serving/predict");
  proto::TensorInfo& x = (*in.mutable_inputs())["x"];
  x.set_name("serving_default_x:0");
  x.set_dtype(proto::DT_FLOAT);
  x.mutable_tensor_shape()->add_dim()->set_size(-1);
  x.mutable_tensor_shape()->add_dim()->set_size(3);
  proto::TensorInfo& y = (*in.mutable_outputs())["y"];
  y.set_name("StatefulPartitionedCall:0");
  y.set_dtype(proto::DT_INT64);
  y.mutable_tensor_shape()->set_unknown_rank(true);
  SM_ASSERT_OK_AND_ASSIGN(const auto read, Read());
  ASSERT_EQ(read.size(), 1u);
  const SignatureDef& signature = read.at("serving_default");
  EXPECT_EQ(signature.method_name, "tensorflow/serving/predict");
  const SignatureTensor& input = signature.inputs.at("x");
  EXPECT_EQ(input.encoding, Encoding::kTensor);
  EXPECT_EQ(input.name, "serving_default_x:0");
  EXPECT_EQ(input.dtype, DType::kFloat32);
  EXPECT_EQ(input.shape.ToString(), "[?,3]");
  EXPECT_TRUE(signature.outputs.at("y").shape.unknown_rank());
  EXPECT_THAT(signature.defaults, IsEmpty());
}

TEST_F(SignatureDefTest, AScalarIsNoUnknownShape) {
  proto::TensorInfo& x = (*signatures["s"].mutable_inputs())["x"];
  x.mutable_tensor_shape();
  SM_ASSERT_OK_AND_ASSIGN(const auto read, Read());
  EXPECT_EQ(read.at("s").inputs.at("x").shape.rank(), 0);
}

TEST_F(SignatureDefTest, ReadsSparseAndCompositeTensors) {
  proto::SignatureDef& in = signatures["s"];
  auto& sparse = *(*in.mutable_inputs())["sparse"].mutable_coo_sparse();
  sparse.set_values_tensor_name("v:0");
  sparse.set_indices_tensor_name("i:0");
  sparse.set_dense_shape_tensor_name("d:0");
  auto& ragged = *(*in.mutable_inputs())["ragged"].mutable_composite_tensor();
  ragged.add_components()->set_name("flat:0");
  ragged.add_components()->set_name("splits:0");
  (*in.mutable_inputs())["unsaid"];
  SM_ASSERT_OK_AND_ASSIGN(const auto read, Read());
  const auto& inputs = read.at("s").inputs;
  EXPECT_EQ(inputs.at("sparse").encoding, Encoding::kCooSparse);
  EXPECT_THAT(inputs.at("sparse").components, ElementsAre("v:0", "i:0", "d:0"));
  EXPECT_EQ(inputs.at("ragged").encoding, Encoding::kComposite);
  EXPECT_THAT(inputs.at("ragged").components, ElementsAre("flat:0", "splits:0"));
  EXPECT_EQ(inputs.at("unsaid").encoding, Encoding::kNone);
}

TEST_F(SignatureDefTest, NamesOfInputsWithDefaultsAreSorted) {
  for (const char* name : {"z", "a", "m"})
    (*signatures["s"].mutable_defaults())[name].set_dtype(proto::DT_FLOAT);
  SM_ASSERT_OK_AND_ASSIGN(const auto read, Read());
  EXPECT_THAT(read.at("s").defaults, ElementsAre("a", "m", "z"));
}

TEST_F(SignatureDefTest, SignaturesMayBeEmptyAndManyAndNone) {
  SM_ASSERT_OK_AND_ASSIGN(const auto none, Read());
  EXPECT_THAT(none, IsEmpty());
  signatures[std::string(kInitOpSignature)];
  signatures["no_outputs"];
  signatures[""];
  SM_ASSERT_OK_AND_ASSIGN(const auto read, Read());
  EXPECT_EQ(read.size(), 3u);
  EXPECT_EQ(read.at("no_outputs"), SignatureDef());
}

TEST_F(SignatureDefTest, AnUnknownDTypeIsKeptAsANumber) {
  (*signatures["s"].mutable_inputs())["x"].set_dtype(static_cast<proto::DataType>(99));
  SM_ASSERT_OK_AND_ASSIGN(const auto read, Read());
  EXPECT_EQ(static_cast<int>(read.at("s").inputs.at("x").dtype), 99);
}

TEST_F(SignatureDefTest, AShapeThatCannotBeNamesSignatureAndTensor) {
  (*signatures["s"].mutable_outputs())["y"].mutable_tensor_shape()->add_dim()->set_size(-2);
  EXPECT_THAT(Read(), StatusIs(StatusCode::kDataLoss, HasSubstr("signature \"s\": tensor \"y\"")));
  EXPECT_THAT(Read(), StatusHasContext(AllOf(Field(&ErrorContext::file, kWireModelFile),
                                             Field(&ErrorContext::offset, ::testing::Ne(std::nullopt)),
                                             Field(&ErrorContext::key, ""))));
}

TEST_F(SignatureDefTest, ASignatureThatCannotBeParsedSaysWhere) {
  (*signatures["s"].mutable_inputs())["x"].set_name("name of a tensor");
  std::string bytes = model.SerializeAsString();
  bytes[bytes.find("name of")] = '\xff';
  StatusOr<WireIndex> index = WireIndex::Build(Buffer::FromString(bytes), kWireModelFile);
  ASSERT_TRUE(index.ok());
  EXPECT_THAT(ReadSignatureDefs(index->meta_graphs()[0], kWireModelFile),
              StatusIs(StatusCode::kDataLoss, HasSubstr("signature")));
}

}  // namespace
}  // namespace savedmodel
