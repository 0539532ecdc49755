// SPDX-License-Identifier: Apache-2.0
// Ragged exchanges and grouped products: values, and tables that contradict each other.
#include <gtest/gtest.h>

#include "engine/numerics/check/grouped_reference.h"
#include "engine/numerics/check/numerics.h"
#include "engine/strategies/strategy.h"

namespace shardscope::ragged_test {
namespace {

const Workers kWorkers(2);

Program planned(const char* mesh, const MatmulProblem& p) {
  auto program = (*find_strategy("moe.expert_parallel"))->plan(*Mesh::parse(mesh), p, {});
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? *program : Program();
}

Result<NumericsOutcome> outcome_of(const Program& program, const MatmulProblem& p, Fill fill) {
  const auto data = make_problem_data({p, fill, 5, {}, {}, true}, kWorkers, {});
  EXPECT_TRUE(data.ok());
  return run_numerics(program, **data, {}, kWorkers, {});
}

TEST(GroupedReference, MultipliesEachRowByItsGroupsMatrix) {
  const Definition d = *parse_definition("Y[m,n] = X[m,k] W[e,k,n] where e[m] = 2:1 0:2 2:1");
  Array X = Array::allocate(ElementType::f64, {4, 2}), W = Array::allocate(ElementType::f64, {6, 3});
  for (int64_t i = 0; i < 8; ++i) X.mutable_as<double>()[static_cast<size_t>(i)] = static_cast<double>(i + 1);
  for (int64_t i = 0; i < 18; ++i)
    W.mutable_as<double>()[static_cast<size_t>(i)] = static_cast<double>(i * i);
  const auto Y = grouped_reference(d, X, W, kWorkers, {});
  ASSERT_TRUE(Y.ok());
  const int64_t groups[] = {2, 0, 0, 2};
  for (int64_t m = 0; m < 4; ++m) {
    for (int64_t n = 0; n < 3; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < 2; ++k) sum += X.at(m * 2 + k) * W.at((groups[m] * 2 + k) * 3 + n);
      EXPECT_EQ(Y->at(m * 3 + n), sum);
    }
  }
  const auto error = [&](const char* text) {
    return grouped_reference(*parse_definition(text), X, W, kWorkers, {}).error().text();
  };
  EXPECT_EQ(error("Y[m,n] = X[m,k] W[e,k,n] where e[m] = 0:3"),
            "the definition of Y has groups of 3 rows, expected 4");
  EXPECT_EQ(error("Y[m,n] = X[m,k] W[e,k,n] where e[m] = 3:4"), "the definition of Y names group 3 of 3");
}

TEST(ExpertParallelNumerics, NormalDataIsCloseInEveryType) {
  for (const auto& [type, accumulate] :
       {std::pair{ElementType::f32, ElementType::f32}, std::pair{ElementType::f64, ElementType::f64},
        std::pair{ElementType::bf16, ElementType::f32}, std::pair{ElementType::f16, ElementType::f32}}) {
    const MatmulProblem p{512, 96, 64, type, accumulate};
    const auto outcome = outcome_of(planned("t=8", p), p, Fill::normal);
    ASSERT_TRUE(outcome.ok()) << outcome.error().text();
    EXPECT_TRUE(outcome->report.allclose) << name(type) << " " << outcome->report.percent_bad << " % bad";
  }
}

// Experts that a definition sends elsewhere make other results.
TEST(ExpertParallelNumerics, AnotherRoutingIsNoticed) {
  const MatmulProblem p{64, 16, 16, ElementType::f32, ElementType::f32};
  Program program = planned("t=2", p);
  EXPECT_TRUE(outcome_of(program, p, Fill::integers)->report.allclose);
  std::string& definition = program.definitions[0];
  const size_t first = definition.find("= 0:");
  ASSERT_NE(first, std::string::npos) << definition;
  definition[first + 2] = '3';
  EXPECT_FALSE(outcome_of(program, p, Fill::integers)->report.allclose);
}

TEST(ExpertParallelNumerics, TablesThatContradictEachOtherAreRefused) {
  const MatmulProblem p{64, 16, 16, ElementType::f32, ElementType::f32};
  const Program good = planned("t=2", p);
  // The tables in the order in which they are written: group sizes, offsets, sizes, offsets, sizes received.
  const auto error_with = [&](int table, const std::string& first) -> std::string {
    Program program = good;
    int seen = 0;
    for (Instruction& i : program.computations.back().instructions) {
      if (i.opcode != Opcode::constant || i.shape.rank() != 2 || seen++ != table) continue;
      const size_t start = i.literal->find("{ {") + 3;
      i.literal.edit().replace(start, i.literal->find(',', start) - start, first);
    }
    const auto outcome = outcome_of(program, p, Fill::integers);
    if (!outcome.ok()) return outcome.error().text();
    return outcome->report.allclose ? "right" : "wrong numbers";
  };
  EXPECT_EQ(error_with(0, "1000"), "wrong numbers") << "a group has the rows that there are";
  EXPECT_NE(error_with(1, "1000").find(" do not exist; %ragged-all-to-all.1"), std::string::npos);
  EXPECT_NE(error_with(2, "1").find("device 0 expects "), std::string::npos);
  EXPECT_NE(error_with(3, "-1").find(" do not exist; %ragged-all-to-all.1"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::ragged_test
