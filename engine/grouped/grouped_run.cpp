// SPDX-License-Identifier: Apache-2.0
#include "engine/grouped/grouped_run.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/base/machine/memory_limit.h"
#include "engine/grouped/arguments.h"
#include "engine/grouped/matrices.h"
#include "engine/numerics/check/numerics.h"
#include "engine/numerics/data/fill.h"

namespace shardscope::inline grouped {

namespace {

Array filled(ElementType type, std::vector<int64_t> dims, Operand operand, const GroupedProblem& problem,
             const Workers& workers) {
  MatmulProblem matrix;
  matrix.dtype = type;
  matrix.accumulate = ElementType::f32;
  const int64_t columns = dims.back();
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < dims.size(); ++d) rows *= dims[d];
  matrix.m = matrix.k = rows;
  (operand == Operand::lhs ? matrix.k : matrix.n) = columns;
  const Array made = make_fill(matrix, problem.fill, problem.seed, operand, workers);
  return Array::adopt(type, std::move(dims), made.buffer());
}

Array make_rhs(const GroupedProblem& p, const GroupMetadata& meta, const Workers& workers) {
  if (p.op == GroupedOp::tgmm)
    return p.rhs ? *p.rhs : filled(p.rhs_type, {p.m, p.n}, Operand::rhs, p, workers);
  const std::vector<int64_t> dims =
      p.options.transpose_rhs ? std::vector{meta.groups(), p.n, p.k} : std::vector{meta.groups(), p.k, p.n};
  Array all = p.rhs ? *p.rhs : filled(p.rhs_type, dims, Operand::rhs, p, workers);
  if (all.dims().size() != 3 || all.dims()[0] != meta.groups() || meta.local_groups == meta.groups())
    return all;
  return own_matrices(all, meta.group_offset, meta.local_groups);
}

double rms(const Array& array) {
  double squares = 0;
  for (int64_t i = 0; i < array.element_count(); ++i) squares += array.at(i) * array.at(i);
  return std::sqrt(squares / static_cast<double>(std::max<int64_t>(array.element_count(), 1)));
}

struct Bounds {
  double rtol = 0, atol = 0;
};
Bounds tolerance_of(const GroupedProblem& p, const GroupedTolerance& given, const GroupedShape& shape,
                    const Array& lhs, const Array& rhs) {
  const bool exact = p.fill == Fill::integers && !p.lhs && !p.rhs;
  Bounds out;
  if (!exact) {
    const bool rough =
        shape.lhs == ElementType::bf16 || shape.rhs == ElementType::bf16 || shape.out == ElementType::bf16;
    out.rtol = rough ? 1e-2 : 1e-4;
    const double terms = static_cast<double>(p.op == GroupedOp::gmm ? p.k : p.m);
    out.atol = out.rtol * std::sqrt(terms) * rms(lhs) * rms(rhs);
  }
  return {given.rtol.value_or(out.rtol), given.atol.value_or(out.atol)};
}

// `array` with 0 where nobody wrote.
Array without_unwritten(const GroupedResult& result, const Array& array) {
  Array out = Array::allocate(array.type(), array.dims());
  std::memcpy(out.mutable_data(), array.data(), static_cast<size_t>(array.bytes()));
  const int64_t bytes = array.bytes() / array.dims()[0];
  for (size_t i = 0; i < result.states.size(); ++i) {
    if (result.states[i] == OutputState::unwritten)
      std::memset(out.mutable_data() + static_cast<int64_t>(i) * bytes, 0, static_cast<size_t>(bytes));
  }
  return out;
}

}  // namespace

Array own_matrices(const Array& all, int64_t first, int64_t count) {
  std::vector<int64_t> dims = all.dims();
  const int64_t bytes = all.bytes() / dims[0];
  dims[0] = count;
  Array out = Array::allocate(all.type(), dims);
  std::memcpy(out.mutable_data(), all.data() + first * bytes, static_cast<size_t>(count * bytes));
  return out;
}

Array filled_matrix(ElementType type, std::vector<int64_t> dims, const GroupedProblem& problem,
                    const Workers& workers) {
  return filled(type, std::move(dims), Operand::lhs, problem, workers);
}

Result<GroupedEstimate> estimate(const GroupedProblem& p) {
  if (p.k < 1 || p.n < 1) {
    return invalid("expected k and n of 1 or more, got " + std::to_string(p.k) + " and " +
                   std::to_string(p.n));
  }
  GroupedEstimate out;
  out.shape = {
      p.m, p.k, p.n, {}, p.lhs_type, p.rhs_type, p.options.out_type, p.options.existing_out.has_value()};
  TRY(GroupedPlan plan, plan_grouped(p.op, out.shape, p.group_sizes, p.options));
  out.shape = plan.shape;
  out.metadata = std::move(plan.metadata);
  out.cost = p.op == GroupedOp::gmm ? gmm_cost(out.shape, out.metadata) : tgmm_cost(out.shape, out.metadata);
  return out;
}

Result<GroupedRun> run_grouped(const GroupedProblem& p, const GroupedTolerance& tolerance,
                               const Workers& workers, const std::stop_token& stop) {
  GroupedProblem local = p;
  const int64_t groups = static_cast<int64_t>(p.group_sizes.size());
  if (p.op == GroupedOp::gmm && p.rhs && p.rhs->dims()[0] != groups && !p.options.local_groups)
    local.options.local_groups = p.rhs->dims()[0];
  TRY(const GroupedEstimate expected, estimate(local));
  const GroupMetadata& meta = expected.metadata;
  const double left = static_cast<double>(p.m) * static_cast<double>(p.k);
  const double right =
      static_cast<double>(p.n) * static_cast<double>(p.op == GroupedOp::gmm ? p.k * groups : p.m);
  const double out =
      static_cast<double>(p.n) * static_cast<double>(p.op == GroupedOp::gmm ? p.m : p.k * meta.local_groups);
  // Operands, and each again in f64 for the reference; the output, the reference and what is compared of
  // both.
  TRY_VOID(require_memory((left + right) * 12 + out * 24, "the grouped matmul with its reference",
                          "say --numerics off for the schedule and the cost alone"));
  const Array lhs =
      p.lhs ? *p.lhs
            : filled(p.lhs_type, p.op == GroupedOp::gmm ? std::vector{p.m, p.k} : std::vector{p.k, p.m},
                     Operand::lhs, p, workers);
  const Array rhs = make_rhs(local, meta, workers);
  TRY(GroupedResult result, p.op == GroupedOp::gmm
                                ? gmm(lhs, rhs, p.group_sizes, local.options, workers, stop)
                                : tgmm(lhs, rhs, p.group_sizes, local.options, workers, stop));
  const Array reference = grouped_reference(p.op, {lhs, rhs}, local.options, result, workers, stop);
  if (stop.stop_requested()) return cancelled();
  const Bounds bounds = tolerance_of(p, tolerance, result.shape, lhs, rhs);
  NumericsReport numerics =
      compare(without_unwritten(result, result.out), without_unwritten(result, reference),
              {bounds.rtol, bounds.atol}, workers);
  return GroupedRun{std::move(result), expected.cost, std::move(numerics), lhs, rhs};
}

}  // namespace shardscope::inline grouped
