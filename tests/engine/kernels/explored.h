// SPDX-License-Identifier: Apache-2.0
// Kernels of the catalogue under many schedules, for tests to ask.
#pragma once

#include <gtest/gtest.h>
#include <string>

#include "engine/kernels/catalogue/catalogue.h"
#include "engine/kernels/machine/explore.h"

namespace shardscope::kernels {

// What holds for every schedule is tried on this many; builds without optimisation or with sanitizers try
// fewer.
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
inline constexpr int64_t kManySchedules = 1000;
#else
inline constexpr int64_t kManySchedules = 200;
#endif

inline Mesh ring_mesh(int n) {
  return *Mesh::make({{"x", n, true}});
}

inline KernelRun explored_with(const std::string& id, const KernelOptions& options,
                               int64_t schedules = kManySchedules) {
  const KernelEntry entry = *find_kernel(id);
  const Result<KernelProgram> program = build_kernel(entry, options);
  if (!program.ok()) {
    ADD_FAILURE() << program.error().text();
    return {};
  }
  ExploreOptions how;
  how.schedules = schedules;
  return *explore(entry, *program, how, Workers(), {});
}

inline KernelRun explored(const std::string& id, int n, int64_t schedules = kManySchedules) {
  KernelOptions options;
  options.mesh = ring_mesh(n);
  return explored_with(id, options, schedules);
}

inline std::string findings_text(const KernelRun& run) {
  std::string out;
  for (const KernelFindingCount& count : run.findings) {
    out += std::string(name(count.finding.kind)) + " in " + std::to_string(count.runs) +
           " runs: " + count.finding.message + "; missing: " + count.finding.missing + "\n";
  }
  return out;
}

// In how many runs at most one pair of lines showed the kind.
inline int64_t runs_with(const KernelRun& run, FindingKind kind) {
  int64_t most = 0;
  for (const KernelFindingCount& count : run.findings) {
    if (count.finding.kind == kind) most = std::max(most, count.runs);
  }
  return most;
}

inline KernelFinding first_of(const KernelRun& run, FindingKind kind) {
  for (const KernelFindingCount& count : run.findings) {
    if (count.finding.kind == kind) return count.finding;
  }
  ADD_FAILURE() << "no " << name(kind) << " among\n" << findings_text(run);
  return {};
}

}  // namespace shardscope::kernels
