// SPDX-License-Identifier: Apache-2.0
// Which operands of a GPU's kernel its results may take the memory of, as XLA:GPU decides it
// (FusionCanShareBufferHint in xla/service/gpu).
#pragma once

#include <cstddef>
#include <vector>

#include "engine/program/analysis/readers.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// Of a fused computation. Each element is written by the thread that has read it, and by no other: all that
// is done with the operand on its way is elementwise, but for the slice that an update replaces and the
// arrays that a scatter changes. A kernel that reduces is done with what it reduces before it writes.
class GpuFusionPlaces {
 public:
  // `reduces`: it is of the kind (kInput) whose code makes a reduction first.
  GpuFusionPlaces(const Computation& fused, bool reduces);
  // Whether `root`, one of its results, may be written over what parameter `from` reads.
  bool may_share(size_t from, InstructionId root);

 private:
  struct Goal;
  bool is_on_the_way(const Goal& goal, size_t reader, size_t from) const;

  const Computation& fused_;
  const ReadersOf readers_;
  const std::vector<InstructionId> roots_;
  size_t reduction_;  // the first that a result comes of by elementwise work; none: their number
  size_t budget_;     // readers that are looked at, then nothing more is shared
};

}  // namespace shardscope::inline program
