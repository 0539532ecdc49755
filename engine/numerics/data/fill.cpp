// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/data/fill.h"

#include <cmath>
#include <numbers>

#include "engine/base/hash.h"
#include "engine/base/units.h"
#include "engine/numerics/array/element.h"
#include "engine/numerics/data/jax_random.h"

namespace shardscope::inline numerics {

namespace {

double unit_interval(uint64_t bits) {
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

struct Stream {
  uint64_t key;
  uint64_t operator()(int64_t i) const {
    return mixed_bits(key + static_cast<uint64_t>(i) * 0xd1342543de82ef95u);
  }
};

double normal(const Stream& random, int64_t i) {
  const double radius = std::sqrt(-2 * std::log(unit_interval(random(2 * i))));
  return radius * std::cos(2 * std::numbers::pi * unit_interval(random(2 * i + 1)));
}

using JaxNormal = float (*)(JaxKey key, uint64_t i);
JaxNormal jax_normal(ElementType type) {
  if (type == ElementType::bf16) return &jax_normal_bf16;
  if (type == ElementType::f16) return &jax_normal_f16;
  return type == ElementType::f32 ? &jax_normal_f32 : nullptr;
}

constexpr int64_t kSparseTerms = 256;

// W's column j has one ±1 in each of 256 stretches of k, everywhere else zeros; with k <= 256 a stretch is
// one row.
double sparse_rhs(const Stream& random, const MatmulProblem& p, int64_t i) {
  const int64_t row = i / p.n, column = i % p.n;
  if (p.k > kSparseTerms) {
    const int64_t stretch = row * kSparseTerms / p.k;
    const int64_t start = ceil_div(stretch * p.k, kSparseTerms),
                  end = ceil_div((stretch + 1) * p.k, kSparseTerms);
    const uint64_t chosen = mixed_bits(random(stretch * p.n + column)) % static_cast<uint64_t>(end - start);
    if (row != start + static_cast<int64_t>(chosen)) return 0;
    return (random(i) & 1) != 0 ? 1 : -1;
  }
  return static_cast<double>(random(i) % 3) - 1;
}

}  // namespace

bool has_jax_fill(ElementType type) {
  return jax_normal(type) != nullptr;
}

Array make_fill(const MatmulProblem& p, Fill fill, uint64_t seed, Operand operand, const Workers& workers) {
  const bool lhs = operand == Operand::lhs;
  Array array = Array::allocate(p.dtype, lhs ? std::vector{p.m, p.k} : std::vector{p.k, p.n});
  const Stream random{mixed_bits(seed * 2 + (lhs ? 0 : 1))};
  const JaxKey key = jax_split(jax_key(seed), lhs ? 0 : 1);
  const int64_t count = array.element_count();
  const bool sparse = needs_sparse_integers(p);
  element::visit(p.dtype, [&](auto tag) {
    using Tag = decltype(tag);
    using Computed = typename Tag::Computed;
    auto out = array.mutable_as<typename Tag::Stored>();
    const auto write = [&](auto value) {
      constexpr int64_t kStretch = 65536;
      workers.parallel_for(ceil_div(count, kStretch), [&](int64_t s) {
        for (int64_t i = s * kStretch; i < std::min(count, (s + 1) * kStretch); ++i) {
          out[static_cast<size_t>(i)] = Tag::store(static_cast<Computed>(value(i)));
        }
      });
    };
    if (fill == Fill::jax) {
      const JaxNormal jax = jax_normal(p.dtype);
      CHECK(jax != nullptr, name(p.dtype));
      write([&](int64_t i) { return jax(key, static_cast<uint64_t>(i)); });
    } else if (fill == Fill::normal) {
      write([&](int64_t i) { return normal(random, i); });
    } else if (fill == Fill::ramp || (fill == Fill::arange && !is_floating(p.dtype))) {
      write([&](int64_t i) { return i; });
    } else if (fill == Fill::arange) {
      const Computed size = static_cast<Computed>(count);
      write([&](int64_t i) { return static_cast<Computed>(i) / size; });
    } else if (sparse && lhs) {
      write([&](int64_t i) { return static_cast<double>(random(i) % 3) - 1; });
    } else if (sparse) {
      write([&](int64_t i) { return sparse_rhs(random, p, i); });
    } else {
      write([&](int64_t i) { return static_cast<double>(random(i) % 17) - 8; });
    }
  });
  return array;
}

}  // namespace shardscope::inline numerics
