// The nodes of a model that are not user objects or variables: assets, constants, resources, and those kept
// as they are.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "savedmodel/base/status.h"
#include "savedmodel/base/tensor.h"
#include "savedmodel/object_graph/trackable.h"

namespace savedmodel {

// A file of the model.
class Asset : public Trackable {
 public:
  Asset(std::string filename, std::string path) : filename_(std::move(filename)), path_(std::move(path)) {}
  NodeKind kind() const override { return NodeKind::kAsset; }
  std::string_view identifier() const override { return {}; }

  // As the model names it, below its assets directory.
  const std::string& filename() const { return filename_; }
  // Below the directory that was opened.
  const std::string& path() const { return path_; }

 private:
  std::string filename_;
  std::string path_;
};

// A tensor that is part of the model's graph. Decoded each time it is read.
class Constant : public Trackable {
 public:
  using Source = std::function<StatusOr<Tensor>()>;
  explicit Constant(Source source) : source_(std::move(source)) {}
  NodeKind kind() const override { return NodeKind::kConstant; }
  std::string_view identifier() const override { return {}; }

  // Thread-safe. Cost: the constant's bytes. Errors: DataLoss (no such node, a value that cannot be what it
  // claims), Unimplemented (its dtype), ResourceExhausted (memory), FailedPrecondition (made without a source).
  StatusOr<Tensor> Read() const;

 private:
  Source source_;
};

// A table, iterator or other resource. Its children are the functions that create and initialise it.
class Resource : public Trackable {
 public:
  explicit Resource(std::string device) : device_(std::move(device)) {}
  NodeKind kind() const override { return NodeKind::kResource; }
  std::string_view identifier() const override { return {}; }

  const std::string& device() const { return device_; }  // where it must be created; empty: anywhere

 private:
  std::string device_;
};

// A node that is kept with its kind and edges but not revived: functions, captured tensors, kinds newer than
// this SDK.
class OpaqueNode : public Trackable {
 public:
  explicit OpaqueNode(Node node) : node_(std::move(node)) {}
  NodeKind kind() const override { return node_.kind; }
  std::string_view identifier() const override { return {}; }
  bool InView(GraphView view) const override {
    const bool is_function = kind() == NodeKind::kFunction || kind() == NodeKind::kBareConcreteFunction;
    return view == GraphView::kSavedModel || !is_function;
  }

  // What the graph says of it. Ids in it are those of the model's stored graph.
  const Node& node() const { return node_; }

 private:
  Node node_;
};

}  // namespace savedmodel
