// Lets go of owned objects without recursion: what a destructor hands over is released by the outermost one
// on the thread.
#pragma once

#include <memory>

namespace savedmodel {
class Trackable;
}

namespace savedmodel::internal {

// Releases `object`. When called while another release runs on this thread, that one does it, after it has
// finished with its present object; so a chain of owners of any length uses a constant stack.
void DeferredRelease(std::shared_ptr<Trackable> object);

}  // namespace savedmodel::internal
