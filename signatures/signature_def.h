// The signatures of a MetaGraph as its signature_def states them: named inputs and outputs with dtype, shape
// and tensor name.
//
// Sorted by name throughout: a signature's outputs have no order of their own, so ask by name.
// Thread-safety: values and pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/base/status.h"
#include "savedmodel/base/tensor.h"

namespace savedmodel {

struct MetaGraphIndex;  // proto/wire_index.h

// One input or output (TensorFlow's TensorInfo).
struct SignatureTensor {
  enum class Encoding {
    kNone,       // the file does not say
    kTensor,     // one tensor, `name`
    kCooSparse,  // `components`: values, indices, dense shape
    kComposite,  // `components`: one name per component tensor
  };
  Encoding encoding = Encoding::kNone;
  std::string name = {};  // "node:0"; for the init and train pseudo-signatures an operation's name
  std::vector<std::string> components = {};  // names of component tensors
  DType dtype = DType::kInvalid;
  PartialShape shape = {};

  bool operator==(const SignatureTensor&) const = default;
};

struct SignatureDef {
  std::string method_name = {};  // "tensorflow/serving/predict", ...; empty for the pseudo-signatures
  std::map<std::string, SignatureTensor> inputs = {};
  std::map<std::string, SignatureTensor> outputs = {};
  std::vector<std::string> defaults = {};  // inputs that have a default value, sorted

  bool operator==(const SignatureDef&) const = default;
};

// Keys of entries that are no signatures to call: each names an operation as its only output.
inline constexpr std::string_view kInitOpSignature = "__saved_model_init_op";
inline constexpr std::string_view kTrainOpSignature = "__saved_model_train_op";

// All entries of a MetaGraph's signature_def, by key. Errors: DataLoss (cannot be parsed; a shape that cannot
// be).
StatusOr<std::map<std::string, SignatureDef>> ReadSignatureDefs(const MetaGraphIndex& meta_graph,
                                                                std::string_view file);

}  // namespace savedmodel
