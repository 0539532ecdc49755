// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/hardware/fabric.h"
#include "engine/mesh/mesh.h"
#include "engine/schedule/work.h"

namespace shardscope {

// The turns of a mesh along its axes, when each of them turns all of a run into itself: then every device
// does the same at the same times, and device 0 can be timed for all of them.
class Symmetry {
 public:
  // Nothing when some turn would change something: a link that an axis lacks, a slow chip, groups or a
  // schedule that differ from device to device. What of it depends on queues only, the simulation sees.
  static std::optional<Symmetry> find(const Mesh& mesh, const Fabric& fabric, const WorkPlan& plan);

  int32_t devices() const { return devices_; }
  // `device` moved on as far as `by` is from device 0.
  int32_t turned(int32_t device, int32_t by) const;
  // The `by` that turns `from` into `to`.
  int32_t between(int32_t from, int32_t to) const;
  // The lane of `device` that does what `lane` of another one does: chips of an axis of two have one link
  // each, up from the first, down from the second.
  int32_t lane_on(int32_t lane, int32_t device) const;

 private:
  bool turns_chips(const Mesh& mesh, const Fabric& fabric) const;
  bool turns_groups(const Work& work) const;

  int32_t devices_ = 1;
  std::vector<int32_t> sizes_, strides_;  // of the mesh's axes
  struct PairLane {
    int32_t up = -1;     // of an axis of two; the other one is up + 1
    int32_t stride = 1;  // of its chips
  };
  std::vector<PairLane> pair_lanes_;
  std::vector<int32_t> chip_of_;
};

}  // namespace shardscope
