// SPDX-License-Identifier: Apache-2.0
// What a device does in a step of an array from one split to another.
#pragma once

#include <vector>

#include "engine/partition/reshard/spmd_writer.h"
#include "engine/sharding/split_step.h"

namespace shardscope::inline partitioner {

// Writes onto the pages of `writer`. Every split divides the array evenly; sums and scattered sums are made
// by `combining`. A step that makes partial results is none of these.
class StepWriter {
 public:
  StepWriter(SpmdWriter& writer, const Mesh& mesh, Opcode combining)
      : writer_(writer), mesh_(mesh), combining_(combining) {}

  InstructionId write(InstructionId id, const SplitStep& step);
  InstructionId combined(InstructionId id, const AxisParts& axes);

  // A device's number along axes, times `tile`; where a tile starts that starts so in one dimension.
  InstructionId offset_along(const AxisParts& axes, int64_t tile);
  std::vector<InstructionId> starts(size_t rank, size_t dim, InstructionId start);

  // What all devices along the axes have alike, as partial results: the first along them keeps it, the others
  // have what changes nothing when it is combined.
  InstructionId on_first(InstructionId id, const AxisParts& axes);
  // Such an array of nothing.
  InstructionId nothing(ElementType type, const std::vector<int64_t>& dims);

 private:
  InstructionId slice(InstructionId id, const SplitStep& step);
  InstructionId gather(InstructionId id, const SplitStep& step);
  InstructionId exchange(InstructionId id, const SplitStep& step);
  InstructionId reduce_scatter(InstructionId id, const SplitStep& step);

  SpmdWriter& writer_;
  const Mesh& mesh_;
  Opcode combining_;
};

}  // namespace shardscope::inline partitioner
