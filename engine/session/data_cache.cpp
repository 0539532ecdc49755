// SPDX-License-Identifier: Apache-2.0
#include "engine/session/data_cache.h"

#include "engine/numerics/check/program_arrays.h"
#include "engine/numerics/check/quick_check.h"
#include "engine/request/check_kind.h"
#include "engine/session/plan.h"

namespace shardscope::inline session {

const std::shared_ptr<ComputedArrays>& DataCache::arrays() {
  if (!arrays_) arrays_ = std::make_shared<ComputedArrays>();
  return arrays_;
}

bool DataCache::is_quick() const {
  return experiment_.check.reference == kQuickReference;
}

Result<std::shared_ptr<const ProblemData>> DataCache::data(const MatmulProblem& problem) {
  for (const auto& made : made_) {
    if (made->problem == problem) return made;
  }
  const bool whole = !is_quick() || !has_quick_check(problem);
  TRY(auto fresh, make_problem_data({problem, experiment_.fill, experiment_.seed, options_.lhs, options_.rhs,
                                     whole, experiment_.check.rtol, experiment_.check.atol},
                                    workers_, stop_));
  made_.push_back(fresh);
  return fresh;
}

Result<std::shared_ptr<const ReferenceRun>> DataCache::reference(const Mesh& mesh,
                                                                 const MatmulProblem& problem,
                                                                 const Hardware& hardware) {
  if (experiment_.check.reference == kF64Reference || is_quick())
    return std::shared_ptr<const ReferenceRun>();
  for (const CachedReference& made : references_) {
    if (made.mesh == mesh && made.problem == problem) return made.run;
  }
  auto fresh = make_reference(mesh, problem, hardware);
  if (!fresh.ok()) {
    Error error = fresh.error();
    error.what = "the reference " + experiment_.check.reference + " cannot run: " + error.what;
    return error;
  }
  references_.push_back({mesh, problem, *fresh});
  return fresh;
}

Result<std::shared_ptr<const ReferenceRun>> DataCache::make_reference(const Mesh& mesh,
                                                                      const MatmulProblem& problem,
                                                                      const Hardware& hardware) {
  TRY(const Strategy* strategy, find_strategy(experiment_.check.reference));
  RunRequest request;
  for (const RunRequest& run : experiment_.runs) {
    const auto named = find_strategy(run.strategy);
    if (named.ok() && *named == strategy) request = run;  // with the options that the experiment gives it
  }
  request.strategy = strategy->id;
  request.mesh = mesh;
  request.problem = problem;
  TRY(Plan plan, make_plan(experiment_, request, hardware));
  TRY(const auto made, data(problem));
  NumericsOptions numerics;
  TRY(numerics.schedules,
      plan_collectives(plan.program, plan.hardware, experiment_.overrides, plan.request.collective));
  TRY(NumericsOutcome outcome, run_numerics(plan.program, *made, numerics, workers_, stop_));
  return std::make_shared<const ReferenceRun>(ReferenceRun{
      request.strategy, std::move(plan.program), std::move(outcome.result), std::move(outcome.rounding)});
}

Result<void> check_reference(const Experiment& experiment) {
  if (experiment.check.reference == kF64Reference || experiment.check.reference == kQuickReference) return {};
  const auto known = find_strategy(experiment.check.reference);
  if (known.ok()) return {};
  Error error = known.error();
  error.where = "--reference";
  return error;
}

}  // namespace shardscope::inline session
