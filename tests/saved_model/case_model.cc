#include "savedmodel/tests/saved_model/case_model.h"

#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include "savedmodel/object_graph/object_graph.h"
#include "savedmodel/proto/internal/serialize.h"
#include "savedmodel/proto/internal/text_format.h"
#include "savedmodel/proto/saved_model.pb.h"
#include "savedmodel/proto/trackable_object_graph.pb.h"
#include "savedmodel/tests/support/bundle_builder.h"
#include "savedmodel/tests/support/temp_dir.h"

namespace savedmodel::testing {
namespace {

constexpr const char* kGraphKey = "_CHECKPOINTABLE_OBJECT_GRAPH";

template <class T>
std::string Numbers(const Json& values, bool big_endian) {
  std::string out;
  for (const Json& value : values) out += BytesOf<T>({value.get<T>()}, big_endian);
  return out;
}

std::string EncodeValues(DType dtype, const Json& values, bool big_endian) {
  switch (dtype) {
    case DType::kFloat32:
      return Numbers<float>(values, big_endian);
    case DType::kFloat64:
      return Numbers<double>(values, big_endian);
    case DType::kInt16:
      return Numbers<int16_t>(values, big_endian);
    case DType::kInt32:
      return Numbers<int32_t>(values, big_endian);
    case DType::kInt64:
      return Numbers<int64_t>(values, big_endian);
    case DType::kUint8:
    case DType::kQuint8:
      return Numbers<uint8_t>(values, big_endian);
    case DType::kInt8:
    case DType::kQint8:
      return Numbers<int8_t>(values, big_endian);
    case DType::kUint32:
      return Numbers<uint32_t>(values, big_endian);
    case DType::kUint64:
      return Numbers<uint64_t>(values, big_endian);
    case DType::kBool:
      return Numbers<uint8_t>(values, big_endian);
    case DType::kFloat16:  // given as bit patterns
    case DType::kBfloat16:
    case DType::kUint16:
      return Numbers<uint16_t>(values, big_endian);
    case DType::kComplex64:
      return Numbers<float>(values, big_endian);  // re, im, re, im, ...
    case DType::kComplex128:
      return Numbers<double>(values, big_endian);
    default:
      ADD_FAILURE() << "no case uses " << DTypeName(dtype);
      return {};
  }
}

DType DTypeOf(const Json& node) {
  const Json& name = node.at("dtype");
  return name.is_number() ? static_cast<DType>(name.get<int32_t>()) : *DTypeFromName(name.get<std::string>());
}

std::string Escape(const std::string& name) {
  std::string out;
  for (char c : name) out += c == '.' ? std::string("..") : c == '/' ? std::string(".S") : std::string(1, c);
  return out;
}

class ModelMaker {
 public:
  explicit ModelMaker(const Json& in)
      : in_(in), nodes_(in.at("nodes")), checkpoint_(in.value("checkpoint", Json::object())) {
    NamePaths();
  }

  void Run(MemoryFileSystem& files) {
    WriteGraph(files);
    if (!checkpoint_.value("none", false)) WriteCheckpoint(files);
  }

 private:
  // First breadth-first paths, as checkpoint keys spell them.
  void NamePaths() {
    paths_[0] = "";
    std::vector<int> queue = {0};
    for (size_t i = 0; i < queue.size(); ++i) {
      for (const Json& child : nodes_.at(queue[i]).value("children", Json::array())) {
        const int id = child[1];
        if (id < 0 || id >= static_cast<int>(nodes_.size()) || paths_.count(id)) continue;
        paths_[id] = paths_[queue[i]] + (queue[i] == 0 ? "" : "/") + Escape(child[0]);
        queue.push_back(id);
      }
    }
    for (size_t id = 0; id < nodes_.size(); ++id) {
      for (const Json& slot : nodes_[id].value("slots", Json::array())) {
        if (!paths_.count(slot[0])) continue;  // a reference to nowhere
        const std::string path = paths_[slot[0]] + "/.OPTIMIZER_SLOT/" + paths_[static_cast<int>(id)] + "/";
        paths_.emplace(slot[2].get<int>(), path + slot[1].get<std::string>());
      }
    }
  }

  std::string KeyOf(int id) const {
    return nodes_[static_cast<size_t>(id)].value("key", paths_.at(id) + "/.ATTRIBUTES/VARIABLE_VALUE");
  }

  template <class Message>
  void FillEdges(const Json& node, Message* out) const {
    for (const Json& child : node.value("children", Json::array())) {
      auto* edge = out->add_children();
      edge->set_local_name(child[0]);
      edge->set_node_id(child[1]);
    }
    for (const Json& slot : node.value("slots", Json::array())) {
      auto* reference = out->add_slot_variables();
      reference->set_original_variable_node_id(slot[0]);
      reference->set_slot_name(slot[1]);
      reference->set_slot_variable_node_id(slot[2]);
    }
  }

  void FillVariable(const Json& node, proto::SavedVariable* out) const {
    out->set_dtype(static_cast<proto::DataType>(DTypeOf(node)));
    const Json shape = node.contains("declared_shape") ? node["declared_shape"] : node.at("shape");
    if (shape.is_null()) out->mutable_shape()->set_unknown_rank(true);
    if (!shape.is_null()) out->mutable_shape();
    for (const Json& dim : shape.is_null() ? Json::array() : shape)
      out->mutable_shape()->add_dim()->set_size(dim);
    out->set_name(node.value("name", ""));
    out->set_trainable(true);
  }

  void FillNode(const Json& node, proto::SavedObject* out) const {
    FillEdges(node, out);
    for (const Json& id : node.value("dependencies", Json::array())) out->add_dependencies()->set_node_id(id);
    for (const Json saveables_fields = node.value("saveables", Json::object());
         const auto& [name, functions] : saveables_fields.items()) {
      (*out->mutable_saveable_objects())[name].set_save_function(functions[0]);
      (*out->mutable_saveable_objects())[name].set_restore_function(functions[1]);
    }
    const std::string kind = node.value("kind", "user_object");
    if (kind == "user_object") {
      auto* user = out->mutable_user_object();
      user->set_identifier(node.value("identifier", "_generic_user_object"));
      user->mutable_version()->set_producer(node.value("producer", 1));
      user->mutable_version()->set_min_consumer(node.value("min_consumer", 1));
      for (const Json& bad : node.value("bad_consumers", Json::array()))
        user->mutable_version()->add_bad_consumers(bad);
    } else if (kind == "variable") {
      FillVariable(node, out->mutable_variable());
    } else if (kind == "function") {
      out->mutable_function();
      for (const Json& name : node.value("concrete_functions", Json::array())) {
        out->mutable_function()->add_concrete_functions(name);
      }
    } else if (kind == "asset") {
      out->mutable_asset()->set_asset_file_def_index(node.value("index", 0));
    } else if (kind == "constant") {
      out->mutable_constant()->set_operation(node.at("operation"));
    } else if (kind == "resource") {
      out->mutable_resource();
    }
  }

  void FillMetaGraph(proto::MetaGraphDef* out) const {
    for (const Json& tag : in_.value("tags", Json::array({"serve"})))
      out->mutable_meta_info_def()->add_tags(tag);
    out->mutable_meta_info_def()->set_tensorflow_version("2.20.0");
    for (const Json& name : in_.value("assets", Json::array())) out->add_asset_file_def()->set_filename(name);
    auto* graph = out->mutable_object_graph_def();
    for (const Json& node : nodes_) FillNode(node, graph->add_nodes());
    for (const Json concrete_functions_fields = in_.value("concrete_functions", Json::object());
         const auto& [name, captures] : concrete_functions_fields.items()) {
      auto& function = (*graph->mutable_concrete_functions())[name];
      for (const Json& id : captures) function.add_bound_inputs(id);
      out->mutable_graph_def()->mutable_library()->add_function()->mutable_signature()->set_name(name);
    }
    for (const Json constants = in_.value("constants", Json::object());
         const auto& [name, value] : constants.items())
      FillConstant(value, AddConstant(name, out));
    if (in_.value("object_graph_constant", false)) {
      auto* tensor = AddConstant("Const", out);
      tensor->set_dtype(proto::DT_STRING);
      tensor->mutable_tensor_shape();
      tensor->add_string_val(StoredGraph());
    }
    for (const Json& name : in_.value("signatures_without_tensors", Json::array()))
      (*out->mutable_signature_def())[name];
    for (const Json& name : in_.value("collections_of_bytes", Json::array()))
      (*out->mutable_collection_def())[name].mutable_bytes_list()->add_value("not the name of an op");
  }

  static proto::TensorProto* AddConstant(const std::string& name, proto::MetaGraphDef* out) {
    auto* constant = out->mutable_graph_def()->add_node();
    constant->set_name(name);
    constant->set_op("Const");
    return (*constant->mutable_attr())["value"].mutable_tensor();
  }

  // "as": "content" (raw bytes, little-endian on every machine) or "values" (typed fields).
  static void FillConstant(const Json& in, proto::TensorProto* out) {
    const DType dtype = DTypeOf(in);
    out->set_dtype(static_cast<proto::DataType>(dtype));
    for (const Json& dim : in.at("shape")) out->mutable_tensor_shape()->add_dim()->set_size(dim);
    if (in.at("as") == "content") return out->set_tensor_content(EncodeValues(dtype, in.at("value"), false));
    for (const Json& value : in.at("value")) {
      if (dtype == DType::kFloat32) out->add_float_val(value);
      if (dtype == DType::kFloat64) out->add_double_val(value);
      if (dtype == DType::kInt64) out->add_int64_val(value);
      if (dtype == DType::kInt32 || dtype == DType::kInt16) out->add_int_val(value);
    }
  }

  void WriteGraph(MemoryFileSystem& files) const {
    proto::SavedModel model;
    model.set_saved_model_schema_version(1);
    for (int i = 0; i < in_.value("meta_graphs", 1); ++i) FillMetaGraph(model.add_meta_graphs());
    const std::string directory(kModelDirectory);
    if (in_.value("text", false)) {
      files.Add(directory + "/saved_model.pbtxt", Buffer::FromString(internal::PrintText(model)));
    } else {
      files.Add(directory + "/saved_model.pb", Buffer::FromString(model.SerializeAsString()));
    }
  }

  // The object graph inside the checkpoint; "order" gives other ids to the nodes there.
  std::string StoredGraph() const {
    std::vector<int> order;
    for (size_t id = 0; id < nodes_.size(); ++id) order.push_back(static_cast<int>(id));
    if (checkpoint_.contains("order")) order = checkpoint_["order"].get<std::vector<int>>();
    std::map<int, int> new_id;
    for (size_t i = 0; i < order.size(); ++i) new_id[order[i]] = static_cast<int>(i);
    proto::TrackableObjectGraph graph;
    for (int id : order) {
      auto* node = graph.add_nodes();
      FillEdges(nodes_[static_cast<size_t>(id)], node);
      for (auto& edge : *node->mutable_children()) edge.set_node_id(Renamed(new_id, edge.node_id()));
      for (auto& slot : *node->mutable_slot_variables()) {
        slot.set_original_variable_node_id(Renamed(new_id, slot.original_variable_node_id()));
        slot.set_slot_variable_node_id(Renamed(new_id, slot.slot_variable_node_id()));
      }
      if (nodes_[static_cast<size_t>(id)].value("kind", "") != "variable" || !paths_.count(id)) continue;
      if (nodes_[static_cast<size_t>(id)].value("no_attribute", false)) continue;
      auto* attribute = node->add_attributes();
      attribute->set_name("VARIABLE_VALUE");
      attribute->set_checkpoint_key(KeyOf(id));
    }
    return graph.SerializeAsString();
  }
  static int Renamed(const std::map<int, int>& new_id, int id) {
    return new_id.count(id) ? new_id.at(id) : id;
  }

  void AddTensor(int id, BundleBuilder* bundle) const {
    const Json& node = nodes_[static_cast<size_t>(id)];
    const DType dtype = node.contains("stored_dtype")
                            ? *DTypeFromName(node["stored_dtype"].get<std::string>())
                            : DTypeOf(node);
    const auto shape = node.at("shape").get<std::vector<int64_t>>();
    if (dtype == DType::kString) {
      bundle->AddStrings(KeyOf(id), shape, node.at("value").get<std::vector<std::string>>());
      return;
    }
    bundle->Add({.key = KeyOf(id),
                 .dtype = static_cast<int64_t>(dtype),
                 .shape = shape,
                 .payload = EncodeValues(dtype, node.at("value"), bundle->big_endian())});
  }

  void WriteCheckpoint(MemoryFileSystem& files) const {
    BundleBuilder bundle(1, checkpoint_.value("big_endian", false));
    std::set<std::string> omitted;
    for (const Json& key : checkpoint_.value("omit_keys", Json::array())) omitted.insert(key);
    for (const auto& [id, path] : paths_) {
      const Json& node = nodes_[static_cast<size_t>(id)];
      if (node.value("kind", "") == "variable" && node.contains("value") && !omitted.count(KeyOf(id)))
        AddTensor(id, &bundle);
    }
    if (!omitted.count(kGraphKey)) bundle.AddStrings(kGraphKey, {}, {StoredGraph()});
    for (const Json sizes_fields = checkpoint_.value("sizes", Json::object());
         const auto& [key, size] : sizes_fields.items())
      bundle.Entry(key).size = size;
    for (const Json flips_fields = checkpoint_.value("flips", Json::object());
         const auto& [key, byte] : flips_fields.items()) {
      char& at = bundle.shards[0][static_cast<size_t>(bundle.Entry(key).offset + byte.get<int64_t>())];
      at = static_cast<char>(at ^ 0x40);
    }
    bundle.WriteTo(files, std::string(kModelDirectory) + "/variables/variables");
  }

  const Json& in_;
  const Json nodes_;
  const Json checkpoint_;
  std::map<int, std::string> paths_;  // without "root", in the keys' spelling
};

std::string FileContent(const Json& content) {
  if (content.contains("text")) return content["text"];
  std::string once;
  const std::string hex = content.at("hex");
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    once += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  std::string out;
  for (int i = 0; i < content.value("times", 1); ++i) out += once;
  return out;
}

void CopyFixture(const std::string& name, MemoryFileSystem& files) {
  const std::filesystem::path from =
      std::filesystem::path(SAVEDMODEL_SOURCE_DIR) / "tests/fixtures/data" / name;
  ASSERT_TRUE(std::filesystem::exists(from)) << from;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(from)) {
    if (!entry.is_regular_file()) continue;
    const std::string path =
        std::string(kModelDirectory) + "/" + std::filesystem::relative(entry.path(), from).string();
    files.Add(path, Buffer::FromString(ReadWholeFile(entry.path())));
  }
}

}  // namespace

std::shared_ptr<MemoryFileSystem> BuildModel(const Json& description) {
  auto files = std::make_shared<MemoryFileSystem>();
  if (description.contains("fixture")) CopyFixture(description["fixture"], *files);
  if (description.contains("nodes")) ModelMaker(description).Run(*files);
  for (const Json files_fields = description.value("files", Json::object());
       const auto& [name, content] : files_fields.items()) {
    const std::string path = std::string(kModelDirectory) + "/" + name;
    if (content.is_null()) {
      files->Remove(path);
    } else {
      files->Add(path, Buffer::FromString(FileContent(content)));
    }
  }
  return files;
}

Tensor TensorFromJson(const Json& description) {
  const DType dtype = DTypeOf(description);
  const Shape shape = *Shape::Make(description.at("shape").get<std::vector<int64_t>>());
  if (dtype == DType::kString)
    return *Tensor::FromStrings(shape, description.at("value").get<std::vector<std::string>>());
  const std::string bytes =
      EncodeValues(dtype, description.at("value"), std::endian::native == std::endian::big);
  return *Tensor::FromBytes(dtype, shape, std::as_bytes(std::span(bytes)));
}

namespace {

template <class T>
Json Flat(const Tensor& tensor) {
  Json out = Json::array();
  const Tensor aligned = *tensor.Aligned();
  const std::span<const T> view = *aligned.View<T>();
  for (T value : view) out.push_back(value);
  return out;
}

template <class Part, class T>
Json FlatParts(const Tensor& tensor) {
  Json out = Json::array();
  const Tensor aligned = *tensor.Aligned();
  const std::span<const T> view = *aligned.View<T>();
  for (const T& value : view) {
    if constexpr (std::is_same_v<Part, uint16_t>) {
      out.push_back(value.bits);
    } else {
      out.push_back(value.real());
      out.push_back(value.imag());
    }
  }
  return out;
}

Json FlatStrings(const Tensor& tensor) {
  Json out = Json::array();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) out.push_back(std::string(*tensor.StringAt(i)));
  return out;
}

}  // namespace

Json ValuesOf(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kFloat32:
      return Flat<float>(tensor);
    case DType::kFloat64:
      return Flat<double>(tensor);
    case DType::kInt16:
      return Flat<int16_t>(tensor);
    case DType::kInt32:
      return Flat<int32_t>(tensor);
    case DType::kInt64:
      return Flat<int64_t>(tensor);
    case DType::kUint8:
      return Flat<uint8_t>(tensor);
    case DType::kUint16:
      return Flat<uint16_t>(tensor);
    case DType::kInt8:
      return Flat<int8_t>(tensor);
    case DType::kUint32:
      return Flat<uint32_t>(tensor);
    case DType::kUint64:
      return Flat<uint64_t>(tensor);
    case DType::kBfloat16:
      return FlatParts<uint16_t, BFloat16>(tensor);
    case DType::kBool:
      return Flat<bool>(tensor);
    case DType::kFloat16:
      return FlatParts<uint16_t, Float16>(tensor);
    case DType::kComplex64:
      return FlatParts<float, std::complex<float>>(tensor);
    case DType::kComplex128:
      return FlatParts<double, std::complex<double>>(tensor);
    case DType::kString:
      return FlatStrings(tensor);
    default:
      ADD_FAILURE() << "no case uses " << DTypeName(tensor.dtype());
      return {};
  }
}

}  // namespace savedmodel::testing
