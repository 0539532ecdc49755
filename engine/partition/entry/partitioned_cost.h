// SPDX-License-Identifier: Apache-2.0
// What a partitioned program moves and holds.
#pragma once

#include "engine/program/ir/program.h"

namespace shardscope {

// Bytes that a device sends in one execution of a collective, the mean over devices: of the transfers that
// the collective is lowered to on a torus of the program's mesh.
double bytes_sent_per_device(const Program& program, const Computation& computation,
                             const Instruction& collective);

// The most bytes that live at once on a device when the computation runs in program order: buffers from their
// making to their last reader, through views; parameters and the result all the time. A loop or branch adds
// what its body needs beside its operands.
int64_t peak_live_bytes(const Program& program, const Computation& computation);

}  // namespace shardscope
