// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/machine/shortest.h"

#include <algorithm>
#include <utility>

#include "engine/kernels/machine/cut_down.h"

namespace shardscope::kernels {
namespace {

const KernelFinding* broken_by(const Outcome& outcome, const std::optional<FindingKind>& kind) {
  for (const KernelFinding& finding : outcome.findings)
    if ((kind ? finding.kind == *kind : breaks(finding.kind)) && finding.step < outcome.steps)
      return &finding;
  return nullptr;
}

}  // namespace

bool breaks(FindingKind kind) {
  return kind == FindingKind::uninitialised_read || kind == FindingKind::out_of_bounds;
}

bool does_harm(FindingKind kind) {
  return breaks(kind) || kind == FindingKind::deadlock || kind == FindingKind::wrong_result;
}

Result<std::optional<ShortestSchedule>> find_shortest(const KernelProgram& program,
                                                      const ShortestOptions& options,
                                                      const std::stop_token& stop) {
  std::optional<ShortestSchedule> out;
  int64_t replays = options.replays, failures = 0;
  for (int64_t seed = 0; seed < options.schedules && failures < options.failures; ++seed) {
    if (stop.stop_requested()) return cancelled();
    const Schedule schedule = schedule_of(static_cast<uint64_t>(seed));
    const Outcome outcome = run_schedule(program, nullptr, nullptr, schedule);
    const KernelFinding* finding = broken_by(outcome, out ? out->finding.kind : options.of);
    if (finding == nullptr) continue;
    const FindingKind kind = finding->kind;
    std::optional<Failure> failure = fails({program}, moves_of(program, outcome.choices), kind);
    if (!failure) continue;  // of the program itself, not of a step
    ++failures;
    if (!out)
      out = ShortestSchedule{schedule.seed, outcome.steps, std::ssize(failure->choices), failure->choices,
                             failure->finding};
    TRY(const Failure cut, cut_down({program}, *std::move(failure), kind, replays, stop));
    if (cut.choices.size() < out->choices.size()) {
      out->choices = cut.choices;
      out->finding = cut.finding;
    }
  }
  return out;
}

}  // namespace shardscope::kernels
