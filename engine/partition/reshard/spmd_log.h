// SPDX-License-Identifier: Apache-2.0
// The memory reports of XLA's SpmdLogger: sizes of single arrays (no liveness), the five largest.
#pragma once

#include <string>
#include <vector>

#include "engine/partition/reshard/spmd_writer.h"
#include "engine/partition/types/partitioned.h"

namespace shardscope::inline partitioner {

// An instruction's line in a log: operands with shapes, then attributes, sharding (as given, "" for none) and
// metadata in XLA's order.
std::string instruction_log_text(const Program& program, const Computation& computation, InstructionId id,
                                 SpmdDialect dialect, const std::string& sharding);
std::string base_name(const Instruction& instruction);  // "all-gather", "param"

// "256.00MiB", "1.5KiB", "12B".
std::string log_bytes(int64_t bytes);

// What a report of one program's arrays lists: largest first, earlier ones before equal later ones.
std::vector<MemoryLine> largest_arrays(const Program& program, SpmdDialect dialect, bool replicated_only);
constexpr size_t kReportedLines = 5;
void keep_largest(std::vector<MemoryLine>& lines);

}  // namespace shardscope::inline partitioner
