// What the variables of a program are called in a checkpoint, where the two use other names.
//
//   NameMap map = NameMap::LiveToStored({{"dense/kernel", "fc1/weights"}, {"encoder/", "bert/encoder/"}});
//   map = *NameMap::StoredToLive({{"fc1/weights", "dense/kernel"}});      // the same, said the other way round
//   map.ToStored("encoder/layer_0/bias");                                 // "bert/encoder/layer_0/bias"
//
// A name that ends in "/" stands for all names below it. A whole name wins over a scope, a longer scope over a
// shorter. Names without an entry are the same on both sides; "" as a scope stands for every name.
// Thread-safety: a value; const methods may run concurrently.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "savedmodel/base/status.h"

namespace savedmodel {

class NameMap {
 public:
  NameMap() = default;  // every name is itself
  // Several live names may take one stored tensor.
  static NameMap LiveToStored(std::map<std::string, std::string> names);
  // Errors: InvalidArgument (two stored names for one live name: which is meant?).
  static StatusOr<NameMap> StoredToLive(const std::map<std::string, std::string>& names);

  // The name in the checkpoint of what the program calls `live`.
  std::string ToStored(std::string_view live) const;
  bool empty() const { return names_.empty(); }
  bool operator==(const NameMap&) const = default;

 private:
  std::map<std::string, std::string, std::less<>> names_;  // live to stored
};

}  // namespace savedmodel
