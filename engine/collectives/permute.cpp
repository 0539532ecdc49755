// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/permute.h"

#include <utility>

namespace shardscope::inline collectives {

namespace {

// Whether turning all devices by one place along an axis (of `size`, neighbours `stride` apart) turns the
// pairs into each other.
bool turns(const Permutation& permutation, int32_t devices, int32_t size, int32_t stride) {
  const auto turned = [&](int32_t d) {
    return d / stride % size + 1 < size ? d + stride : d - (size - 1) * stride;
  };
  for (int32_t d = 0; d < devices; ++d) {
    const DeviceId target = permutation.target_of(DeviceId(d));
    const DeviceId expected = target.valid() ? DeviceId(turned(target.value)) : target;
    if (permutation.target_of(DeviceId(turned(d))) != expected) return false;
  }
  return true;
}

CollectiveSchedule::Outline outline_of(const Permutation& permutation, int32_t devices,
                                       const std::vector<GroupAxis>& axes) {
  bool moves = false;
  for (const SourceTarget& pair : permutation.pairs()) moves = moves || pair.source != pair.target;
  CollectiveSchedule::Outline outline;
  outline.kind = CollectiveKind::permute;
  outline.ranks = devices;
  outline.chunks = devices;
  outline.steps = moves ? 1 : 0;
  outline.rotation_symmetric = axes.empty() ? turns(permutation, devices, devices, 1) : true;
  int32_t stride = devices;
  for (const GroupAxis& axis : axes) {
    stride /= axis.size;
    outline.rotation_symmetric = outline.rotation_symmetric && turns(permutation, devices, axis.size, stride);
  }
  return outline;
}

class PermuteSchedule final : public CollectiveSchedule {
 public:
  PermuteSchedule(std::shared_ptr<const Permutation> permutation, int32_t devices,
                  const std::vector<GroupAxis>& axes)
      : CollectiveSchedule(outline_of(*permutation, devices, axes)), permutation_(std::move(permutation)) {}

  void append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const override {
    const DeviceId target = permutation_->target_of(DeviceId(source));
    if (target.valid() && target.value != source)
      out.push_back({step, source, target.value, source, 1, 0, false});
  }

 private:
  std::shared_ptr<const Permutation> permutation_;
};

}  // namespace

std::shared_ptr<const CollectiveSchedule> permute_schedule(std::shared_ptr<const Permutation> permutation,
                                                           int32_t devices,
                                                           const std::vector<GroupAxis>& axes) {
  CHECK(permutation != nullptr, "a collective-permute has source_target_pairs");
  return std::make_shared<PermuteSchedule>(std::move(permutation), devices, axes);
}

}  // namespace shardscope::inline collectives
