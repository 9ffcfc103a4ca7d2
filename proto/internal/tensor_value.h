// A TensorProto as a Tensor, and back.
//
// A message gives its elements in one of two ways. `tensor_content`, when it is not empty: the elements'
// bytes in little-endian order, exactly as many as the shape needs (strings: all lengths as varints, then all
// bytes). Otherwise the typed list that goes with the dtype: float_val, ..., half_val for both 16-bit floats,
// int_val for every integer of at most 32 bits but uint32, pairs for complex numbers. A list that is too
// short repeats its last element, an empty one means zeros, and of one that is too long the front counts. A
// shape of unknown rank is a scalar's. Where there are no elements, the lists are not looked at. Of sub-byte
// types only the low bits count; signed ones are sign-extended to their byte. Thread-safety: pure functions.
#pragma once

#include <cstdint>

#include "savedmodel/base/shape.h"
#include "savedmodel/base/status.h"
#include "savedmodel/base/tensor.h"
#include "savedmodel/proto/tensor.pb.h"

namespace savedmodel::internal {

struct TensorValueLimits {
  // Memory for a tensor whose message spells out fewer elements than the shape has: a few bytes can stand for
  // any number of zeros. A message with all its elements is bounded by its own size.
  uint64_t max_filled_bytes = uint64_t{1} << 30;
};

// Elements of variants come as encoded VariantTensorDataProtos; missing ones are empty.
// Errors, without a file (add it with WithContext): DataLoss (no dtype, a negative or overflowing shape,
// content of the wrong size, a bool that is neither 0 nor 1); Unimplemented (resource, a reference or unknown
// dtype, variants in tensor_content); ResourceExhausted (a limit, memory).
StatusOr<Tensor> DecodeTensor(const proto::TensorProto& message, const TensorValueLimits& limits = {});
// The same, taking the content over instead of copying it where its bytes can stay as they are.
StatusOr<Tensor> DecodeTensor(proto::TensorProto&& message, const TensorValueLimits& limits = {});

// Replaces `message` by the value of `tensor`: content for types of fixed size, lists for strings and
// variants. Errors: DataLoss (an element that is not an encoded variant); InvalidArgument (another dtype).
Status EncodeTensor(const Tensor& tensor, proto::TensorProto* message);

}  // namespace savedmodel::internal
