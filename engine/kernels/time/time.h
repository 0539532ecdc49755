// SPDX-License-Identifier: Apache-2.0
// A kernel's time. A DMA between hbm and vmem takes its bytes over the hbm bandwidth (hbm to hbm twice that);
// a DMA to another device takes its bytes over the bandwidth of each link on the way, and the latency per
// hop, and holds the hbm channels at both ends as long as its bytes take there: it ends when the slowest of
// them is through. Copies that want the same channel or link go one after the other. A product m × k × n
// takes ⌈k/H⌉⌈n/W⌉(m + 2H + W − 2) cycles of an H × W array that holds the weights, all arrays of the chip at
// once.
#pragma once

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/kernels/program/program.h"
#include "engine/run/kernel/kernel_time.h"

namespace shardscope::kernels {

// Which axes of the kernel's mesh close to rings: as the chip's rule has it, or as the mesh itself says.
enum class KernelWraps { of_chip, of_mesh };

// Errors: numbers that the chip does not publish and the kernel needs, a kernel that hangs or leaves its
// buffers.
Result<KernelTime> time_kernel(const KernelProgram& program, const Hardware& hardware,
                               KernelWraps wraps = KernelWraps::of_chip);

}  // namespace shardscope::kernels
