// A user object of a model: a bag of named children with the labels its writer gave it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/object_graph/trackable.h"
#include "savedmodel/object_graph/variable.h"

namespace savedmodel {

// Loaded user objects of any identifier are Modules: identifiers such as "_tf_keras_layer" are labels and
// never change how an object is loaded. Derive from it, or from Trackable, for the program's own classes.
class Module : public Trackable {
 public:
  Module() = default;
  explicit Module(UserObjectInfo info) : info_(std::move(info)) {}

  std::string_view identifier() const override { return info_.identifier; }
  int32_t producer() const { return info_.producer; }
  int32_t min_consumer() const { return info_.min_consumer; }
  const std::string& metadata() const { return info_.metadata; }

  // A new variable, called `name` and tracked under it. Its value is that of a restore that waits for the name, else what
  // `initializer` makes, which is not called otherwise; without either it has none.
  // Errors: AlreadyExists (a child of that name), InvalidArgument (dtype), those of the initializer; then nothing is
  // tracked.
  StatusOr<std::shared_ptr<Variable>> AddVariable(std::string_view name, const TensorSpec& spec,
                                                  Variable::Initializer initializer = {});

 private:
  UserObjectInfo info_{.identifier = "_generic_user_object", .producer = 1, .min_consumer = 1};
};

}  // namespace savedmodel
