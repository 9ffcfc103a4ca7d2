// Writes a SavedModel with many variables and functions, for tests of what a load costs.
//
//   make_large_model DIRECTORY VARIABLES BYTES_EACH FUNCTIONS
//
// Variable i is root.v<i>, uint8[BYTES_EACH], all zero (the shard is a sparse file). The functions' bodies are long and no
// node refers to them.
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "savedmodel/base/internal/crc32c.h"
#include "savedmodel/proto/saved_model.pb.h"
#include "savedmodel/proto/trackable_object_graph.pb.h"
#include "savedmodel/tests/support/bundle_builder.h"

using namespace savedmodel;  // NOLINT

namespace {

std::string Name(int i) { return "v" + std::to_string(i); }
std::string Key(int i) { return Name(i) + "/.ATTRIBUTES/VARIABLE_VALUE"; }

void Write(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string Graph(int variables, int64_t bytes_each, int functions) {
  proto::SavedModel model;
  proto::MetaGraphDef* meta = model.add_meta_graphs();
  meta->mutable_meta_info_def()->add_tags("serve");
  auto* graph = meta->mutable_object_graph_def();
  auto* root = graph->add_nodes();
  root->mutable_user_object()->set_identifier("_generic_user_object");
  for (int i = 0; i < variables; ++i) {
    auto* edge = root->add_children();
    edge->set_local_name(Name(i));
    edge->set_node_id(i + 1);
    auto* variable = graph->add_nodes()->mutable_variable();
    variable->set_dtype(proto::DT_UINT8);
    variable->mutable_shape()->add_dim()->set_size(bytes_each);
  }
  for (int f = 0; f < functions; ++f) {
    auto* function = meta->mutable_graph_def()->mutable_library()->add_function();
    function->mutable_signature()->set_name("__inference_f_" + std::to_string(f));
    for (int n = 0; n < 20; ++n) function->add_node_def()->set_op("Identity");
  }
  return model.SerializeAsString();
}

std::string ObjectGraph(int variables) {
  proto::TrackableObjectGraph graph;
  auto* root = graph.add_nodes();
  for (int i = 0; i < variables; ++i) {
    auto* edge = root->add_children();
    edge->set_local_name(Name(i));
    edge->set_node_id(i + 1);
    auto* attribute = graph.add_nodes()->add_attributes();
    attribute->set_name("VARIABLE_VALUE");
    attribute->set_checkpoint_key(Key(i));
  }
  return graph.SerializeAsString();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5)
    return std::fprintf(stderr, "usage: make_large_model DIRECTORY VARIABLES BYTES_EACH FUNCTIONS\n"), 2;
  const std::filesystem::path directory = argv[1];
  const int variables = std::atoi(argv[2]);
  const int64_t bytes_each = std::atoll(argv[3]);
  Write(directory / "saved_model.pb", Graph(variables, bytes_each, std::atoi(argv[4])));

  testing::BundleBuilder bundle;
  bundle.AddStrings("_CHECKPOINTABLE_OBJECT_GRAPH", {}, {ObjectGraph(variables)});
  const auto start = static_cast<int64_t>(bundle.shards[0].size());
  const std::string zeros(static_cast<size_t>(bytes_each), '\0');
  const uint32_t crc = internal::MaskCrc(internal::ExtendCrc32c(0, std::as_bytes(std::span(zeros))));
  for (int i = 0; i < variables; ++i) {
    bundle.Entry(Key(i)) = {.dtype = 4,
                            .shape = {bytes_each},
                            .offset = start + i * bytes_each,
                            .size = bytes_each,
                            .crc32c = crc};
  }
  for (const auto& [name, content] : bundle.Files("variables/variables")) Write(directory / name, content);
  std::filesystem::resize_file(directory / "variables/variables.data-00000-of-00001",
                               static_cast<uintmax_t>(start + variables * bytes_each));
}
