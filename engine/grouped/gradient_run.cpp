// SPDX-License-Identifier: Apache-2.0
#include "engine/grouped/gradient_run.h"

#include <utility>

#include "engine/grouped/matrices.h"

namespace shardscope::inline grouped {

Result<GradientRun> run_gradients(const GroupedProblem& problem, const GroupedRun& forward,
                                  const std::optional<Array>& grad, const GroupedTolerance& tolerance,
                                  const Workers& workers, const std::stop_token& stop) {
  if (problem.op != GroupedOp::gmm)
    return invalid("tgmm is a gradient itself", "vjp", "ask for those of gmm");
  const GroupedShape& shape = forward.result.shape;
  GradientRun out;
  out.grad = grad ? *grad : filled_matrix(shape.out, {shape.m, shape.n}, problem, workers);
  if (out.grad.type() != shape.out || out.grad.dims() != std::vector<int64_t>{shape.m, shape.n}) {
    return invalid("expected a gradient of the output's shape and type, [" + std::to_string(shape.m) + "," +
                       std::to_string(shape.n) + "] of " + name(shape.out),
                   "grad");
  }
  const GradientCalls calls = gradient_calls(problem.options, forward.lhs, forward.rhs);
  GroupedProblem of_lhs = problem;
  of_lhs.k = shape.n;
  of_lhs.n = shape.k;
  of_lhs.options = calls.of_lhs;
  of_lhs.lhs = out.grad;
  of_lhs.rhs = forward.rhs;
  of_lhs.lhs_type = shape.out;
  GroupedProblem of_rhs = problem;
  of_rhs.op = GroupedOp::tgmm;
  of_rhs.options = calls.of_rhs;
  of_rhs.lhs = transposed(forward.lhs);
  of_rhs.rhs = out.grad;
  of_rhs.rhs_type = shape.out;
  TRY(out.of_lhs, run_grouped(of_lhs, tolerance, workers, stop));
  TRY(out.of_rhs, run_grouped(of_rhs, tolerance, workers, stop));
  out.gradients = join_gradients(problem.options, forward.result.metadata, out.of_lhs.result.out,
                                 out.of_rhs.result.out, out.grad);
  return out;
}

}  // namespace shardscope::inline grouped
