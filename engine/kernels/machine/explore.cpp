// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/machine/explore.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/units.h"

namespace shardscope::kernels {

void count_outcome(KernelRun& run, const Outcome& outcome, uint64_t seed) {
  (outcome.correct ? run.correct_runs : run.wrong_runs) += 1;
  run.max_dma_in_flight = std::max(run.max_dma_in_flight, outcome.max_in_flight);
  run.vmem_peak_bytes = std::max(run.vmem_peak_bytes, outcome.peak_vmem);
  std::vector<size_t> counted;  // a run counts once, however many devices show the same
  for (const KernelFinding& finding : outcome.findings) {
    size_t place = 0;
    while (place < run.findings.size() && !same_place(run.findings[place].finding, finding)) ++place;
    if (place == run.findings.size()) run.findings.push_back({finding, 0, seed});
    if (std::find(counted.begin(), counted.end(), place) != counted.end()) continue;
    counted.push_back(place);
    ++run.findings[place].runs;
  }
}

// 5 bytes per element: its number and who wrote it.
Result<void> check_machines(const KernelProgram& program, int64_t machines) {
  double bytes = 0;
  for (const KernelBuffer& buffer : program.layout.buffers)
    bytes += 5.0 * static_cast<double>(buffer.rows) * static_cast<double>(buffer.cols);
  bytes *= static_cast<double>(program.devices.size()) * static_cast<double>(machines);
  constexpr double kLimit = 4.0 * (int64_t{1} << 30);
  if (bytes <= kLimit) return {};
  return too_big(
      fmt::format("the machines need {}, {} are allowed", format_bytes(bytes), format_bytes(kLimit)),
      program.layout.kernel, "take smaller sizes: hazards do not depend on them");
}

Result<KernelRun> explore(const KernelEntry& entry, const KernelProgram& program,
                          const ExploreOptions& options, const Workers& workers,
                          const std::stop_token& stop) {
  // One a thread; inputs and what is expected.
  TRY_VOID(check_machines(program, workers.threads() + 2));
  const KernelData inputs = fill_inputs(program, options.input_seed.value_or(options.seed));
  KernelData expected;
  if (entry.expected != nullptr) expected = entry.expected(program, inputs);
  const KernelData* judged = entry.expected != nullptr ? &expected : nullptr;
  KernelRun run;
  run.layout = program.layout;
  run.flops = program.flops;
  run.needed_flops = program.needed_flops;
  constexpr int64_t kBatch = 64;
  for (int64_t first = 0; first < options.schedules; first += kBatch) {
    std::vector<Outcome> outcomes(static_cast<size_t>(std::min(kBatch, options.schedules - first)));
    workers.parallel_for(static_cast<int64_t>(outcomes.size()), [&](int64_t i) {
      if (stop.stop_requested()) return;
      const uint64_t seed = options.seed + static_cast<uint64_t>(first + i);
      const Schedule schedule = options.policy ? Schedule{*options.policy, seed} : schedule_of(seed);
      outcomes[static_cast<size_t>(i)] = run_schedule(program, &inputs, judged, schedule);
    });
    if (stop.stop_requested()) return cancelled();
    for (size_t i = 0; i < outcomes.size(); ++i)
      count_outcome(run, outcomes[i], options.seed + static_cast<uint64_t>(first) + i);
    run.schedules = first + std::ssize(outcomes);
    if (options.progress) options.progress(run);
  }
  std::stable_sort(run.findings.begin(), run.findings.end(),
                   [](const KernelFindingCount& a, const KernelFindingCount& b) {
                     return a.finding.kind < b.finding.kind;
                   });
  return run;
}

}  // namespace shardscope::kernels
