// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/machine/memory_limit.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/numerics/check/numerics.h"
#include "engine/numerics/check/reference.h"
#include "engine/numerics/data/fill.h"

namespace shardscope::inline numerics {

namespace {

constexpr int64_t kSampled = 64;  // rows and columns of Y that the smoothness test looks at

double rms(const Array& array) {
  const int64_t count = array.element_count();
  const int64_t step = std::max<int64_t>(1, count / 1000003);  // a million of them say it well enough
  double sum = 0;
  int64_t seen = 0;
  for (int64_t i = 0; i < count; i += step, ++seen) sum += array.at(i) * array.at(i);
  return seen == 0 ? 0 : std::sqrt(sum / static_cast<double>(seen));
}

// How many outputs two typical mistakes would change by more than the tolerance: leaving out the last terms
// of the contraction, and taking two blocks of X in the wrong order.
struct Sharpness {
  int64_t dropped_terms = 0;
  double dropped = 0, swapped = 0;  // shares of the sampled outputs that fail
};

Sharpness sharpness(const ProblemData& data, double rtol, double atol) {
  const auto& [m, k, n, dtype, accumulate, sum] = data.problem;
  Sharpness result;
  result.dropped_terms = std::min(k, std::max<int64_t>(1, k / 1024));
  const int64_t block = k / 8;
  const int64_t rows = std::min(m, kSampled), columns = std::min(n, kSampled);
  int64_t dropped = 0, swapped = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t row = r * m / rows;
    for (int64_t c = 0; c < columns; ++c) {
      const int64_t column = c * n / columns;
      double whole = 0, last = 0, moved = 0;
      for (int64_t i = 0; i < k; ++i) {
        const double w = data.rhs.at(i * n + column);
        const double term = data.lhs.at(row * k + i) * w;
        whole += term;
        if (i >= k - result.dropped_terms) last += term;
        const int64_t other = i < block ? i + block : i < 2 * block ? i - block : i;
        moved += data.lhs.at(row * k + other) * w;
      }
      const double tolerance = atol + rtol * std::fabs(whole);
      dropped += std::fabs(last) > tolerance;
      swapped += std::fabs(moved - whole) > tolerance;
    }
  }
  const double count = static_cast<double>(rows * columns);
  result.dropped = static_cast<double>(dropped) / count;
  result.swapped = block == 0 ? 1 : static_cast<double>(swapped) / count;
  return result;
}

void warn_when_smooth(const DataRequest& request, ProblemData& data) {
  const auto [default_rtol, default_atol] = default_tolerance(data);
  const double rtol = request.rtol.value_or(default_rtol), atol = request.atol.value_or(default_atol);
  if (rtol == 0 && atol == 0) return;
  const Sharpness s = sharpness(data, rtol, atol);
  if (s.dropped >= 0.5 && s.swapped >= 0.5) return;
  const bool own_tolerance = request.rtol || request.atol;
  const std::string tolerance =
      own_tolerance ? fmt::format("the tolerance asked for, rtol {:g} and atol {:g}", rtol, atol)
                    : "the tolerance";
  data.warnings.push_back(
      "the data is too smooth to prove anything: leaving out the last " + group_digits(s.dropped_terms) +
      " of " + group_digits(data.problem.k) + " terms would change " + format_percent(s.dropped) +
      " of the outputs by more than " + tolerance + ", and swapping two blocks of k " +
      format_percent(s.swapped) + "; " +
      (own_tolerance ? "a smaller tolerance sees both" : "the fills integers and normal see both"));
}

// What arange did to the numbers.
std::string scaled_ramps(const DataRequest& request) {
  const MatmulProblem& p = request.problem;
  std::vector<std::string> parts;
  if (!request.lhs) parts.push_back("X is 0, 1, 2, … over " + group_digits(p.m * p.k));
  if (!request.rhs) parts.push_back("W is 0, 1, 2, … over " + group_digits(p.k * p.n));
  return "arange divides floats by their number: " + join(parts, ", ") +
         "; fill ramp leaves them as they are";
}

Result<void> check_shape(const std::optional<Array>& array, const char* which, const MatmulProblem& p,
                         int64_t rows, int64_t columns) {
  if (!array) return {};
  const auto text = [](int64_t r, int64_t c) {
    return "[" + std::to_string(r) + "," + std::to_string(c) + "]";
  };
  if (array->dims() != std::vector<int64_t>{rows, columns}) {
    const auto& dims = array->dims();
    const std::string got =
        dims.size() == 2 ? text(dims[0], dims[1]) : std::to_string(dims.size()) + " dimensions";
    return invalid(std::string(which) + " must be " + text(rows, columns) + ", got " + got);
  }
  if (array->type() != p.dtype) {
    return invalid(std::string(which) + " must be " + name(p.dtype) + ", got " + name(array->type()));
  }
  return {};
}

// Results that no rounding can touch: integers wrap, and integer fills stay exact.
bool is_exact(const DataRequest& r) {
  return is_integer(result_type(r.problem.dtype)) || (r.fill == Fill::integers && !r.lhs && !r.rhs);
}

// The f64 product is kept beside the reference where that is rounded.
bool keeps_unrounded(const DataRequest& r) {
  return r.with_reference && !is_exact(r) && result_type(r.problem.dtype) != ElementType::f64;
}

Result<void> check_request(const DataRequest& r, const Workers& workers) {
  const MatmulProblem& p = r.problem;
  TRY_VOID(validate(p));
  TRY_VOID(check_shape(r.lhs, "the left array", p, p.m, p.k));
  TRY_VOID(check_shape(r.rhs, "the right array", p, p.k, p.n));
  if (r.fill == Fill::jax && !has_jax_fill(p.dtype)) {
    return invalid(std::string("fill jax makes bf16, f16 and f32, got ") + name(p.dtype), "fill",
                   "use normal or integers");
  }
  const double m = static_cast<double>(p.m), k = static_cast<double>(p.k), n = static_cast<double>(p.n);
  const auto element = static_cast<double>(stored_bytes(p.dtype, 1));
  const auto output = static_cast<double>(stored_bytes(result_type(p.dtype), 1));
  const double scratch = 8.0 * workers.threads() * (std::min(n, 512.0) + std::min(m, 256.0)) * k;
  const double bytes = element * ((r.lhs ? 0 : m * k) + (r.rhs ? 0 : k * n)) +
                       (r.with_reference ? output * m * n + scratch : 0) +
                       (keeps_unrounded(r) ? 8 * m * n : 0);
  const double scale =
      std::sqrt(std::min(1.0, 0.9 * static_cast<double>(available_memory()) / std::max(bytes, 1.0)));
  return require_memory(
      bytes, "the problem with its reference",
      "m, k and n of about " + format_percent(scale) + " of these would fit; or say --numerics off");
}

Result<void> add_reference(const DataRequest& r, ProblemData& data, const Workers& workers,
                           const std::stop_token& stop) {
  const ElementType type = result_type(r.problem.dtype);
  auto reference = reference_product(data.lhs, data.rhs, type, workers, stop, keeps_unrounded(r));
  if (!reference) return cancelled();
  data.reference = reference->product;
  data.product = reference->unrounded;
  if (reference->overflowing > 0) {
    data.warnings.push_back(std::string(name(type)) + " wraps: " + format_percent(reference->overflowing) +
                            " of the outputs exceed int" + std::to_string(bits(type)) +
                            "; equal results are equal modulo 2^" + std::to_string(bits(type)) + " only");
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const ProblemData>> make_problem_data(const DataRequest& request,
                                                             const Workers& workers, std::stop_token stop) {
  TRY_VOID(check_request(request, workers));
  auto data = std::make_shared<ProblemData>();
  data->problem = request.problem;
  data->fill = request.fill;
  data->seed = request.seed;
  data->exact = is_exact(request);
  const auto filled = [&](const std::optional<Array>& own, Operand operand) {
    return own ? *own : make_fill(request.problem, request.fill, request.seed, operand, workers);
  };
  data->lhs = filled(request.lhs, Operand::lhs);
  if (stop.stop_requested()) return cancelled();
  data->rhs = filled(request.rhs, Operand::rhs);
  if (stop.stop_requested()) return cancelled();
  if (request.fill == Fill::arange && is_floating(request.problem.dtype) && !(request.lhs && request.rhs))
    data->warnings.push_back(scaled_ramps(request));
  const bool random = request.fill == Fill::normal || request.fill == Fill::jax;
  const bool own_tolerance = request.rtol || request.atol;
  if (!random || request.lhs || request.rhs || own_tolerance) warn_when_smooth(request, *data);
  if (request.with_reference) TRY_VOID(add_reference(request, *data, workers, stop));
  return std::shared_ptr<const ProblemData>(std::move(data));
}

double default_rtol(const MatmulProblem& problem, ElementType stored) {
  return std::max(element_type(stored).rtol, element_type(accumulation_type(problem)).rtol);
}

std::pair<double, double> default_tolerance(const ProblemData& data) {
  if (data.exact) return {0, 0};
  const double rtol = default_rtol(data.problem, result_type(data.problem.dtype));
  return {rtol, rtol * std::sqrt(static_cast<double>(data.problem.k)) * rms(data.lhs) * rms(data.rhs)};
}

}  // namespace shardscope::inline numerics
