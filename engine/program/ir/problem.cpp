// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/problem.h"

#include "engine/base/units.h"

namespace shardscope::inline program {
namespace {

constexpr int64_t kMaxArrayBytes = int64_t{1} << 62;

Result<void> check_array(const char* what, int64_t rows, int64_t columns, ElementType type) {
  const auto elements = checked_multiply(rows, columns);
  const auto bytes = elements ? checked_multiply(*elements, bits(type) / 8) : std::nullopt;
  if (bytes && *bytes < kMaxArrayBytes) return {};
  return too_big(std::string(what) + " has " + std::to_string(rows) + "·" + std::to_string(columns) +
                     " elements, expected fewer than 2^62 bytes",
                 "problem", "make m, k or n smaller");
}

}  // namespace

ElementType default_accumulate(ElementType dtype) {
  return product_type(dtype).value_or(dtype);
}

ElementType accumulation_type(const MatmulProblem& problem) {
  return is_narrow(problem.dtype) ? problem.accumulate : default_accumulate(problem.dtype);
}

const char* name(SumType type) {
  return type == SumType::f32 ? "f32" : "result";
}

ElementType travelling_type(const MatmulProblem& problem) {
  const ElementType sums = accumulation_type(problem), own = result_type(problem.dtype);
  return problem.sum == SumType::result && bits(own) < bits(sums) ? own : sums;
}

bool needs_sparse_integers(const MatmulProblem& problem) {
  return is_narrow(result_type(problem.dtype)) || is_narrow(problem.accumulate);
}

Result<void> validate(const MatmulProblem& problem) {
  const auto positive = [](const char* what, int64_t size) -> Result<void> {
    if (size > 0) return {};
    return invalid(std::string(what) + " is " + std::to_string(size) + ", expected a positive size",
                   "problem");
  };
  TRY_VOID(positive("m", problem.m));
  TRY_VOID(positive("k", problem.k));
  TRY_VOID(positive("n", problem.n));
  if (!is_problem_type(problem.dtype))
    return invalid(std::string("dtype is ") + name(problem.dtype) + ", expected " + problem_type_list());
  const ElementType sum = problem.accumulate, own = default_accumulate(problem.dtype);
  const bool widens = is_integer(problem.dtype) && own != problem.dtype;
  const bool known = sum == own || (!widens && (sum == ElementType::f32 || sum == ElementType::bf16));
  if (!known)
    return invalid(std::string("accumulate is ") + name(sum) + ", expected " +
                   (widens ? name(own) : "f32 or bf16"));
  // Partial sums may be wider than the elements.
  const ElementType widest = bits(sum) > bits(problem.dtype) ? sum : problem.dtype;
  TRY_VOID(check_array("X", problem.m, problem.k, problem.dtype));
  TRY_VOID(check_array("W", problem.k, problem.n, problem.dtype));
  return check_array("Y", problem.m, problem.n, widest);
}

}  // namespace shardscope::inline program
