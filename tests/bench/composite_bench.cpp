// SPDX-License-Identifier: Apache-2.0
// Published times of whole collective products beside ours: no chip was fitted to them. The counters are the
// figures; the time of the benchmark is that of simulating.
#include <benchmark/benchmark.h>
#include <cmath>

#include "engine/session/session.h"

namespace {

using namespace shardscope;

// All-gather of X, then a product: 1024 × 4096 × 4096 f16 a device on H100, by a kernel that overlaps both and
// by NCCL and cuBLAS one after the other. Source: JAX documentation, "Collective matrix multiplication"
// (Pallas on GPU).
struct Composite {
  const char* how;
  int64_t devices;
  double measured_us;
};
constexpr Composite kComposites[] = {{"overlapped", 2, 102}, {"overlapped", 4, 212}, {"overlapped", 8, 436},
                                     {"serial", 2, 147},     {"serial", 4, 290},     {"serial", 8, 565}};

RunPtr run_of(const Composite& it) {
  Experiment e;
  e.hardware = "h100";
  e.mesh = Mesh::parse("t=" + std::to_string(it.devices)).value();
  e.problem = {1024 * it.devices, 4096, 4096 * it.devices, ElementType::f16, ElementType::f32};
  RunRequest request{.strategy = "ring.ag_matmul"};
  if (std::string(it.how) == "serial") {
    request.strategy = "auto";
    request.options.in_lhs = PartitionSpec::parse("P('t',None)").value();
    request.options.in_rhs = request.options.out = PartitionSpec::parse("P(None,'t')").value();
  }
  ExecutionOptions options;
  options.numerics = false;
  return execute(e, request, options, {}).value();
}

void composite(benchmark::State& state) {
  const Composite& it = kComposites[state.range(0)];
  double predicted_us = 0;
  for (auto _ : state) predicted_us = to_seconds(run_of(it)->timeline.total) * 1e6;
  state.SetLabel(std::string(it.how) + " on " + std::to_string(it.devices));
  state.counters["measured_us"] = it.measured_us;
  state.counters["predicted_us"] = predicted_us;
  state.counters["off_percent"] = 100 * (predicted_us / it.measured_us - 1);
}
BENCHMARK(composite)->DenseRange(0, std::ssize(kComposites) - 1);

}  // namespace

BENCHMARK_MAIN();
