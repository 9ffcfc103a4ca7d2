#include "savedmodel/signatures/signature_def.h"

#include <algorithm>
#include <utility>

#include "savedmodel/base/internal/error.h"
#include "savedmodel/base/internal/status_macros.h"
#include "savedmodel/base/internal/text.h"
#include "savedmodel/proto/internal/convert.h"
#include "savedmodel/proto/internal/parse.h"
#include "savedmodel/proto/meta_graph.pb.h"
#include "savedmodel/proto/wire_index.h"

namespace savedmodel {
namespace {

using Encoding = SignatureTensor::Encoding;

void ReadEncoding(const proto::TensorInfo& in, SignatureTensor* out) {
  switch (in.encoding_case()) {
    case proto::TensorInfo::kName:
      out->encoding = Encoding::kTensor;
      out->name = in.name();
      return;
    case proto::TensorInfo::kCooSparse:
      out->encoding = Encoding::kCooSparse;
      out->components = {in.coo_sparse().values_tensor_name(), in.coo_sparse().indices_tensor_name(),
                         in.coo_sparse().dense_shape_tensor_name()};
      return;
    case proto::TensorInfo::kCompositeTensor:
      out->encoding = Encoding::kComposite;
      for (const auto& component : in.composite_tensor().components())
        out->components.push_back(component.name());
      return;
    case proto::TensorInfo::ENCODING_NOT_SET:
      return;
  }
}

StatusOr<SignatureTensor> ReadTensor(const proto::TensorInfo& in) {
  SignatureTensor out;
  ReadEncoding(in, &out);
  out.dtype = static_cast<DType>(in.dtype());
  SAVEDMODEL_ASSIGN_OR_RETURN(out.shape, internal::PartialShapeFromProto(in.tensor_shape()));
  return out;
}

template <class Map>
Status ReadTensors(const Map& in, std::string_view signature, std::map<std::string, SignatureTensor>* out) {
  for (const auto& [name, info] : in) {
    StatusOr<SignatureTensor> tensor = ReadTensor(info);
    if (!tensor.ok()) {
      return internal::Error(StatusCode::kDataLoss,
                             "signature \"" + internal::Printable(signature) + "\": tensor \"" +
                                 internal::Printable(name) +
                                 "\" has a shape that cannot be: " + std::string(Message(tensor.status())));
    }
    (*out)[name] = *std::move(tensor);
  }
  return OkStatus();
}

StatusOr<SignatureDef> ReadSignature(const MetaGraphIndex& meta_graph, const NamedRange& part,
                                     std::string_view file) {
  proto::SignatureDef in;
  SAVEDMODEL_RETURN_IF_ERROR(internal::ParseBounded(
      meta_graph.Bytes(part.range), &in,
      {.file = file, .base_offset = meta_graph.FileOffset(part.range), .what = "signature"}));
  SignatureDef out;
  out.method_name = in.method_name();
  Status status = ReadTensors(in.inputs(), part.name, &out.inputs);
  if (status.ok()) status = ReadTensors(in.outputs(), part.name, &out.outputs);
  if (!status.ok()) {
    return internal::WithContext(status,
                                 {.file = std::string(file), .offset = meta_graph.FileOffset(part.range)});
  }
  for (const auto& [name, value] : in.defaults()) out.defaults.push_back(name);
  std::sort(out.defaults.begin(), out.defaults.end());
  return out;
}

}  // namespace

StatusOr<std::map<std::string, SignatureDef>> ReadSignatureDefs(const MetaGraphIndex& meta_graph,
                                                                std::string_view file) {
  std::map<std::string, SignatureDef> signatures;
  for (const NamedRange& part : meta_graph.signature_defs) {
    SAVEDMODEL_ASSIGN_OR_RETURN(SignatureDef signature, ReadSignature(meta_graph, part, file));
    signatures.emplace(part.name, std::move(signature));
  }
  return signatures;
}

}  // namespace savedmodel
