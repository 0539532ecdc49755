// SPDX-License-Identifier: Apache-2.0
#include "engine/session/small_factors.h"

#include <algorithm>

#include "engine/numerics/data/fill.h"
#include "engine/session/earlier_runs.h"

namespace shardscope::inline session {
namespace {

std::vector<double> elements_of(const Run& run, Operand operand) {
  const Array array = make_fill(run.problem, run.experiment.fill, run.experiment.seed, operand, Workers(1));
  std::vector<double> out;
  for (int64_t i = 0; i < array.element_count(); ++i) out.push_back(array.at(i));
  return out;
}

bool are_few(const MatmulProblem& p) {
  const auto fits = [](int64_t size) { return size > 0 && size <= kMostSmallElements; };
  return fits(p.m) && fits(p.k) && fits(p.n) && p.m * p.k + p.k * p.n + p.m * p.n <= kMostSmallElements;
}

}  // namespace

std::optional<SmallFactors> small_factors(const Run& run) {
  if (run.module || run.kind != StrategyKind::matmul || !are_few(run.problem)) return std::nullopt;
  if (std::ranges::count(run.numerics.warnings, kOwnArrays) > 0) return std::nullopt;
  if (run.experiment.fill == Fill::jax && !has_jax_fill(run.problem.dtype)) return std::nullopt;
  return SmallFactors{elements_of(run, Operand::lhs), elements_of(run, Operand::rhs)};
}

}  // namespace shardscope::inline session
