// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/check/error_growth.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/numerics/array/element.h"
#include "engine/numerics/data/fill.h"

namespace shardscope::inline numerics {
namespace {

constexpr int64_t kSide = 64;  // kSide × kSide dot products per length
constexpr int64_t kErrorTile = 128;
constexpr int64_t kLongest = int64_t{1} << 20;
constexpr std::array<int, 4> kParts = {2, 4, 8, 16};

using Sums = std::array<float, kSide>;

float to_bf16(float value) {
  return element::from_bf16(element::to_bf16(value));
}
float to_f16(float value) {
  return element::from_f16(element::to_f16(value));
}

// Everything that is kept while the terms of kSide sums come in, one row of X against all columns of W.
struct Accumulators {
  std::array<double, kSide> exact{};
  Sums f32{}, bf16{}, f16{}, tile{}, bf16_of_tiles{};
  std::array<std::vector<Sums>, kParts.size()> partials;  // f32, of equal stretches of k

  Accumulators() {
    for (size_t i = 0; i < kParts.size(); ++i) partials[i].resize(static_cast<size_t>(kParts[i]));
  }

  void add(const Sums& term, int64_t t, int64_t k) {
    for (size_t j = 0; j < kSide; ++j) {
      exact[j] += static_cast<double>(term[j]);
      f32[j] += term[j];
      tile[j] += term[j];
    }
    for (size_t j = 0; j < kSide; ++j) bf16[j] = to_bf16(bf16[j] + term[j]);
    for (size_t j = 0; j < kSide; ++j) f16[j] = to_f16(f16[j] + term[j]);
    for (size_t i = 0; i < kParts.size(); ++i) {
      Sums& part = partials[i][static_cast<size_t>(t * kParts[i] / k)];
      for (size_t j = 0; j < kSide; ++j) part[j] += term[j];
    }
    if ((t + 1) % kErrorTile != 0) return;
    for (size_t j = 0; j < kSide; ++j) bf16_of_tiles[j] = to_bf16(bf16_of_tiles[j] + tile[j]);
    tile.fill(0);
  }
};

// A sum of P partial sums, each rounded by `store` before it travels; `store_sum` rounds after every
// addition.
using Rounding = float (*)(float);
float kept(float value) {
  return value;
}

float ring_sum(const std::vector<Sums>& partials, size_t j, Rounding store, Rounding store_sum) {
  float sum = store(partials[0][j]);
  for (size_t p = 1; p < partials.size(); ++p) sum = store_sum(sum + store(partials[p][j]));
  return sum;
}

float tree_sum(const std::vector<Sums>& partials, size_t j, size_t first, size_t count) {
  if (count == 1) return to_bf16(partials[first][j]);
  const size_t half = count / 2;
  return to_bf16(tree_sum(partials, j, first, half) + tree_sum(partials, j, first + half, half));
}

// What one mode makes of the accumulators, and its law as a multiple of √k (the size of the sum).
struct Mode {
  GrowthCurve curve;
  std::function<float(const Accumulators&, size_t j)> sum;
  std::function<double(double k)> law;
  int64_t shortest = 0;  // below it the mode is another one
};

std::vector<Mode> modes() {
  const double u = rounding_error(element_type(ElementType::bf16).digits),
               u16 = rounding_error(element_type(ElementType::f16).digits),
               u32 = rounding_error(element_type(ElementType::f32).digits);
  std::vector<Mode> out;
  const auto add = [&](std::string id, std::string title, std::string law_text, std::string family, auto sum,
                       auto law, int64_t shortest = 0) {
    out.push_back(
        {{std::move(id), std::move(title), std::move(law_text), std::move(family), {}}, sum, law, shortest});
  };
  using A = Accumulators;
  // Products of bf16 values are exact in f32, so its law is an upper bound.
  add(
      "f32_sequential", "f32 throughout", "≤ u32·√(k/2)", "f32",
      [](const A& a, size_t j) { return a.f32[j]; }, [=](double k) { return u32 * std::sqrt(k / 2); });
  add(
      "f32_then_bf16_out", "f32, one bf16 store", "u", "one store",
      [](const A& a, size_t j) { return to_bf16(a.f32[j]); }, [=](double) { return u; });
  add(
      "bf16_acc_every_term", "bf16, every term", "u·√(k/2)", "bf16 every term",
      [](const A& a, size_t j) { return a.bf16[j]; }, [=](double k) { return u * std::sqrt(k / 2); });
  add(
      "f16_acc_every_term", "f16, every term", "u16·√(k/2)", "f16 every term",
      [](const A& a, size_t j) { return a.f16[j]; }, [=](double k) { return u16 * std::sqrt(k / 2); });
  add(
      "bf16_acc_every_128", "bf16, every 128 terms", "u·√(k/256)", "bf16 every 128",
      [](const A& a, size_t j) { return a.bf16_of_tiles[j]; },
      [=](double k) { return u * std::sqrt(k / 256); }, 2 * kErrorTile);
  for (size_t i = 0; i < kParts.size(); ++i) {
    const int parts = kParts[i];
    const std::string p = fmt::format("P{}", parts);
    add(
        "psum_bf16_ring_" + p, fmt::format("{} bf16 partials, ring", parts), "u·√(1+(P+1)/2−1/P)", "ring",
        [i](const A& a, size_t j) { return ring_sum(a.partials[i], j, to_bf16, to_bf16); },
        [=](double) { return u * std::sqrt(1 + (parts + 1) / 2.0 - 1.0 / parts); });
    add(
        "psum_bf16_tree_" + p, fmt::format("{} bf16 partials, tree", parts), "u·√(1+log₂P)", "tree",
        [i](const A& a, size_t j) { return tree_sum(a.partials[i], j, 0, a.partials[i].size()); },
        [=](double) { return u * std::sqrt(1 + std::log2(parts)); });
    add(
        "bf16_partials_f32_sum_" + p, fmt::format("{} bf16 partials, f32 sum", parts), "u·√2", "f32 sum",
        [i](const A& a, size_t j) { return to_bf16(ring_sum(a.partials[i], j, to_bf16, kept)); },
        [=](double) { return u * std::sqrt(2.0); });
    add(
        "psum_f32_" + p + "_bf16_out", fmt::format("{} f32 partials, f32 sum", parts), "u", "one store",
        [i](const A& a, size_t j) { return to_bf16(ring_sum(a.partials[i], j, kept, kept)); },
        [=](double) { return u; });
  }
  return out;
}

// Σ error² of every mode over one row of X.
std::vector<double> row_errors(const std::vector<Mode>& all, const float* x, const float* w, int64_t k) {
  Accumulators accumulators;
  Sums term;
  for (int64_t t = 0; t < k; ++t) {
    for (size_t j = 0; j < kSide; ++j) term[j] = x[t] * w[t * kSide + static_cast<int64_t>(j)];
    accumulators.add(term, t, k);
  }
  std::vector<double> out;
  for (const Mode& mode : all) {
    double squares = 0;
    for (size_t j = 0; j < kSide; ++j) {
      const double error = static_cast<double>(mode.sum(accumulators, j)) - accumulators.exact[j];
      squares += error * error;
    }
    out.push_back(squares);
  }
  return out;
}

std::vector<float> normals(int64_t rows, int64_t columns, uint64_t seed, Operand operand,
                           const Workers& workers) {
  const bool lhs = operand == Operand::lhs;
  const MatmulProblem shape{lhs ? rows : 1, lhs ? columns : rows, lhs ? 1 : columns, ElementType::bf16,
                            ElementType::f32};
  const Array array = make_fill(shape, Fill::normal, seed, operand, workers);
  std::vector<float> out;
  for (const uint16_t bits : array.as<uint16_t>()) out.push_back(element::from_bf16(bits));
  return out;
}

}  // namespace

double rounding_error(int bits) {
  double squares = 0;
  const auto below = [](double value) { return std::erf(value / std::sqrt(2.0)); };
  for (int e = -60; e < 6; ++e) {
    const double spacing = std::ldexp(1.0, e + 1 - bits);
    squares += (below(std::ldexp(1.0, e + 1)) - below(std::ldexp(1.0, e))) * spacing * spacing / 12;
  }
  return std::sqrt(squares);
}

Result<ErrorGrowth> measure_error_growth(const std::vector<int64_t>& ks, uint64_t seed,
                                         const Workers& workers, std::stop_token stop) {
  ErrorGrowth growth{seed, kSide * kSide, {}};
  std::vector<Mode> all = modes();
  for (const int64_t k : ks) {
    if (k < 16 || k % 16 != 0 || k > kLongest) {
      return invalid(fmt::format("the sums have {} terms, expected a multiple of 16 up to {}", k, kLongest),
                     "k");
    }
    const std::vector<float> x = normals(kSide, k, seed, Operand::lhs, workers);
    const std::vector<float> w = normals(k, kSide, seed, Operand::rhs, workers);
    std::vector<std::vector<double>> rows(static_cast<size_t>(kSide));
    workers.parallel_for(kSide, [&](int64_t r) {
      if (!stop.stop_requested())
        rows[static_cast<size_t>(r)] = row_errors(all, x.data() + r * k, w.data(), k);
    });
    if (stop.stop_requested()) return cancelled();
    for (size_t m = 0; m < all.size(); ++m) {
      if (k < all[m].shortest) continue;
      double squares = 0;
      for (const std::vector<double>& row : rows) squares += row[m];
      const double size = std::sqrt(static_cast<double>(k));
      all[m].curve.points.push_back({k, std::sqrt(squares / static_cast<double>(growth.samples)) / size,
                                     all[m].law(static_cast<double>(k))});
    }
  }
  for (Mode& mode : all) growth.curves.push_back(std::move(mode.curve));
  return growth;
}

Result<std::vector<int64_t>> parse_growth_lengths(const std::string& text) {
  std::vector<int64_t> out;
  const size_t dots = text.find("..");
  const auto bad = [&] {
    return invalid(fmt::format("'{}' is not a list of lengths", text), "--k",
                   "write powers of two as in 16..16384, or a list of multiples of 16 as in 64,256");
  };
  if (dots != std::string::npos) {
    const auto first = parse_int(text.substr(0, dots)), last = parse_int(text.substr(dots + 2));
    if (!first || !last || *first < 16 || *last < *first || *last > kLongest) return bad();
    for (int64_t k = 16; k <= *last; k *= 2) {
      if (k >= *first) out.push_back(k);
    }
  } else {
    for (const std::string& part : split(text, ',')) {
      const auto k = parse_int(trim(part));
      if (!k || *k < 16 || *k % 16 != 0 || *k > kLongest) return bad();
      out.push_back(*k);
    }
  }
  if (out.empty()) return bad();
  return out;
}

}  // namespace shardscope::inline numerics
