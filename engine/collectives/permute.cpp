// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/permute.h"

#include <utility>

namespace shardscope {

namespace {

class PermuteSchedule final : public CollectiveSchedule {
 public:
  PermuteSchedule(std::shared_ptr<const Permutation> permutation, int32_t devices)
      : permutation_(std::move(permutation)), devices_(devices) {
    for (const SourceTarget& pair : permutation_->pairs()) moves_ = moves_ || pair.source != pair.target;
  }

  int32_t ranks() const override { return devices_; }
  int32_t chunks() const override { return devices_; }
  int32_t steps() const override { return moves_ ? 1 : 0; }
  void append_step(int32_t step, std::vector<Transfer>& out) const override {
    for (int32_t d = 0; d < devices_; ++d) {
      const DeviceId target = permutation_->target_of(DeviceId(d));
      if (target.valid() && target.value != d) out.push_back({step, d, target.value, d, 1, 0, false});
    }
  }
  bool rotation_symmetric() const override { return false; }

 private:
  std::shared_ptr<const Permutation> permutation_;
  int32_t devices_;
  bool moves_ = false;
};

}  // namespace

std::shared_ptr<const CollectiveSchedule> permute_schedule(std::shared_ptr<const Permutation> permutation,
                                                           int32_t devices) {
  CHECK(permutation != nullptr, "a collective-permute has source_target_pairs");
  return std::make_shared<PermuteSchedule>(std::move(permutation), devices);
}

}  // namespace shardscope
