// SPDX-License-Identifier: Apache-2.0
// HLO's own factorisation and systems of equations, against what defines them.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/numerics/data/array_text.h"
#include "engine/numerics/rules/run_on_devices.h"

namespace shardscope::solve_test {
namespace {

Array array_of(const std::string& text, std::vector<int64_t> dims, ElementType type = ElementType::f64) {
  auto made = parse_array(text, type, std::move(dims));
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().text());
  return *std::move(made);
}

Result<std::vector<Array>> results(const std::string& text, const std::vector<Array>& arguments) {
  TRY(const Program module, parse_program(text));
  std::vector<std::vector<Array>> by_device;
  for (const Array& argument : arguments) by_device.push_back({argument});
  const Workers workers(2);
  TRY(const auto leaves, run_on_devices(module, by_device, workers, {}));
  std::vector<Array> out;
  for (const auto& leaf : leaves) out.push_back(leaf.front());
  return out;
}

// ---- Cholesky

std::string cholesky(const char* type, bool lower) {
  return fmt::format("HloModule m\nENTRY e {{ a = {0} parameter(0)\n ROOT c = {0} cholesky(a){1} }}\n", type,
                     lower ? ", lower=true" : "");
}

TEST(Solve, ACholeskyFactorIsOneTriangleAndReadsOneTriangle) {
  // What stands above the diagonal is not read, and zeros stand there afterwards.
  const Array lower = array_of("[[4,99],[2,5]]", {2, 2}), upper = array_of("[[4,2],[99,5]]", {2, 2});
  const auto l = results(cholesky("f64[2,2]", true), {lower});
  ASSERT_TRUE(l.ok()) << l.error().text();
  EXPECT_EQ(numpy_text(l->front()), "[[2. 0.]\n [1. 2.]]");
  const auto u = results(cholesky("f64[2,2]", false), {upper});
  ASSERT_TRUE(u.ok()) << u.error().text();
  EXPECT_EQ(numpy_text(u->front()), "[[2. 1.]\n [0. 2.]]");
}

TEST(Solve, WhereThereIsNoFactorItIsNoNumber) {
  // The other matrix of the batch has one.
  const auto l = results(cholesky("f32[2,2,2]", true),
                         {array_of("[[[1,0],[2,1]],[[9,0],[3,2]]]", {2, 2, 2}, ElementType::f32)});
  ASSERT_TRUE(l.ok()) << l.error().text();
  EXPECT_EQ(numpy_text(l->front()), "[[[nan  0.]\n  [nan nan]]\n\n [[ 3.  0.]\n  [ 1.  1.]]]");
}

TEST(Solve, MatricesWithoutRowsHaveAFactor) {
  const auto l = results(cholesky("f32[3,0,0]", true), {Array::allocate(ElementType::f32, {3, 0, 0})});
  ASSERT_TRUE(l.ok()) << l.error().text();
  EXPECT_EQ(l->front().element_count(), 0);
}

TEST(Solve, MatricesOfNarrowFloatsAreFactoredInWiderOnes) {
  const auto l = results(cholesky("bf16[2,2]", true), {array_of("[[4,0],[2,5]]", {2, 2}, ElementType::bf16)});
  ASSERT_TRUE(l.ok()) << l.error().text();
  EXPECT_EQ(l->front().type(), ElementType::bf16);
  EXPECT_EQ(numpy_text(l->front()), "[[2. 0.]\n [1. 2.]]");
}

// ---- triangular systems

struct Sides {
  bool left, lower, unit;
  const char* transpose;
};

// The matrix that the flags make of a: one triangle, perhaps ones on the diagonal, perhaps turned.
double element_of(const Sides& s, const Array& a, int64_t row, int64_t column) {
  if (s.transpose[0] != 'N') std::swap(row, column);
  if (row == column) return s.unit ? 1 : a.at(row * 3 + column);
  return (s.lower ? column < row : row < column) ? a.at(row * 3 + column) : 0;
}

void check_solves(const Sides& s) {
  const std::string shape = s.left ? "f64[3,2]" : "f64[2,3]";
  const std::string text = fmt::format(
      "HloModule m\nENTRY e {{ a = f64[3,3] parameter(0)\n b = {0} parameter(1)\n"
      " ROOT x = {0} triangular-solve(a, b){1}{2}{3}, transpose_a={4} }}\n",
      shape, s.left ? ", left_side=true" : "", s.lower ? ", lower=true" : "",
      s.unit ? ", unit_diagonal=true" : "", s.transpose);
  const Array a = array_of("[[2,1,3],[5,4,7],[6,-1,8]]", {3, 3});
  const Array b = array_of("[1,2,3,4,5,6]", {6}), shaped = s.left ? array_of("[[1,2],[3,4],[5,6]]", {3, 2})
                                                                  : array_of("[[1,2,3],[4,5,6]]", {2, 3});
  const auto x = results(text, {a, shaped});
  ASSERT_TRUE(x.ok()) << text << x.error().text();
  for (int64_t r = 0; r < (s.left ? 3 : 2); ++r)
    for (int64_t c = 0; c < (s.left ? 2 : 3); ++c) {
      double sum = 0;
      for (int64_t k = 0; k < 3; ++k)
        sum += s.left ? element_of(s, a, r, k) * x->front().at(k * 2 + c)
                      : x->front().at(r * 3 + k) * element_of(s, a, k, c);
      EXPECT_NEAR(sum, b.at(r * (s.left ? 2 : 3) + c), 1e-12) << text;
    }
}

TEST(Solve, EveryFormOfATriangularSystemIsSolved) {
  for (const bool left : {true, false})
    for (const bool lower : {true, false})
      for (const bool unit : {true, false})
        for (const char* transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"})
          check_solves({left, lower, unit, transpose});
}

TEST(Solve, AZeroOnTheDiagonalDividesByIt) {
  const auto x = results(
      "HloModule m\nENTRY e { a = f32[1,1] parameter(0)\n b = f32[1,2] parameter(1)\n"
      " ROOT x = f32[1,2] triangular-solve(a, b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE }\n",
      {array_of("[[0]]", {1, 1}, ElementType::f32), array_of("[[1,-1]]", {1, 2}, ElementType::f32)});
  ASSERT_TRUE(x.ok()) << x.error().text();
  EXPECT_TRUE(std::isinf(x->front().at(0)) && std::isinf(x->front().at(1)));
}

// ---- calls of LAPACK

std::string call(const std::string& operands, const std::string& shape, const std::string& target,
                 const std::string& config) {
  return "HloModule m\nENTRY e { a = f32[2,2] parameter(0)\n ROOT r = " + shape + " custom-call(" + operands +
         "), custom_call_target=\"" + target + "\", api_version=API_VERSION_TYPED_FFI, backend_config={" +
         config + "} }\n";
}

TEST(Solve, FactorsOfTheTwoSortsOfProcessorsAreTheSame) {
  const Array a = array_of("[[4,2],[2,5]]", {2, 2}, ElementType::f32);
  for (const auto& [target, config] :
       {std::pair("lapack_spotrf_ffi", "uplo = 76 : ui8"), std::pair("cusolver_potrf_ffi", "lower = true"),
        std::pair("hipsolver_potrf_ffi", "lower = true")}) {
    const auto got = results(call("a", "(f32[2,2], s32[])", target, config), {a});
    ASSERT_TRUE(got.ok()) << got.error().text();
    EXPECT_EQ(numpy_text(got->at(0)), "[[2. 2.]\n [1. 2.]]") << target;
    EXPECT_EQ(got->at(1).at(0), 0) << target;
  }
}

TEST(Solve, PivotsExchangeRowsOneAfterTheOther) {
  const auto got = results(
      "HloModule m\nENTRY e { p = s32[2,3] parameter(0)\n ROOT r = s32[2,4] custom-call(p), "
      "custom_call_target=\"cu_lu_pivots_to_permutation\" }\n",
      {array_of("[[1,2,3],[0,3,3]]", {2, 3}, ElementType::s32)});
  ASSERT_TRUE(got.ok()) << got.error().text();
  EXPECT_EQ(numpy_text(got->front()), "[[1 2 3 0]\n [0 3 1 2]]");
  // Pivots beyond the rows are left out.
  const auto beyond = results(
      "HloModule m\nENTRY e { p = s32[2] parameter(0)\n ROOT r = s32[2] custom-call(p), "
      "custom_call_target=\"cu_lu_pivots_to_permutation\" }\n",
      {array_of("[99,-7]", {2}, ElementType::s32)});
  ASSERT_TRUE(beyond.ok()) << beyond.error().text();
  EXPECT_EQ(numpy_text(beyond->front()), "[0 1]");
}

TEST(Solve, OptionsThatLapackDoesNotHaveAreRefused) {
  const Array a = array_of("[[4,2],[2,5]]", {2, 2}, ElementType::f32);
  for (const char* config :
       {"uplo = 90 : ui8", "uplo = 1 : ui8", "uplo = -5 : si8", "", "uplo = 99999999999999999999 : ui8"}) {
    const auto got = results(call("a", "(f32[2,2], s32[])", "lapack_spotrf_ffi", config), {a});
    ASSERT_FALSE(got.ok()) << config;
    EXPECT_NE(got.error().text().find("whose options are not those of LAPACK"), std::string::npos)
        << got.error().text();
  }
}

TEST(Solve, WhatIsNoBatchOfTheCallsMatricesIsRefused) {
  const Array a = array_of("[[4,2],[2,5]]", {2, 2}, ElementType::f32);
  const std::string all = "diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8";
  for (const auto& [operands, shape, target, config] :
       {std::tuple("a", "(f32[2,2], f32[])", "lapack_spotrf_ffi", std::string("uplo = 76 : ui8")),
        std::tuple("a", "f32[2,2]", "lapack_spotrf_ffi", std::string("uplo = 76 : ui8")),
        std::tuple("a", "(f32[2,2], s32[2])", "lapack_spotrf_ffi", std::string("uplo = 76 : ui8")),
        std::tuple("a", "f32[2,2]", "lapack_strsm_ffi", all),
        std::tuple("a, a", "f32[2,3]", "lapack_strsm_ffi", all),
        std::tuple("a, a", "f32[2,2]", "lapack_sorgqr_ffi", std::string()),
        std::tuple("a", "(f32[2,2], f32[2], s32[])", "lapack_sgehrd_ffi",
                   std::string("low = 0 : i32, high = 2 : i32")),
        std::tuple("a", "(f32[2,2], f32[1], s32[])", "lapack_sgehrd_ffi",
                   std::string("low = 1 : i32, high = 9 : i32")),
        std::tuple("a", "(f32[2,2], s32[5], s32[])", "lapack_sgetrf_ffi", std::string())}) {
    const auto got = results(call(operands, shape, target, config), {a});
    ASSERT_FALSE(got.ok()) << target << " " << shape;
    EXPECT_NE(got.error().text().find("cannot run custom-call of "), std::string::npos) << got.error().text();
  }
}

}  // namespace
}  // namespace shardscope::solve_test
