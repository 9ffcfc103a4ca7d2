// What a SavedModel says of itself: its MetaGraphs with tags, versions, signatures, assets and counts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "savedmodel/signatures/signature_def.h"

namespace savedmodel {

struct MetaGraphInfo {
  std::vector<std::string> tags = {};   // as stored; compared as a set
  std::string meta_graph_version = {};  // a label of the writer's
  std::string tensorflow_version = {};  // "2.20.0"; empty in some old files
  std::string tensorflow_git_version = {};
  bool stripped_default_attrs = false;
  bool has_object_graph = false;  // written by TensorFlow 2, or by a TensorFlow 1 that knew objects
  std::map<std::string, SignatureDef> signatures = {};
  std::vector<std::string> assets = {};  // file names below the assets directory, as stored, by index
  struct Counts {
    uint64_t nodes = 0;      // of the object graph
    uint64_t variables = 0;  // variable nodes that are not slot variables
    uint64_t functions = 0;  // of the function library
    uint64_t tables = 0;     // resource nodes
    uint64_t slots = 0;      // slot references of optimizers
    uint64_t constants = 0;  // constant nodes
  } counts;
};

// fingerprint.pb: hashes that TensorFlow computed when it wrote the model. Loading never depends on it.
struct Fingerprint {
  uint64_t saved_model_checksum = 0;
  uint64_t graph_def_program_hash = 0;
  uint64_t signature_def_hash = 0;
  uint64_t saved_object_graph_hash = 0;
  uint64_t checkpoint_hash = 0;
  int32_t producer = 0;   // version of the rules by which the hashes were made
  std::string uuid = {};  // digits; empty before TensorFlow 2.19
};

}  // namespace savedmodel
