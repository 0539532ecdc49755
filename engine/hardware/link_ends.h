// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/hardware/lane.h"
#include "engine/mesh/mesh.h"

namespace shardscope::inline hardware {

// The device at the other end of each link of a mesh. Refers to the mesh, which outlives it.
class LinkEnds {
 public:
  explicit LinkEnds(const Mesh& mesh);
  // `lane` is a link's.
  int32_t beside(int32_t device, const Lane& lane) const;

 private:
  const Mesh& mesh_;
  std::vector<int32_t> on_chip_;
};

}  // namespace shardscope::inline hardware
