// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/check/exact_comparison.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/float_format.h"
#include "engine/base/units.h"
#include "engine/numerics/rules/convert.h"

namespace shardscope::inline numerics {
namespace {

constexpr double kClearly = 1.2;       // a ratio of errors below this is no difference worth a word
constexpr int64_t kMostPartials = 16;  // more are not listed one by one

// NaN is larger than every number.
bool exceeds(double a, double b) {
  return std::isnan(a) ? !std::isnan(b) : a > b;
}
double larger(double a, double b) {
  return exceeds(b, a) ? b : a;
}

// Σ over some rows.
struct SquareSums {
  double result = 0, reference = 0, exact = 0;
  double result_max = 0, reference_max = 0;
  double needed = 0;  // the largest atol that an element needs
  int64_t at = -1;    // its place
};

// Elements [first, first + count) of all three.
SquareSums row_sums(const Array& results, const Array& references, const Array& exacts, int64_t first,
                    int64_t count, double rtol) {
  const std::vector<double> a = as_f64(results, first, count), b = as_f64(references, first, count),
                            y = as_f64(exacts, first, count);
  SquareSums sums;
  for (size_t i = 0; i < y.size(); ++i) {
    const double result = a[i], reference = b[i], exact = y[i];
    const double e = std::fabs(result - exact), f = std::fabs(reference - exact);
    sums.result += e * e;
    sums.reference += f * f;
    sums.exact += exact * exact;
    sums.result_max = larger(sums.result_max, e);
    sums.reference_max = larger(sums.reference_max, f);
    if (result == reference) continue;
    const double needed = std::fabs(result - reference) - rtol * std::fabs(reference);
    if (exceeds(needed, sums.needed)) {
      sums.needed = needed;
      sums.at = first + static_cast<int64_t>(i);
    }
  }
  return sums;
}

SquareSums sums_of(const Array& result, const Array& reference, const Array& exact, double rtol,
                   const Workers& workers) {
  if (equal_and_finite(result, reference) && equal_and_finite(reference, exact)) return {};
  const int64_t rows = exact.dims()[0], columns = exact.dims()[1];
  std::vector<SquareSums> per_row(static_cast<size_t>(rows));
  workers.parallel_for(rows, [&](int64_t r) {
    per_row[static_cast<size_t>(r)] = row_sums(result, reference, exact, r * columns, columns, rtol);
  });
  SquareSums all;
  for (const SquareSums& row : per_row) {
    all.result += row.result;
    all.reference += row.reference;
    all.exact += row.exact;
    all.result_max = larger(all.result_max, row.result_max);
    all.reference_max = larger(all.reference_max, row.reference_max);
    if (row.at >= 0 && (all.at < 0 || exceeds(row.needed, all.needed))) {
      all.needed = row.needed;
      all.at = row.at;
    }
  }
  return all;
}

ErrorNorms norms(double squares, double largest, double exact_squares, int64_t count) {
  const double relative = squares == 0 ? 0 : std::sqrt(squares / exact_squares);
  return {relative, std::sqrt(squares / static_cast<double>(std::max<int64_t>(1, count))), largest};
}

// Sums of element (row, column) over `parts` equal stretches of k.
std::vector<double> partials_at(const ProblemData& data, int64_t row, int64_t column, int64_t parts) {
  const int64_t k = data.problem.k, n = data.problem.n;
  std::vector<double> out;
  for (int64_t p = 0; p < parts; ++p) {
    double sum = 0;
    for (int64_t i = p * k / parts; i < (p + 1) * k / parts; ++i)
      sum += data.lhs.at(row * k + i) * data.rhs.at(i * n + column);
    out.push_back(sum);
  }
  return out;
}

// By how much a value of this size can be off after one rounding: half the distance to its neighbour.
double half_spacing(double value, ElementType type) {
  if (value == 0 || !std::isfinite(value)) return 0;
  return std::ldexp(1.0, std::ilogb(value) - element_type(type).digits);
}

// Of narrow floats, which sums of ordinary numbers outgrow.
std::optional<double> largest_number(ElementType type) {
  if (!is_floating(type) || float_format(type).greatest_exponent() > 16) return std::nullopt;
  return largest_float(type);
}

std::string signed_list(const std::vector<double>& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const double v : values) texts.push_back(fmt::format("{:.4g}", v));
  if (texts.size() == 1) return texts.front();
  const std::string last = texts.back();
  texts.pop_back();
  return fmt::format("{} and {}", fmt::join(texts, ", "), last);
}

// What made `side` inaccurate at the element: roundings of its partial sums when they are large enough for
// its error.
std::string cause(const ExactComparison& c, const ComparedSide& side, double value) {
  const double error = std::fabs(value - c.exact_value);
  std::string text = fmt::format(" At [{}] it gives {:.4g} where f64 gives {:.4g}", fmt::join(c.index, ","),
                                 value, c.exact_value);
  double possible = 0, largest = 0;
  for (const double p : c.partials) {
    // Each is rounded once, and the running sum again when it is added.
    possible += 2 * half_spacing(p, side.partials.type);
    largest = std::max(largest, half_spacing(p, side.partials.type));
  }
  const bool by_partials = c.partials.size() > 1 && is_narrow(side.partials.type) &&
                           static_cast<int64_t>(c.partials.size()) == side.partials.count;
  if (!by_partials || error > possible) return text + ".";
  text += fmt::format(": its {} {} partial sums, {}, are off by up to {:.3g} each", c.partials.size(),
                      name(side.partials.type), signed_list(c.partials), largest);
  double size = 0;
  for (const double p : c.partials) size = std::max(size, std::fabs(p));
  return text + (std::fabs(c.exact_value) < size / 10 ? " and cancel." : ".");
}

std::string capitalised(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

// What is to be said of a side whose error has no size; empty: it has one.
std::string overflow(const ExactComparison& c, const ErrorNorms& norms, double value,
                     const ComparedSide& side) {
  if (std::isfinite(norms.rel_frobenius)) return "";
  const ElementType type = side.array.type();
  std::string text = fmt::format("{} holds numbers that are not finite", side.name);
  if (!c.index.empty() && !std::isfinite(value))
    text += fmt::format(", as at [{}], where f64 gives {:.4g}", fmt::join(c.index, ","), c.exact_value);
  const auto largest = largest_number(type);
  return text + (largest ? fmt::format(": {}'s largest number is {:g}. ", name(type), *largest) : ". ");
}

std::string against_one_rounding(const ExactComparison& c, const ComparedSide& result, ElementType type) {
  if (c.result.max_abs == 0) return "The result equals the f64 product.";
  const std::string not_finite = overflow(c, c.result, c.value, result);
  if (!not_finite.empty()) return capitalised(not_finite.substr(0, not_finite.size() - 1));
  if (c.reference.rel_frobenius == 0)
    return fmt::format("The result's relative error against the f64 product is {:.3g}.",
                       c.result.rel_frobenius);
  const double ratio = c.result.rel_frobenius / c.reference.rel_frobenius;
  if (ratio < kClearly)
    return fmt::format(
        "The result is as near to the f64 product as one rounding to {} allows: relative error {:.3g}.",
        name(type), c.result.rel_frobenius);
  std::string text = fmt::format(
      "The result is {} as far from the f64 product as one rounding to {} would be: relative error {:.3g} "
      "against {:.3g}.",
      format_ratio(ratio), name(type), c.result.rel_frobenius, c.reference.rel_frobenius);
  if (!c.index.empty()) text += cause(c, result, c.value);
  return text;
}

std::string against_another(const ExactComparison& c, const ComparedSide& result,
                            const ComparedSide& reference) {
  const double a = c.result.rel_frobenius, b = c.reference.rel_frobenius;
  std::string not_finite = overflow(c, c.result, c.value, result);
  if (not_finite.empty()) not_finite = overflow(c, c.reference, c.reference_value, reference);
  if (!not_finite.empty()) return capitalised(not_finite.substr(0, not_finite.size() - 1));
  if (c.index.empty())
    return fmt::format("{} and {} are equal; against the f64 product both are off by {:.3g}, relatively.",
                       capitalised(result.name), reference.name, a);
  const bool reference_worse = b > a * kClearly, result_worse = a > b * kClearly;
  if (!reference_worse && !result_worse)
    return fmt::format(
        "{} and {} are about equally accurate: relative error {:.3g} and {:.3g} against the f64 product.",
        capitalised(result.name), reference.name, a, b);
  const ComparedSide& worse = reference_worse ? reference : result;
  const ComparedSide& better = reference_worse ? result : reference;
  return fmt::format(
             "{} is the less accurate side: against the f64 product its relative error is {:.3g}, that of {} "
             "{:.3g}.",
             capitalised(worse.name), std::max(a, b), better.name, std::min(a, b)) +
         cause(c, worse, reference_worse ? c.reference_value : c.value);
}

}  // namespace

PartialSums partial_sums(const Program& program, const MatmulProblem& problem) {
  const Computation& entry = program.entry_computation();
  for (const Instruction& i : entry.instructions) {
    if (i.opcode != Opcode::dot) continue;
    const Shape& lhs = entry.at(i.operands[0]).shape;
    int64_t terms = 1;
    for (const int64_t d : i.dot->lhs_contracting) terms *= lhs.dims[static_cast<size_t>(d)];
    // Between devices they may be rounded to less.
    ElementType type = i.shape.type;
    for (const Instruction& sum : entry.instructions)
      if (has(sum.opcode, Trait::sums) && is_narrow(sum.shape.type)) type = sum.shape.type;
    return {terms > 0 && problem.k % terms == 0 ? problem.k / terms : 1, type};
  }
  return {1, problem.accumulate};
}

Array rounded_product(const ProblemData& data, ElementType type) {
  if (data.product.element_count() == 0 || data.reference.type() == type) return data.reference;
  Array out = Array::allocate(type, data.product.dims());
  convert_elements(ElementType::f64, data.product.data(), type, out.mutable_data(), out.element_count());
  return out;
}

ExactComparison compare_exact(const ProblemData& data, const ComparedSide& result,
                              const ComparedSide& reference, bool one_rounding, double rtol,
                              const Workers& workers) {
  const Array& exact = data.product.element_count() > 0 ? data.product : data.reference;
  const SquareSums sums = sums_of(result.array, reference.array, exact, rtol, workers);
  const int64_t count = exact.element_count(), columns = exact.dims()[1];
  ExactComparison c;
  c.result = norms(sums.result, sums.result_max, sums.exact, count);
  c.reference = norms(sums.reference, sums.reference_max, sums.exact, count);
  if (sums.at >= 0) {
    c.index = {sums.at / columns, sums.at % columns};
    c.value = result.array.at(sums.at);
    c.reference_value = reference.array.at(sums.at);
    c.exact_value = exact.at(sums.at);
    const bool reference_worse = c.reference.rel_frobenius > c.result.rel_frobenius && !one_rounding;
    const PartialSums& parts = (reference_worse ? reference : result).partials;
    c.of_reference = reference_worse;
    c.partial_type = parts.type;
    if (parts.count <= kMostPartials) c.partials = partials_at(data, c.index[0], c.index[1], parts.count);
  }
  c.explanation = one_rounding ? against_one_rounding(c, result, reference.array.type())
                               : against_another(c, result, reference);
  return c;
}

}  // namespace shardscope::inline numerics
