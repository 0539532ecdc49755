// SPDX-License-Identifier: Apache-2.0
// What the compiler itself expected of the kernels that it wrote: XLA:TPU prints its cost model's cycles into
// a module's backend_config (window_config, estimated_cycles).
#pragma once

#include <cstdint>
#include <optional>

#include "engine/hardware/hardware.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// 0: it says none.
int64_t estimated_cycles(const Instruction& instruction);

// Cycles a second of a TPU's cores: its peak by the multiply-adds of its systolic arrays, of which it has as
// many (a power of two) as bring the clock below 1.8 GHz: v4 1.05, v5e 1.50, v5p and v6e 1.75. None: no TPU.
std::optional<double> core_clock_hz(const Hardware& hardware);

// Seconds that one device's kernels take by that, one after the other: loops as often as they are known to go
// round (else once), of branches the longest; transfers and collectives have no estimate. None: the module
// says no cycles, or the chip is no TPU.
std::optional<double> compiler_estimate_s(const Program& program, const Hardware& hardware);

}  // namespace shardscope::inline backend
