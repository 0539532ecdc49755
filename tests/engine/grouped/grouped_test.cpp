// SPDX-License-Identifier: Apache-2.0
// gmm and tgmm against worked examples and the straightforward product.
#include "engine/grouped/grouped.h"

#include <cmath>
#include <gtest/gtest.h>

#include "tests/engine/grouped/golden_cases.h"
#include "tests/engine/grouped/samples.h"

namespace shardscope::grouped_test {
namespace {

const Workers kWorkers(2);

Array example_lhs(const GoldenCase& c) {
  return array_of(ElementType::f32, {c.m, c.k}, [](int64_t i) { return i % 5 - 2; });
}

Array example_rhs(const GoldenCase& c) {
  const int64_t groups = static_cast<int64_t>(c.group_sizes.size());
  const Array all = array_of(ElementType::f32, {groups, c.k, c.n}, [](int64_t i) { return i % 7 - 3; });
  return matrices_of(all, c.group_offset, c.local_groups.value_or(groups));
}

GroupedOptions example_options(const GoldenCase& c) {
  GroupedOptions out;
  out.tiling = GmmTiling{c.tm, 2, 2};
  out.group_offset = c.group_offset;
  out.local_groups = c.local_groups;
  return out;
}

Result<GroupedResult> run_gmm(const Array& lhs, const Array& rhs, const std::vector<int64_t>& sizes,
                              const GroupedOptions& options) {
  return gmm(lhs, rhs, sizes, options, kWorkers, {});
}
Result<GroupedResult> run_tgmm(const Array& lhs, const Array& rhs, const std::vector<int64_t>& sizes,
                               const GroupedOptions& options) {
  return tgmm(lhs, rhs, sizes, options, kWorkers, {});
}

TEST(Gmm, EqualsTheWorkedExamples) {
  for (const GoldenCase& c : golden_cases()) {
    GroupedOptions options = example_options(c);
    if (c.existing_out)
      options.existing_out = array_of(ElementType::f32, {c.m, c.n}, [](int64_t) { return 100; });
    const auto result = run_gmm(example_lhs(c), example_rhs(c), c.group_sizes, options);
    ASSERT_TRUE(result.ok()) << c.name << ": " << result.error().text();
    for (int64_t i = 0; i < c.m * c.n; ++i) {
      const OutputState state = result->states[static_cast<size_t>(i / c.n)];
      const double expected = c.gmm_out[static_cast<size_t>(i)];
      if (expected == kUnwritten) {  // no visit: the output is the memory of existing_out
        EXPECT_EQ(state, OutputState::aliased) << c.name << ' ' << i;
        EXPECT_EQ(result->out.at(i), 100) << c.name << ' ' << i;
      } else {
        EXPECT_EQ(result->out.at(i), expected) << c.name << ' ' << i;
      }
    }
  }
}

TEST(Tgmm, EqualsTheWorkedExamples) {
  for (const GoldenCase& c : golden_cases()) {
    const Array rhs = array_of(ElementType::f32, {c.m, c.n}, [](int64_t i) { return i % 3 - 1; });
    const auto result = run_tgmm(transposed(example_lhs(c)), rhs, c.group_sizes, example_options(c));
    ASSERT_TRUE(result.ok()) << c.name << ": " << result.error().text();
    ASSERT_EQ(result->out.element_count(), static_cast<int64_t>(c.tgmm_out.size())) << c.name;
    for (size_t i = 0; i < c.tgmm_out.size(); ++i)
      EXPECT_EQ(result->out.at(static_cast<int64_t>(i)), c.tgmm_out[i]) << c.name << ' ' << i;
  }
}

// One random problem: sizes, shards, tiles with and without remainders, types.
struct Problem {
  std::mt19937 random;
  GmmTiling tiling;
  int64_t m, k, n, groups;
  std::vector<int64_t> sizes;
  ElementType lhs_type, rhs_type, out_type;

  explicit Problem(unsigned seed) : random(seed) {
    tiling = {pick(1, 6), pick(1, 6), pick(1, 6)};
    m = tiling.tm * pick(1, 6);
    k = pick(1, 9);
    n = pick(1, 9);
    groups = pick(1, 6);
    sizes = random_sizes(groups, m, random);
    lhs_type = type();
    rhs_type = type();
    out_type = type();
  }
  int64_t pick(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<unsigned>(high - low + 1));
  }
  ElementType type() { return random() % 2 == 0 ? ElementType::f32 : ElementType::bf16; }
};

// Integers so small that every sum is exact in bf16: results are equal bit for bit, over all equal shards.
TEST(Gmm, EqualsTheRowByRowProductInEveryShard) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Problem p(seed);
    const bool transpose = p.pick(0, 1) == 1, existing = p.pick(0, 1) == 1;
    const Array lhs = random_integers(p.lhs_type, {p.m, p.k}, p.random, 3);
    const Array rhs = random_integers(
        p.rhs_type, transpose ? std::vector{p.groups, p.n, p.k} : std::vector{p.groups, p.k, p.n}, p.random,
        3);
    const Array old = random_integers(p.out_type, {p.m, p.n}, p.random, 100);
    for (int64_t shards = 1; shards <= p.groups; ++shards) {
      if (p.groups % shards != 0) continue;
      for (int64_t shard = 0; shard < shards; ++shard) {
        const int64_t local = p.groups / shards;
        GroupedOptions options;
        options.tiling = p.tiling;
        options.out_type = p.out_type;
        options.group_offset = shard * local;
        options.transpose_rhs = transpose;
        if (existing) options.existing_out = old;
        const auto result = run_gmm(lhs, matrices_of(rhs, shard * local, local), p.sizes, options);
        ASSERT_TRUE(result.ok()) << seed << ": " << result.error().text();
        int64_t row = 0;
        for (int64_t g = 0; g < p.groups; ++g) {
          const bool own = g / local == shard;
          for (int64_t end = row + p.sizes[static_cast<size_t>(g)]; row < end; ++row) {
            for (int64_t j = 0; j < p.n; ++j) {
              double expected = existing ? old.at(row * p.n + j) : 0;
              if (own) expected = 0;
              for (int64_t k = 0; own && k < p.k; ++k) {
                const int64_t at = transpose ? (g * p.n + j) * p.k + k : (g * p.k + k) * p.n + j;
                expected += lhs.at(row * p.k + k) * rhs.at(at);
              }
              ASSERT_EQ(result->out.at(row * p.n + j), expected) << seed << ' ' << shard << ' ' << row;
            }
          }
        }
        const Array reference = grouped_reference(
            GroupedOp::gmm, {lhs, matrices_of(rhs, shard * local, local)}, options, *result, kWorkers, {});
        ASSERT_TRUE(reference == result->out) << seed;
      }
    }
  }
}

TEST(Tgmm, EqualsTheRowByRowProductInEveryShard) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Problem p(seed);
    const bool existing = p.pick(0, 1) == 1;
    const Array lhs = random_integers(p.lhs_type, {p.k, p.m}, p.random, 2);
    const Array rhs = random_integers(p.rhs_type, {p.m, p.n}, p.random, 2);
    for (int64_t shards = 1; shards <= p.groups; ++shards) {
      if (p.groups % shards != 0) continue;
      for (int64_t shard = 0; shard < shards; ++shard) {
        const int64_t local = p.groups / shards;
        const Array old = random_integers(p.out_type, {local, p.k, p.n}, p.random, 50);
        GroupedOptions options;
        options.tiling = p.tiling;
        options.out_type = p.out_type;
        options.group_offset = shard * local;
        options.local_groups = local;
        if (existing) options.existing_out = old;
        const auto result = run_tgmm(lhs, rhs, p.sizes, options);
        ASSERT_TRUE(result.ok()) << seed << ": " << result.error().text();
        ASSERT_TRUE(grouped_reference(GroupedOp::tgmm, {lhs, rhs}, options, *result, kWorkers, {}) ==
                    result->out)
            << seed;
        int64_t start = 0;
        for (int64_t g = 0; g < p.groups; ++g) {
          const int64_t end = start + p.sizes[static_cast<size_t>(g)];
          for (int64_t at = 0; g / local == shard && at < p.k * p.n; ++at) {
            const int64_t out_at = (g - shard * local) * p.k * p.n + at;
            double expected = existing ? old.at(out_at) : 0;
            for (int64_t row = start; row < end; ++row)
              expected += lhs.at(at / p.n * p.m + row) * rhs.at(row * p.n + at % p.n);
            ASSERT_EQ(result->out.at(out_at), expected) << seed << ' ' << g;
          }
          start = end;
        }
      }
    }
  }
}

// The kernel's order of summing: f32 within a tile of k, one addition per tile, one rounding when stored.
TEST(Gmm, SumsEachTileOfKByItselfAndRoundsOnce) {
  const Array lhs = array_of(ElementType::f32, {1, 4}, [](int64_t i) { return i == 0 ? 0x1p24 : 1; });
  const Array rhs = array_of(ElementType::f32, {1, 4, 1}, [](int64_t) { return 1; });
  GroupedOptions options;
  options.tiling = GmmTiling{1, 4, 1};
  EXPECT_EQ(run_gmm(lhs, rhs, {1}, options)->out.at(0), 0x1p24);  // 1 is lost three times
  options.tiling = GmmTiling{1, 2, 1};
  EXPECT_EQ(run_gmm(lhs, rhs, {1}, options)->out.at(0), 0x1p24 + 2);  // the second tile is 2
}

TEST(Gmm, ShortGroupsLeaveRowsThatNobodyWrote) {
  const Array lhs = array_of(ElementType::f32, {8, 2}, [](int64_t) { return 1; });
  const Array rhs = array_of(ElementType::f32, {2, 2, 2}, [](int64_t) { return 1; });
  GroupedOptions options;
  options.tiling = GmmTiling{4, 2, 2};
  EXPECT_FALSE(run_gmm(lhs, rhs, {3, 2}, options).ok());
  options.allow_short = true;
  const auto result = run_gmm(lhs, rhs, {3, 2}, options);
  ASSERT_TRUE(result.ok());
  for (int64_t row = 0; row < 8; ++row) {
    EXPECT_EQ(result->states[static_cast<size_t>(row)],
              row < 5 ? OutputState::computed : OutputState::unwritten);
    EXPECT_EQ(std::isnan(result->out.at(row * 2)), row >= 5);
  }
}

TEST(Gmm, KeepsTheRestOfVisitedTilesAndAliasesTheOthers) {
  const GoldenCase c = golden_cases()[5];
  GroupedOptions options = example_options(c);
  options.existing_out = array_of(ElementType::f32, {c.m, c.n}, [](int64_t) { return 100; });
  const auto result = run_gmm(example_lhs(c), example_rhs(c), c.group_sizes, options);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->states[7], OutputState::aliased);
  EXPECT_EQ(result->states[8], OutputState::kept);
  EXPECT_EQ(result->states[9], OutputState::computed);
}

TEST(Tgmm, EmptyGroupsAreZeroOnlyWhenVisited) {
  const Array lhs = array_of(ElementType::f32, {1, 4}, [](int64_t) { return 1; });
  const Array rhs = array_of(ElementType::f32, {4, 1}, [](int64_t) { return 1; });
  GroupedOptions options;
  options.tiling = GmmTiling{4, 1, 1};
  EXPECT_EQ(run_tgmm(lhs, rhs, {0, 4}, options)->out.at(0), 0);
  options.visit_empty = false;
  const auto skipped = run_tgmm(lhs, rhs, {0, 4}, options);
  EXPECT_TRUE(std::isnan(skipped->out.at(0)));
  EXPECT_EQ(skipped->states[0], OutputState::unwritten);
}

TEST(Gmm, LooksTilesUp) {
  const Array lhs = array_of(ElementType::f32, {4, 2}, [](int64_t) { return 1; });
  const Array rhs = array_of(ElementType::f32, {1, 2, 3}, [](int64_t) { return 1; });
  GroupedOptions options;
  options.tiling = [](int64_t m, int64_t k, int64_t n) -> std::optional<GmmTiling> {
    if (m == 4 && k == 2 && n == 3) return GmmTiling{2, 1, 3};
    return std::nullopt;
  };
  EXPECT_EQ(run_gmm(lhs, rhs, {4}, options)->shape.tiling, (GmmTiling{2, 1, 3}));
  const Array other = array_of(ElementType::f32, {1, 2, 4}, [](int64_t) { return 1; });
  EXPECT_EQ(run_gmm(lhs, other, {4}, options).error().what,
            "no tuned tiling found for (m, k, n) = (4, 2, 4)");
}

TEST(Grouped, ErrorsSayWhatWasGotAndExpected) {
  const auto zeros = [](std::vector<int64_t> dims, ElementType type = ElementType::f32) {
    return array_of(type, std::move(dims), [](int64_t) { return 0; });
  };
  GroupedOptions options;
  options.tiling = GmmTiling{4, 4, 4};
  const auto gmm_says = [&](const Array& lhs, const Array& rhs, const GroupedOptions& with) {
    const auto result = run_gmm(lhs, rhs, {4, 4}, with);
    return result.ok() ? std::string("no error") : result.error().what;
  };
  EXPECT_EQ(gmm_says(zeros({8, 2, 1}), zeros({2, 2, 3}), options),
            "expected 2-tensor for 'lhs' but got 3-tensor");
  EXPECT_EQ(gmm_says(zeros({8, 2}), zeros({2, 3}), options), "expected 3-tensor for 'rhs' but got 2-tensor");
  EXPECT_EQ(gmm_says(zeros({8, 2}), zeros({2, 3, 3}), options), "expected k of lhs = 2, got 3");
  EXPECT_EQ(gmm_says(Array::allocate(ElementType::f64, {8, 2}), zeros({2, 2, 3}), options),
            "expected bf16 or f32 for 'lhs' but got f64");
  EXPECT_EQ(gmm_says(zeros({8, 2}), zeros({3, 2, 3}), options),
            "expected 1 to 2 groups from group 0 on, got 3");
  GroupedOptions existing = options;
  existing.existing_out = zeros({8, 3}, ElementType::bf16);
  EXPECT_EQ(gmm_says(zeros({8, 2}), zeros({2, 2, 3}), existing),
            "existing output dtype must match preferred_element_type: got bf16, expected f32");
  existing.existing_out = zeros({8, 4});
  EXPECT_EQ(gmm_says(zeros({8, 2}), zeros({2, 2, 3}), existing), "expected [8,3], got [8,4]");
  const auto square = run_tgmm(zeros({2, 8}), zeros({2, 8, 3}), {4, 4}, options);
  EXPECT_EQ(square.error().what, "expected 2-tensor for 'rhs' but got 3-tensor");
}

TEST(Grouped, SameBitsOnAnyNumberOfThreads) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const Array lhs = array_of(ElementType::f32, {64, 37}, [&](int64_t) { return normal(random); });
  const Array rhs = array_of(ElementType::bf16, {5, 37, 29}, [&](int64_t) { return normal(random); });
  GroupedOptions options;
  options.tiling = GmmTiling{16, 16, 8};
  const std::vector<int64_t> sizes = {10, 0, 23, 17, 14};
  const auto one = gmm(lhs, rhs, sizes, options, Workers(1), {});
  const auto many = gmm(lhs, rhs, sizes, options, Workers(8), {});
  ASSERT_TRUE(one.ok() && many.ok());
  EXPECT_TRUE(one->out == many->out);
}

}  // namespace
}  // namespace shardscope::grouped_test
