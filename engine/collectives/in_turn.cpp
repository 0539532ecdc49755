// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/in_turn.h"

#include <utility>

#include "engine/base/check.h"

namespace shardscope::inline collectives {

namespace {

using Part = std::shared_ptr<const CollectiveSchedule>;

class InTurn final : public CollectiveSchedule {
 public:
  InTurn(const Outline& outline, Part first, Part second)
      : CollectiveSchedule(outline), first_(std::move(first)), second_(std::move(second)) {}

  void append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const override {
    if (step < first_->steps()) return first_->append_from(step, source, out);
    const size_t before = out.size();
    second_->append_from(step - first_->steps(), source, out);
    for (size_t i = before; i < out.size(); ++i) out[i].step = step;
  }
  int32_t home(int32_t chunk) const override { return first_->home(chunk); }

 private:
  Part first_, second_;
};

}  // namespace

Part all_reduce_in_turn(Part first, Part second) {
  CHECK(first->chunks() == second->chunks() && first->streams() == second->streams() &&
            first->dependency() == second->dependency(),
        "schedules in turn cut the array alike", first->chunks(), second->chunks());
  CollectiveSchedule::Outline outline = first->outline();
  outline.kind = CollectiveKind::all_reduce;
  outline.steps += second->steps();
  outline.rotation_symmetric = first->rotation_symmetric() && second->rotation_symmetric();
  return std::make_shared<InTurn>(outline, std::move(first), std::move(second));
}

}  // namespace shardscope::inline collectives
