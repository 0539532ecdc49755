// SPDX-License-Identifier: Apache-2.0
#include "engine/session/routes/reshard.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "engine/partition/entry/partition.h"
#include "engine/partition/entry/route_program.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/proof/prove.h"
#include "engine/sharding/shardy_steps.h"

namespace shardscope::inline session {
namespace {

constexpr int64_t kProvedElements = int64_t{1} << 16;  // larger arrays are proved at a smaller size

// An array that the same splits divide, small enough to be computed at once.
std::vector<int64_t> small_dims(const std::vector<int64_t>& dims, int64_t devices) {
  const int64_t elements = std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
  if (elements <= kProvedElements) return dims;
  std::vector<int64_t> out;
  for (const int64_t size : dims) {
    const int64_t unit = std::gcd(size, devices);
    out.push_back(unit * std::min<int64_t>(size / unit, 3));
  }
  return out;
}

class ReshardStudy {
 public:
  ReshardStudy(const ReshardQuestion& question, const Workers& workers, std::stop_token stop)
      : q_(question), workers_(workers), stop_(std::move(stop)), times_(q_.mesh, q_.hardware) {}

  Result<Resharded> run() {
    TRY_VOID(agree());
    const RouteQuestion asked{q_.mesh, q_.shape.dims, {q_.from.split, q_.to.split}, has_partial()};
    TRY(const RouteGraph graph, RouteGraph::make(
                                    asked, [&](const SplitStep& step) { return cost_of(step); }, stop_));
    out_.splits = graph.splits();
    out_.steps = graph.steps();
    for (const AxisPart& part : graph.parts()) out_.parts.push_back(axis_texts({part}, q_.mesh).front());
    const std::vector<SplitRoute> routes = graph.routes(q_.from.split, q_.to.split, q_.most);
    for (const SplitRoute& route : routes) {
      tell("routes", static_cast<double>(out_.routes.size()) / static_cast<double>(routes.size()));
      TRY(PricedRoute priced, priced_route(route.steps));
      out_.routes.push_back(std::move(priced));
    }
    TRY_VOID(xla());
    TRY_VOID(others());
    return std::move(out_);
  }

 private:
  bool has_partial() const { return !q_.from.split.partial.empty() || !q_.to.split.partial.empty(); }
  RouteArray array() const { return {q_.mesh, q_.shape, out_.combining}; }

  Result<void> agree() {
    const auto& [from, to] = std::pair(q_.from, q_.to);
    out_.combining = from.split.partial.empty() ? to.combining : from.combining;
    if (!from.split.partial.empty() && !to.split.partial.empty() && from.combining != to.combining)
      return invalid(fmt::format("partial results of {} do not become those of {}", name(from.combining),
                                 name(to.combining)));
    if (out_.combining != Combining::sum && is_complex(q_.shape.type))
      return invalid(fmt::format("complex numbers have no {}", name(out_.combining)), "", "use sums");
    return {};
  }

  void tell(const std::string& what, double fraction) const {
    if (q_.progress) q_.progress(what, fraction);
  }

  Result<StepCost> cost_of(const SplitStep& step) {
    if (out_.routes.empty()) tell(fmt::format("timing step {}", ++timed_), 0);
    return times_.sum_of(step_program(array(), step), stop_);
  }

  Result<PricedRoute> priced_route(const std::vector<SplitStep>& steps) {
    PricedRoute out;
    for (const SplitStep& step : steps) {
      TRY(const StepCost cost, is_local(step.kind) ? Result<StepCost>(StepCost()) : cost_of(step));
      std::vector<std::string> axes = axis_texts(step.axes, q_.mesh);
      if (step.kind == StepKind::permute) axes = permuted_axes(step);
      out.steps.push_back({opcode_of(step.kind), std::move(axes), cost.bytes, cost.time,
                           split_text(step.to, q_.mesh, out_.combining)});
      out.bytes += cost.bytes;
      out.time += cost.time;
    }
    TRY_VOID(prove_route(steps, out));
    return out;
  }

  std::vector<std::string> permuted_axes(const SplitStep& step) const {
    const Program program = step_program(array(), step);
    const Computation& entry = program.entry_computation();
    return collective_axes(program, entry.root_instruction());
  }

  Result<void> prove_route(const std::vector<SplitStep>& steps, PricedRoute& out) {
    RouteArray small = array();
    small.shape.dims = small_dims(q_.shape.dims, q_.mesh.device_count());
    TRY(const Partitioned stage, route_stage(small, q_.from.split, steps));
    return prove_stage(stage, out);
  }

  Result<void> prove_stage(const Partitioned& stage, PricedRoute& out) {
    TRY(const std::vector<Array> arguments, module_arguments(*first_stage(stage).program, 0, workers_));
    const Result<PartitionProof> proof = prove(stage, arguments, workers_, RunLimits(stop_));
    if (!proof.ok() && proof.error().kind == ErrorKind::cancelled) return proof.error();
    out.proved = proof.ok() && proof->report.checked && proof->report.allclose;
    if (!proof.ok())
      out.unproved = proof.error().what;
    else if (!out.proved)
      out.unproved = "its numbers are not the array's";
    return {};
  }

  // What our partitioner, which is held to XLA's, makes of an array that an operation works on on the way.
  Result<Partitioned> partitioned(const std::vector<int64_t>& dims) const {
    Computation entry;
    entry.name = "main";
    Instruction p;
    p.name = "p";
    p.opcode = Opcode::parameter;
    p.parameter_number = 0;
    p.shape = Shape::array(q_.shape.type, dims);
    p.sharding = tiling_of(q_.from.split, q_.mesh, false).sharding();
    Instruction copy;
    copy.name = "copy";
    copy.opcode = Opcode::copy;
    copy.shape = p.shape;
    copy.operands = {InstructionId(0)};
    copy.sharding = tiling_of(q_.to.split, q_.mesh, false).sharding();
    entry.instructions = {std::move(p), std::move(copy)};
    entry.root = InstructionId(1);
    Program module;
    module.name = "array";
    module.mesh = q_.mesh;
    module.computations = {std::move(entry)};
    module.entry = ComputationId(0);
    PartitionOptions options;
    options.devices = q_.mesh.device_count();
    options.stop = stop_;
    options.replica_parts = ReplicaParts::allowed;
    return partition(module, options);
  }

  Result<void> xla() {
    if (has_partial()) {
      out_.xla.why = "partial results are not modelled: XLA combines them before anything else";
      return {};
    }
    TRY(const Partitioned made, partitioned(q_.shape.dims));
    TRY(const std::vector<TimedStep> steps, times_.of(*made.program, true, stop_));
    PricedRoute& out = out_.xla.route.emplace();
    for (const TimedStep& step : steps) {
      out.steps.push_back({step.opcode, step.axes, step.cost.bytes, step.cost.time, ""});
      out.bytes += step.cost.bytes;
      out.time += step.cost.time;
    }
    TRY(const Partitioned small, partitioned(small_dims(q_.shape.dims, q_.mesh.device_count())));
    return prove_stage(small, out);
  }

  Result<void> others() {
    if (const auto steps = shardy_steps(q_.from.split, q_.to.split, q_.mesh, q_.shape.dims)) {
      TRY(out_.shardy.route, priced_route(*steps));
    } else {
      out_.shardy.why = "Shardy makes no partial results of copies or parts";
    }
    if (const auto steps = dtensor_steps(q_.from.split, q_.to.split, q_.mesh)) {
      TRY(out_.dtensor.route, priced_route(*steps));
    } else {
      out_.dtensor.why =
          "placements do not say these shardings: axes of a dimension stand in the mesh's order, "
          "whole, and the result has no partial sums";
    }
    return {};
  }

  const ReshardQuestion& q_;
  const Workers& workers_;
  std::stop_token stop_;
  CollectiveTimes times_;
  int64_t timed_ = 0;
  Resharded out_;
};

}  // namespace

Result<Resharded> reshard(const ReshardQuestion& question, const Workers& workers, std::stop_token stop) {
  return ReshardStudy(question, workers, std::move(stop)).run();
}

}  // namespace shardscope::inline session
