// SPDX-License-Identifier: Apache-2.0
// Windows over an array: what each device needs of it for its part of what they make. As XLA's partitioner
// does it (ReshardAsWindowedInput of xla/service/spmd/spmd_partitioner.cc), with halos where they suffice.
#pragma once

#include <optional>
#include <vector>

#include "engine/partition/rules/visit.h"
#include "engine/program/ir/attributes.h"

namespace shardscope::inline partitioner {

struct WindowedInput {
  Sharded value;                  // the rows that each device needs; the array that they are of
  std::vector<WindowDim> window;  // over those rows
  // By dimension and device, where its part of what they make begins; empty: at the start.
  std::vector<std::vector<int64_t>> begins;
};

struct WindowedReason {
  std::string halo;      // why rows come from others
  std::string gathered;  // why a dimension is gathered
  std::string operand;
};

struct WindowedUse {
  std::vector<WindowDim> window;
  Tiling at;                            // the result's
  std::optional<InstructionId> filler;  // what stands where the array has ended; none: nobody reads it
  WindowedReason why;
};

// Of a value. None: no device can do its part by itself.
std::optional<WindowedInput> windowed_input(const SpmdContext& cx, const SpmdScope& scope,
                                            const Sharded& value, const WindowedUse& use);
// Of what was made over such windows each device's tile: by dimension and device where it begins, as
// WindowedInput says.
InstructionId own_part(const SpmdContext& cx, const SpmdScope& scope, InstructionId made,
                       const std::vector<std::vector<int64_t>>& begins, const std::vector<int64_t>& tile);

}  // namespace shardscope::inline partitioner
