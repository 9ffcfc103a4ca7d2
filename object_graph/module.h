// A user object of a model: a bag of named children with the labels its writer gave it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "savedmodel/object_graph/trackable.h"

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

 private:
  UserObjectInfo info_{.identifier = "_generic_user_object", .producer = 1, .min_consumer = 1};
};

}  // namespace savedmodel
