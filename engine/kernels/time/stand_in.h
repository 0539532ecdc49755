// SPDX-License-Identifier: Apache-2.0
// A program opened down into the chip: the kernel that stands for one of its instructions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/hardware/hardware.h"
#include "engine/kernels/program/options.h"
#include "engine/program/ir/program.h"
#include "engine/run/kernel/kernel_time.h"

namespace shardscope::kernels {

// The kernel that does what an instruction of the entry does on one of its groups (one device for a dot), at
// its sizes: a dot is matmul.tiled; all-gather, all-reduce, reduce-scatter and a neighbour's permute are
// ag.bidi.halves or ag.ring, ar.two_slot, rs.bidi, permute. Tiles of a dot default to the largest power of
// two that fits vmem.
struct StandIn {
  std::string kernel;
  KernelOptions options;
  bool operator==(const StandIn&) const = default;
};

// Errors: an instruction that no kernel stands for, with the reason.
Result<StandIn> stand_in(const Program& program, InstructionId instruction);

// Which way round a mesh axis every device hands its array to its neighbour: +1 or -1; none when a
// permutation does something else.
std::optional<int> shift_along(const Mesh& mesh, int axis, const Permutation& permutation);

// Its time, on links that wrap as its mesh says. Errors: sizes that the kernel refuses, memory that it
// overflows, numbers that the chip does not publish.
Result<KernelTime> time_of(const StandIn& kernel, const Hardware& hardware);

// Times of the kernels that stand for the entry's dots and collectives; instructions that none stands for, or
// whose kernel cannot be timed, are left out, equal ones are timed once.
struct StandInTime {
  InstructionId instruction;
  StandIn kernel;
  Picoseconds time = 0;
};
Result<std::vector<StandInTime>> stand_in_times(const Program& program, const Hardware& hardware);

}  // namespace shardscope::kernels
