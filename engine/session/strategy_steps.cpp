// SPDX-License-Identifier: Apache-2.0
#include "engine/session/strategy_steps.h"

#include <fmt/format.h>
#include <utility>

namespace shardscope::inline session {
namespace {

// "[64,32]".
std::string sizes(int64_t rows, int64_t columns) {
  return fmt::format("[{},{}]", rows, columns);
}

void take_walls(const std::vector<double>& walls, RunSteps& steps) {
  for (size_t k = 0; k < steps.steps.size() && k < walls.size(); ++k) steps.steps[k].wall_s = walls[k];
}

Result<std::shared_ptr<const ProblemData>> next_data(const ProblemData& before, const StrategyCarry& carry,
                                                     const Array& result, const Workers& workers,
                                                     const std::stop_token& stop) {
  if (result.type() != before.problem.dtype)
    return invalid(fmt::format("Y is {}, X and W are {}: Y cannot carry over", name(result.type()),
                               name(before.problem.dtype)),
                   "--carry");
  DataRequest request{before.problem, before.fill, before.seed};
  request.lhs = carry.to_lhs ? result : before.lhs;
  request.rhs = carry.to_rhs ? result : before.rhs;
  return make_problem_data(request, workers, stop);
}

Result<NumericsOutcome> execute_carried(std::shared_ptr<const ProblemData> data, const StrategyCarry& carry,
                                        NumericsOptions numerics, const Workers& workers,
                                        std::stop_token stop, Run& run) {
  RunSteps& steps = *run.steps;
  NumericsOutcome out;
  bool wrong = false;
  numerics.repeat = 1;
  const auto tell = std::exchange(numerics.progress, {});
  for (RunStep& step : steps.steps) {
    if (step.number > 0) {
      numerics.reference = nullptr;  // that is of the first step's data
      numerics.made = nullptr;
      TRY(data, next_data(*data, carry, out.result, workers, stop));
    }
    TRY(NumericsOutcome done, run_numerics(run.program, *data, numerics, workers, stop));
    step.wall_s = done.walls.front();
    out.result = std::move(done.result);
    out.measured = done.measured;
    if (tell) tell(static_cast<double>(step.number + 1) / static_cast<double>(steps.steps.size()));
    if (wrong) continue;
    out.report = std::move(done.report);
    wrong = !out.report.allclose;
    if (wrong) out.report.warnings.push_back(fmt::format("these numbers are of step {}", step.number));
  }
  return out;
}

}  // namespace

Result<StrategyCarry> strategy_carry(const StepLoop& loop, const MatmulProblem& p) {
  StrategyCarry out;
  if (!loop.steps) return out;
  for (const CarriedResult& it : loop.carry) {
    if (it.result != "Y")
      return invalid(fmt::format("a strategy has no result '{}'", it.result), "--carry", "write Y=X or Y=W");
    const bool lhs = it.argument == "X", rhs = it.argument == "W";
    if (!lhs && !rhs)
      return invalid(fmt::format("a strategy has no argument '{}'", it.argument), "--carry",
                     "write Y=X or Y=W");
    const std::string y = sizes(p.m, p.n), to = lhs ? sizes(p.m, p.k) : sizes(p.k, p.n);
    if (y != to)
      return invalid(fmt::format("Y is {}, {} is {}", y, it.argument, to), "--carry",
                     lhs ? "make k and n equal" : "make m and k equal");
    (lhs ? out.to_lhs : out.to_rhs) = true;
  }
  return out;
}

Result<void> time_steps(bool numerics, Run& run) {
  const StepLoop& loop = run.experiment.loop;
  TRY_VOID(check_loop(loop));
  for (std::string& key : ignored_without_steps(loop)) run.ignored_options.push_back(std::move(key));
  if (!loop.steps) return {};
  TRY(const StrategyCarry carry, strategy_carry(loop, run.problem));
  TRY(run.steps, simulated_steps(loop, run.timeline.total));
  if (carry.to_lhs) run.steps->carried.emplace_back("Y becomes X");
  if (carry.to_rhs) run.steps->carried.emplace_back("Y becomes W");
  if (!carry.any())
    run.steps->notes.emplace_back("nothing carries over from step to step: all are of the same arguments");
  if (carry.any()) run.steps->notes.emplace_back("what brings Y to where it is needed next is not timed");
  if (!numerics) run.steps->notes.emplace_back("the steps are not executed: numbers are off");
  return {};
}

Result<NumericsOutcome> execute_steps(const std::shared_ptr<const ProblemData>& first,
                                      NumericsOptions numerics, const Workers& workers, std::stop_token stop,
                                      Run& run) {
  TRY(const StrategyCarry carry, strategy_carry(run.experiment.loop, run.problem));
  numerics.warmup = 0;
  numerics.repeat = std::ssize(run.steps->steps);
  NumericsOutcome out;
  if (carry.any()) {
    TRY(out, execute_carried(first, carry, std::move(numerics), workers, std::move(stop), run));
  } else {
    TRY(out, run_numerics(run.program, *first, numerics, workers, std::move(stop)));
    take_walls(out.walls, *run.steps);
  }
  const std::string kernel = out.measured ? out.measured->kernel : "";
  out.measured = measured_of(*run.steps);
  out.measured->kernel = kernel;
  return out;
}

}  // namespace shardscope::inline session
