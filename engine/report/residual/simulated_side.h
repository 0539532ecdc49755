// SPDX-License-Identifier: Apache-2.0
// What a simulated run has to be measured: its operations by the name that a profiler gives them.
#pragma once

#include <string>
#include <vector>

#include "engine/report/run_difference.h"
#include "engine/study/residual.h"

namespace shardscope::inline report {

// What tells operations apart in a trace that does not name the program's instructions. 0 and "": not known.
struct OperationForm {
  MeasuredKind kind = MeasuredKind::other;
  std::string opcode;  // HLO's, of one that is waited for elsewhere that of the plain one
  std::string dtype;
  int64_t batch = 0, m = 0, k = 0, n = 0;  // of a product
  int64_t bytes = 0;                       // as MeasuredOperation::bytes
  int32_t group = 0;                       // devices of a collective
  bool operator==(const OperationForm&) const = default;
};
OperationForm form_of(const MeasuredOperation& operation);
// Whether nothing that both say differs; operands of a product may be swapped.
bool agree(const OperationForm& a, const OperationForm& b);
// Whether so much is known and the same that it is the same without a name.
bool same_form(const OperationForm& a, const OperationForm& b);

struct SimulatedOperation {
  ResidualOperation row;  // without what was measured
  OperationForm form;
  std::vector<Picoseconds> starts;  // of its executions on the device, ascending
};
// In the order of the program; those that take time. Needs the run's events.
std::vector<SimulatedOperation> simulated_operations(const RunWithStory& simulated, int32_t device);

// Of the critical path's overhead what devices take to meet.
Picoseconds synchronised_on_path(const Run& run);

// Of an instruction that is begun and awaited apart the name without "-start" and "-done".
std::string plain_instruction(const std::string& instruction);

}  // namespace shardscope::inline report
