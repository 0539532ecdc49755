// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/machine/shrink.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/kernels/machine/cut_down.h"
#include "engine/kernels/machine/shortest.h"

namespace shardscope::kernels {

Result<std::optional<ShrunkSchedule>> shrink(const KernelEntry& entry, const KernelProgram& program,
                                             const Schedule& schedule, uint64_t input_seed,
                                             const std::stop_token& stop) {
  const KernelData inputs = fill_inputs(program, input_seed);
  KernelData expected;
  if (entry.expected != nullptr) expected = entry.expected(program, inputs);
  const Judged judged{program, &inputs, entry.expected != nullptr ? &expected : nullptr};
  const Outcome outcome = run_schedule(program, judged.inputs, judged.expected, schedule);
  // A hazard that came true says more than one that might.
  std::vector<KernelFinding> findings(outcome.findings.begin() + std::ssize(program.defects),
                                      outcome.findings.end());
  std::stable_partition(findings.begin(), findings.end(),
                        [](const KernelFinding& finding) { return breaks(finding.kind); });
  if (findings.empty()) return std::optional<ShrunkSchedule>();
  const FindingKind kind = findings.front().kind;
  std::optional<Failure> failure = fails(judged, moves_of(program, outcome.choices), kind);
  CHECK(failure.has_value(), name(kind));
  int64_t replays = 200'000;
  TRY(const Failure cut, cut_down(judged, *std::move(failure), kind, replays, stop));
  return std::optional(ShrunkSchedule{outcome.steps, cut.choices, cut.finding, replays > 0});
}

}  // namespace shardscope::kernels
