// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>

#include "engine/backend/compile_as.h"
#include "engine/hardware/hardware.h"
#include "engine/program/ir/program.h"
#include "engine/program/memory/module_memory.h"
#include "engine/run/memory_use.h"

namespace shardscope::inline session {

// A partitioned module as it is timed: asynchronous pairs done at their start, with the kernels that the
// chip's compiler makes (`as`; none said: the chip's own) where no compiler has been over it.
Result<Program> compiled_form(const Program& program, const Hardware& hardware, std::optional<CompileAs> as,
                              const std::stop_token& stop);

// The same for its arrays in memory. Of a TPU where nobody says its compiler (xla-tpu): as XLA's for CPUs makes
// them, so that a module has one number on chips and on the machine that it is written on, but that types of
// which the chip publishes a rate are computed with as they are.
Result<Program> memory_form(const Program& program, const Hardware& hardware, std::optional<CompileAs> as,
                            const std::stop_token& stop);

// The layouts of the compiler that the chip's users have, or of the one that is said; a TPU's, with its memory
// beside its cores, where they are asked for.
ChipMemory laid_out_for(const Hardware& hardware, std::optional<CompileAs> as);

// What a module needs of a device's memory as it stands, its instructions named as the text names those that
// they were made from. Error: stopped.
Result<MemoryUse> memory_use(const Program& compiled, ChipMemory chip, const std::stop_token& stop);

// That of a partitioned module's compiled form. Where no kernels can be made, since the chip's memory has no
// published bandwidth, of the module as it is. Error: stopped.
Result<MemoryUse> compiled_memory(const Program& program, const Hardware& hardware,
                                  std::optional<CompileAs> as, const std::stop_token& stop);

}  // namespace shardscope::inline session
