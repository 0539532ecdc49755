// SPDX-License-Identifier: Apache-2.0
// Finished runs made of nothing but what tables and verdicts read.
#pragma once

#include <memory>
#include <string>

#include "engine/report/report.h"

namespace shardscope::report_test {

// A finished run of `strategy` that takes `total` picoseconds, half of its communication hidden.
inline std::shared_ptr<Run> run_of(const std::string& strategy, StrategyKind kind, Picoseconds total) {
  auto run = std::make_shared<Run>();
  run->strategy = strategy;
  run->kind = kind;
  run->mesh = *Mesh::parse("row=2,col=2");
  run->problem = {8, 8, 8, ElementType::f32, ElementType::f32};
  run->hardware.name = "test-chip";
  run->timeline.devices = 4;
  run->timeline.total = total;
  run->timeline.totals.resize(4);
  for (DeviceTotals& d : run->timeline.totals) {
    d.compute = total / 2;
    d.comm = total;
    d.exposed = total / 2;
    d.bytes_sent = 1024;
    d.peak_bytes = 2048;
  }
  run->timeline.critical_path.compute = total / 4;
  run->timeline.critical_path.bandwidth = total - total / 4;
  run->numerics.checked = true;
  run->numerics.allclose = true;
  ArrayInfo output;
  output.role = ArrayRole::product;
  output.spec = P("row", "col");
  run->program.output = output;
  return run;
}

// A run whose device computes, waits and idles so long; the critical path is compute and bandwidth alone.
inline std::shared_ptr<Run> run_with(const std::string& strategy, Picoseconds compute, Picoseconds exposed,
                                     Picoseconds idle) {
  const auto run = run_of(strategy, StrategyKind::matmul, compute + exposed + idle);
  for (DeviceTotals& d : run->timeline.totals) {
    d.compute = compute;
    d.comm = d.exposed = exposed;
    d.idle = idle;
  }
  return run;
}

inline constexpr Picoseconds kMicro = 1'000'000;

}  // namespace shardscope::report_test
