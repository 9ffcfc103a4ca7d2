// Base of optimizers: an object that keeps state of its own for each of other objects' variables, in named slots.
//
//   class Adam : public Optimizer {
//     Status Step(const std::shared_ptr<Variable>& w, ...) {
//       auto m = *GetOrMakeSlot(w, "m", w->spec(), ZerosLike(*w));     // made at the first step, or restored
//       auto power = ChildAs<Variable>("beta1_power");
//       if (!power) power = *AddVariable("beta1_power", {DType::kFloat32, Shape{}}, Scalar(beta1_));
//
// A slot variable is nobody's child. A checkpoint names it by (optimizer, variable, slot) and stores it when both the
// optimizer and the variable are in the graph; a restore makes the slots that the checkpoint has values for as soon as
// both exist. Ordinary state (step counters) are children like those of any object.
// Keras optimizers of TensorFlow 2.11 and later keep no slots but lists of variables ("_variables", "_velocities", ...):
// for their checkpoints a class tracks Lists of those names. `savedmodel tree PREFIX` shows what a checkpoint has.
// Lifetime: a slot lives as long as the optimizer and its variable do. Thread-safety: as Trackable.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "savedmodel/object_graph/module.h"
#include "savedmodel/object_graph/variable.h"

namespace savedmodel {

class Optimizer : public Module {
 public:
  Optimizer() = default;
  explicit Optimizer(UserObjectInfo info) : Module(std::move(info)) {}

  // The slot; null when there is none.
  std::shared_ptr<Variable> Slot(const Trackable& variable, std::string_view slot_name) const;
  // The slot; made when there is none. A new one gets its value from a restore that waits for it, else from
  // `initializer` (none: it stays without a value).
  // Errors: InvalidArgument (null, dtype), those of the initializer; then there is no new slot.
  StatusOr<std::shared_ptr<Variable>> GetOrMakeSlot(const std::shared_ptr<Variable>& variable,
                                                    std::string_view slot_name, const TensorSpec& spec,
                                                    Variable::Initializer initializer = {});
  // Calls `visit(slot)` for every slot, in no order.
  void ForEachSlot(const std::function<void(const std::shared_ptr<Variable>&)>& visit) const;
  // Names of all slots, sorted.
  std::vector<std::string> slot_names() const;
  // Forgets what is kept for `variable`; false when that was nothing.
  bool RemoveSlots(const Trackable& variable);

  // Makes the variable that becomes a slot, for GetOrMakeSlot and for restores; it is no slot yet. A class that makes
  // slots in ways of its own, or names them, overrides it. Errors: InvalidArgument (dtype).
  virtual StatusOr<std::shared_ptr<Variable>> MakeSlotFor(const Variable& variable,
                                                          std::string_view slot_name,
                                                          const TensorSpec& spec) const;
  // For restores: makes `slot` the slot; one that is there stays.
  void AdoptSlot(const std::shared_ptr<Variable>& variable, std::string_view slot_name,
                 std::shared_ptr<Variable> slot);

 private:
  struct SlotsOf {
    std::weak_ptr<Variable> variable;
    std::vector<std::pair<std::string, std::shared_ptr<Variable>>> slots;
  };
  const SlotsOf* Find(const Trackable& variable) const;
  SlotsOf& SlotsFor(const std::shared_ptr<Variable>& variable);
  void ForgetExpired();

  std::unordered_map<const Trackable*, SlotsOf> slots_;
  size_t forget_at_ = 64;  // number of variables at which those that are gone are looked for
};

}  // namespace savedmodel
