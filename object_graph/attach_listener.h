// Who waits for children of an object: a restore that holds values for objects which do not exist yet.
//
// Objects know their listeners weakly and tell them; what comes of it stays with the listener. So attaching a child
// never fails for the sake of a file. Restores implement this (checkpoint/); programs need not.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace savedmodel {

class Trackable;

class AttachListener {
 public:
  virtual ~AttachListener() = default;
  // When it was issued: of two listeners of an object the one with the larger number is told first.
  virtual uint64_t issue() const = 0;
  // `child` is now a child of the object under `name`, where none was. `token` is what AddListener was given.
  virtual void OnChild(int32_t token, const std::string& name, const std::shared_ptr<Trackable>& child) = 0;
  // The object, an optimizer, has made `slot`, a new slot variable.
  virtual void OnSlot(int32_t token, const std::shared_ptr<Trackable>& slot) = 0;
};

}  // namespace savedmodel
