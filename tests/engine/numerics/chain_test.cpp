// SPDX-License-Identifier: Apache-2.0
// The reference of a chain follows from its definitions, and it sees every output.
#include <gtest/gtest.h>

#include "engine/numerics/check/program_arrays.h"
#include "engine/numerics/data/sparse_fill.h"
#include "engine/strategies/strategy.h"

namespace shardscope::chain_test {
namespace {

const Workers kWorkers(2);

Program planned(const char* id, const char* mesh, const MatmulProblem& p) {
  auto program = (*find_strategy(id))->plan(*Mesh::parse(mesh), p, {});
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  return program.ok() ? *program : Program();
}

std::shared_ptr<const ProblemData> data_of(const MatmulProblem& p, Fill fill) {
  auto data = make_problem_data({p, fill, 5, {}, {}, true}, kWorkers, {});
  EXPECT_TRUE(data.ok());
  return *data;
}

NumericsReport checked(const Program& program, const MatmulProblem& p, Fill fill) {
  const auto outcome = run_numerics(program, *data_of(p, fill), {}, kWorkers, {});
  EXPECT_TRUE(outcome.ok()) << (outcome.ok() ? "" : outcome.error().text());
  return outcome.ok() ? outcome->report : NumericsReport();
}

double value(const Array& a, int64_t i, int64_t j) {
  return a.at(i * a.dims()[1] + j);
}

TEST(ChainReference, IsWhatTheDefinitionsSayElementByElement) {
  const MatmulProblem p{6, 10, 8, ElementType::f64, ElementType::f64};
  const auto made =
      program_arrays(planned("chain.collective", "row=1,col=2", p), *data_of(p, Fill::normal), kWorkers, {});
  ASSERT_TRUE(made.ok());
  const Array &X = made->by_symbol.at("X"), &W = made->by_symbol.at("W"), &Y = made->by_symbol.at("Y"),
              &dX = made->by_symbol.at("dX"), &dW = made->by_symbol.at("dW");
  ASSERT_EQ(dX.dims(), X.dims());
  ASSERT_EQ(dW.dims(), W.dims());
  for (int64_t m = 0; m < p.m; ++m) {
    for (int64_t k = 0; k < p.k; ++k) {
      double sum = 0;
      for (int64_t n = 0; n < p.n; ++n) sum += value(Y, m, n) * value(W, k, n);
      EXPECT_NEAR(value(dX, m, k), sum, 1e-12 * (1 + std::abs(sum)));
    }
  }
  for (int64_t k = 0; k < p.k; ++k) {
    for (int64_t n = 0; n < p.n; ++n) {
      double sum = 0;
      for (int64_t m = 0; m < p.m; ++m) sum += value(X, m, k) * value(Y, m, n);
      EXPECT_NEAR(value(dW, k, n), sum, 1e-12 * (1 + std::abs(sum)));
    }
  }
}

TEST(ChainReference, TakesThePositivePartWhereADefinitionSaysRelu) {
  const MatmulProblem p{6, 10, 8, ElementType::f32, ElementType::f32};
  const auto made =
      program_arrays(planned("megatron.mlp", "t=2", p), *data_of(p, Fill::normal), kWorkers, {});
  ASSERT_TRUE(made.ok());
  const Array& H = made->by_symbol.at("H");
  int64_t zeros = 0;
  for (int64_t i = 0; i < H.element_count(); ++i) {
    EXPECT_GE(H.at(i), 0);
    zeros += H.at(i) == 0 ? 1 : 0;
  }
  EXPECT_GT(zeros, 0);
  EXPECT_LT(zeros, H.element_count());
}

TEST(ChainNumerics, NormalDataIsCloseInEveryType) {
  for (const auto& [type, accumulate] :
       {std::pair{ElementType::f32, ElementType::f32}, std::pair{ElementType::f64, ElementType::f64},
        std::pair{ElementType::bf16, ElementType::f32}, std::pair{ElementType::f16, ElementType::f32}}) {
    const MatmulProblem p{64, 96, 128, type, accumulate};
    for (const char* id : {"chain.collective", "chain.wang", "chain.meshslice", "chain.reshard",
                           "megatron.sequence", "transformer.block"}) {
      const NumericsReport report = checked(planned(id, "row=2,col=4", p), p, Fill::normal);
      EXPECT_TRUE(report.allclose) << id << " " << name(type) << ": " << report.array << " "
                                   << report.percent_bad << " % bad";
    }
  }
}

TEST(ChainNumerics, AWrongOutputIsFoundAndNamed) {
  const MatmulProblem p{16, 32, 32, ElementType::f32, ElementType::f32};
  Program program = planned("chain.wang", "row=2,col=2", p);
  EXPECT_TRUE(checked(program, p, Fill::integers).allclose);
  // The weight gradient of the data gradient is another array of the same shape.
  program.definitions[2] = "dW[k,n] = dX[m,k] Y[m,n]";
  const NumericsReport report = checked(program, p, Fill::integers);
  EXPECT_FALSE(report.allclose);
  EXPECT_EQ(report.array, "dW");
  EXPECT_GT(report.percent_bad, 1);
}

TEST(ChainNumerics, ADefinitionThatFitsNothingIsAnError) {
  const MatmulProblem p{16, 32, 64, ElementType::f32, ElementType::f32};
  const Program good = planned("chain.wang", "row=2,col=2", p);
  const auto error = [&](const char* definition) {
    Program program = good;
    program.definitions[2] = definition;
    const auto outcome = run_numerics(program, *data_of(p, Fill::normal), {}, kWorkers, {});
    return outcome.ok() ? "ran" : outcome.error().text();
  };
  EXPECT_EQ(error("dW[k,n] = Z[m,k] Y[m,n]"),
            "the definition of dW uses Z, which no input and no definition before it is");
  EXPECT_EQ(error("dW[k,n] = X[k,m] Y[m,n]"), "the definition of dW sums over 32 and 16 elements");
  EXPECT_EQ(error("Z[k,n] = X[m,k] Y[m,n]"), "no definition says what dW is; chain.wang; say --numerics off");
}

TEST(SparseFill, HasAtMostSoManyTermsInEveryRowAndColumn) {
  for (const int64_t terms : {1, 4, 16}) {
    const Array a = sparse_matrix(ElementType::bf16, 48, 80, terms, 11, kWorkers);
    int64_t all = 0;
    for (int64_t i = 0; i < 48; ++i) {
      int64_t in_row = 0;
      for (int64_t j = 0; j < 80; ++j) in_row += value(a, i, j) != 0 ? 1 : 0;
      EXPECT_LE(in_row, terms);
      EXPECT_GE(in_row, 1);
      all += in_row;
    }
    for (int64_t j = 0; j < 80; ++j) {
      int64_t in_column = 0;
      for (int64_t i = 0; i < 48; ++i) in_column += value(a, i, j) != 0 ? 1 : 0;
      EXPECT_LE(in_column, terms);
    }
    EXPECT_EQ(all, 48 * terms);
  }
}

TEST(SparseFill, KeepsTheLongestSumOfAChainExact) {
  const MatmulProblem p{512, 3072, 12288, ElementType::bf16, ElementType::f32};
  const Program step = planned("chain.collective", "row=2,col=4", p);
  EXPECT_EQ(*largest_terms(step, 256), 16);       // dX, dW <= 16·16
  EXPECT_GT(*largest_terms(step, 0x1p24), 3072);  // dX <= 3072·12288... bounded by 2^24 with 4096 terms
  const Program block = planned("transformer.block", "row=2,col=4", p);
  EXPECT_EQ(*largest_terms(block, 256), 4);  // V, A, H, Y: 4 products in a row
}

}  // namespace
}  // namespace shardscope::chain_test
