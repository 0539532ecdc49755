// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/mesh/mesh.h"

namespace shardscope::inline mesh {

// One pair of HLO's source_target_pairs.
struct SourceTarget {
  DeviceId source;
  DeviceId target;
  auto operator<=>(const SourceTarget&) const = default;
};

// Who sends to whom in one collective-permute: every device at most once as source and at most once as
// target. A device that is nobody's target receives zeros.
class Permutation {
 public:
  Permutation() = default;
  // Pairs keep their order. Refuses doubled sources or targets and ids outside [0, devices).
  static Result<Permutation> make(std::vector<SourceTarget> pairs, int64_t devices);
  // Every device of every group along `axis` sends to the member `distance` further on, around the ring:
  // {(i, i + distance mod n)}. Negative distances go the other way.
  static Permutation shift(const Mesh& mesh, int axis, int64_t distance);

  const std::vector<SourceTarget>& pairs() const { return pairs_; }
  // Who sends to `device`, if anybody.
  DeviceId source_of(DeviceId device) const;
  DeviceId target_of(DeviceId device) const;
  // Closed cycles, each from its smallest device, without fixed points; open chains are no cycles.
  std::vector<std::vector<DeviceId>> cycles() const;
  bool operator==(const Permutation& other) const { return pairs_ == other.pairs_; }

 private:
  std::vector<SourceTarget> pairs_;
  std::vector<DeviceId> source_of_;  // by target
  std::vector<DeviceId> target_of_;  // by source
};

// Hops of the shortest dimension-ordered way between two chips, wrapping where the axes wrap.
int64_t hop_count(const Mesh& mesh, DeviceId source, DeviceId target);

}  // namespace shardscope::inline mesh
