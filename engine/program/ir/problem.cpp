// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/problem.h"

#include "engine/base/units.h"

namespace shardscope {
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
  return dtype == ElementType::bf16 || dtype == ElementType::f16 ? ElementType::f32 : dtype;
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
  switch (problem.dtype) {
    case ElementType::f32:
    case ElementType::f64:
    case ElementType::bf16:
    case ElementType::f16:
    case ElementType::s32:
      break;
    default:
      return invalid(std::string("dtype is ") + name(problem.dtype) +
                     ", expected f32, f64, bf16, f16 or s32");
  }
  const ElementType sum = problem.accumulate;
  if (sum != ElementType::f32 && sum != ElementType::bf16 && sum != problem.dtype)
    return invalid(std::string("accumulate is ") + name(sum) + ", expected f32 or bf16");
  // Partial sums may be wider than the elements.
  const ElementType widest = bits(sum) > bits(problem.dtype) ? sum : problem.dtype;
  TRY_VOID(check_array("X", problem.m, problem.k, problem.dtype));
  TRY_VOID(check_array("W", problem.k, problem.n, problem.dtype));
  return check_array("Y", problem.m, problem.n, widest);
}

}  // namespace shardscope
