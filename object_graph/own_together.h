// Makes objects that refer to each other live and die together.
//
//   auto handles = OwnTogether({parent, child});
//   parent->TrackBack("child", handles[1]);      // edges among them do not own: the handles do
//   child->TrackBack("parent", handles[0]);
//
// Lifetime: every handle keeps all members alive; with the last one they are released, without recursion.
// Thread-safety: a pure function; handles follow std::shared_ptr's rules.
#pragma once

#include <memory>
#include <vector>

#include "savedmodel/object_graph/trackable.h"

namespace savedmodel {

// Handle i points to member i. Members must not be null.
std::vector<std::shared_ptr<Trackable>> OwnTogether(std::vector<std::shared_ptr<Trackable>> members);

}  // namespace savedmodel
