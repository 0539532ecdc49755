// SPDX-License-Identifier: Apache-2.0
// Every strategy on every mesh: equals the reference bit for bit, or says why it cannot run.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>

#include "engine/numerics/check/numerics.h"
#include "engine/strategies/strategy.h"

namespace shardscope::conformance_test {
namespace {

struct Extent {
  int64_t rows, cols;
  int64_t depth = 0;  // 0: the mesh has two axes
};
constexpr Extent kMeshes[] = {{1, 1}, {1, 4}, {4, 1}, {1, 8}, {8, 1}, {2, 2}, {2, 4}, {4, 2},
                              {3, 3}, {2, 3}, {3, 2}, {1, 3}, {3, 1}, {4, 4}, {6, 2}, {5, 1}};

// For strategies of three roles: squares with layers that divide their sides, and any other boxes.
constexpr Extent kBoxes[] = {{1, 1, 1}, {2, 2, 1}, {2, 2, 2}, {4, 4, 1}, {4, 4, 2}, {4, 4, 4}, {6, 6, 2},
                             {6, 6, 3}, {3, 3, 3}, {1, 2, 4}, {2, 3, 2}, {3, 1, 2}, {2, 2, 3}, {4, 2, 1}};

Mesh mesh_of(Extent e) {
  const std::string layers = e.depth > 0 ? ",depth=" + std::to_string(e.depth) : "";
  return *Mesh::parse("row=" + std::to_string(e.rows) + ",col=" + std::to_string(e.cols) + layers);
}

std::vector<Extent> every_mesh() {
  std::vector<Extent> all(std::begin(kMeshes), std::end(kMeshes));
  all.insert(all.end(), std::begin(kBoxes), std::end(kBoxes));
  return all;
}

std::shared_ptr<const ProblemData> data_of(const MatmulProblem& problem, const Workers& workers) {
  auto data = make_problem_data({problem, Fill::integers, 7, {}, {}, true}, workers, {});
  EXPECT_TRUE(data.ok()) << (data.ok() ? "" : data.error().text());
  return *data;
}

struct Types {
  ElementType dtype, accumulate;
  SumType sum = SumType::f32;
};
constexpr Types kTypes[] = {{ElementType::f32, ElementType::f32},
                            {ElementType::f64, ElementType::f64},
                            {ElementType::s32, ElementType::s32},
                            {ElementType::bf16, ElementType::f32},
                            {ElementType::f16, ElementType::f32},
                            {ElementType::bf16, ElementType::bf16},
                            {ElementType::s8, ElementType::s32},
                            {ElementType::f8e4m3fn, ElementType::f32},
                            {ElementType::bf16, ElementType::f32, SumType::result},
                            {ElementType::f16, ElementType::f32, SumType::result}};

class Conformance : public testing::TestWithParam<Types> {};

TEST_P(Conformance, EveryStrategyEqualsTheReferenceBitForBitOrIsRefused) {
  const Workers workers(2);
  std::map<std::string_view, int> ran;
  for (Extent extent : every_mesh()) {
    const int64_t layers = std::max<int64_t>(extent.depth, 1);
    const int64_t l = std::lcm(extent.rows, extent.cols) * layers;
    for (const Strategy& strategy : strategies()) {
      if (strategy.kind == StrategyKind::broken || (extent.depth > 0) != (strategy.roles.size() == 3))
        continue;
      MatmulProblem problem{4 * l, 8 * l, 12 * l, GetParam().dtype, GetParam().accumulate, GetParam().sum};
      if (strategy.id == "blockwise.gram") problem.n = problem.m;
      const auto program = strategy.plan(mesh_of(extent), problem, {});
      if (!program.ok()) {
        EXPECT_TRUE(program.error().text().starts_with(std::string(strategy.id) + ": "))
            << strategy.id << ": " << program.error().text();
        continue;
      }
      const auto data = data_of(problem, workers);
      const auto outcome = run_numerics(*program, *data, {}, workers, {});
      ASSERT_TRUE(outcome.ok()) << strategy.id << " on " << program->mesh.text() << ": "
                                << outcome.error().text();
      EXPECT_TRUE(outcome->report.checked);
      EXPECT_EQ(outcome->report.rtol, 0);
      EXPECT_TRUE(outcome->report.allclose)
          << strategy.id << " on " << program->mesh.text() << ": " << outcome->report.percent_bad
          << " % bad, " << outcome->report.worst_value << " for " << outcome->report.worst_reference;
      ++ran[strategy.id];
    }
  }
  for (const Strategy& strategy : strategies()) {
    if (strategy.kind == StrategyKind::broken) continue;
    EXPECT_GE(ran[strategy.id], 4) << strategy.id;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Conformance, testing::ValuesIn(kTypes), [](const auto& types) {
  return std::string(name(types.param.dtype)) + "_" + name(types.param.accumulate) +
         (types.param.sum == SumType::result ? "_sent_rounded" : "");
});

TEST(ConformanceThreads, NormalDataGivesTheSameBitsOnOneTwoAndEightThreads) {
  const Mesh mesh = mesh_of({2, 4});
  const MatmulProblem problem{64, 512, 192, ElementType::f32, ElementType::f32};
  const Workers one(1);
  const auto data = make_problem_data({problem, Fill::normal, 3, {}, {}, true}, one, {});
  ASSERT_TRUE(data.ok());
  for (const Strategy& strategy : strategies()) {
    const auto program = strategy.plan(mesh, problem, {});
    if (!program.ok() || strategy.kind != StrategyKind::matmul) continue;
    const auto expected = run_numerics(*program, **data, {}, one, {});
    ASSERT_TRUE(expected.ok()) << strategy.id;
    EXPECT_TRUE(expected->report.allclose) << strategy.id;
    for (int threads : {2, 8}) {
      const Workers workers(threads);
      const auto outcome = run_numerics(*program, **data, {}, workers, {});
      ASSERT_TRUE(outcome.ok()) << strategy.id;
      EXPECT_EQ(outcome->result, expected->result) << strategy.id << " on " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace shardscope::conformance_test
