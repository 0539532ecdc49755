// SPDX-License-Identifier: Apache-2.0
// Arrays as numpy prints them, and as somebody types them.
#include "engine/numerics/data/array_text.h"

#include <cmath>
#include <complex>
#include <gtest/gtest.h>
#include <numeric>

#include "engine/numerics/array/drawn.h"
#include "engine/numerics/array/element.h"

namespace shardscope::array_text_test {
namespace {

Array array_of(ElementType type, std::vector<int64_t> dims, const std::vector<double>& values) {
  Array out = Array::allocate(type, std::move(dims));
  element::visit(type, [&](auto tag) {
    using Tag = decltype(tag);
    for (size_t k = 0; k < values.size(); ++k)
      out.template mutable_as<typename Tag::Stored>()[k] =
          Tag::store(static_cast<typename Tag::Computed>(values[k]));
  });
  return out;
}

std::string f32(const std::vector<double>& values) {
  return numpy_text(array_of(ElementType::f32, {static_cast<int64_t>(values.size())}, values));
}

std::vector<double> counted(int64_t count) {
  std::vector<double> out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), 0.0);
  return out;
}

Array c64(const std::vector<int64_t>& dims, const std::vector<std::complex<float>>& values) {
  Array out = Array::allocate(ElementType::c64, dims);
  std::copy(values.begin(), values.end(), out.mutable_as<std::complex<float>>().begin());
  return out;
}

TEST(NumpyText, ComplexNumbersStandAsNumpyPrintsThem) {
  constexpr float inf = HUGE_VALF, nan = NAN;
  EXPECT_EQ(numpy_text(c64({2}, {{1, 2}, {-3.5, -0.25}})), "[ 1. +2.j   -3.5-0.25j]");
  EXPECT_EQ(numpy_text(c64({2}, {{1e-5F, 1e5F}, {0, 2}})), "[1.e-05+1.e+05j 0.e+00+2.e+00j]");
  EXPECT_EQ(numpy_text(c64({2, 2}, {{1, 0}, {nan, 1}, {inf, -inf}, {0, 0}})),
            "[[ 1. +0.j nan +1.j]\n [inf-infj  0. +0.j]]");
  EXPECT_EQ(numpy_text(c64({1}, {{0.1F, 1.0F / 3}})), "[0.1+0.33333334j]");
  EXPECT_EQ(numpy_text(c64({}, {{1, 2}})), "(1+2j)");
  EXPECT_EQ(numpy_text(c64({}, {{0, -1.5}})), "-1.5j");
  EXPECT_EQ(numpy_text(c64({}, {{-0.0F, 2}})), "(-0+2j)");
  EXPECT_EQ(numpy_text(c64({}, {{1, nan}})), "(1+nanj)");
}

TEST(ParseArray, ReadsComplexNumbersInAnyOfTheirWords) {
  const Array wanted = c64({4}, {{1, 2}, {0, -0.5}, {3, 0}, {-1e3F, 2e-1F}});
  for (const char* text : {"[(1,2), -0.5j, 3, -1e3+2e-1j]", "[1+2j, (0,-0.5), (3, 0), (-1e3,2e-1)]",
                           "{(1+2j), -0.5i, 3, -1e+3+2e-1j}"}) {
    const auto got = parse_array(text, ElementType::c64, {4});
    ASSERT_TRUE(got.ok()) << text << ": " << got.error().text();
    EXPECT_EQ(*got, wanted) << text;
  }
  for (const char* text : {"1+2", "(1,2", "j", "(1,2,3)", "(a,b)", "1+2jj"})
    EXPECT_FALSE(parse_array(text, ElementType::c64, {}).ok()) << text;
}

TEST(ParseArray, KnowsTheRangeOfIntegersOfFewBits) {
  EXPECT_EQ(parse_array("-8", ElementType::s4, {})->at(0), -8);
  EXPECT_EQ(parse_array("3", ElementType::u2, {})->at(0), 3);
  for (const auto& [text, type] : {std::pair("8", ElementType::s4),
                                   {"4", ElementType::u2},
                                   {"-1", ElementType::u4},
                                   {"1", ElementType::s1}})
    EXPECT_FALSE(parse_array(text, type, {}).ok()) << text;
}

TEST(NumpyText, ColumnsAreAsWideAsTheWidestNumber) {
  EXPECT_EQ(f32({1, 2.5, 3}), "[1.  2.5 3. ]");
  EXPECT_EQ(f32({-1, 10}), "[-1. 10.]");
  EXPECT_EQ(f32({0.1}), "[0.1]");
  EXPECT_EQ(f32({1.0 / 3}), "[0.33333334]");
  EXPECT_EQ(numpy_text(array_of(ElementType::f64, {1}, {2.0 / 3})), "[0.66666667]");
  EXPECT_EQ(numpy_text(array_of(ElementType::f16, {1}, {1.0 / 3})), "[0.3333]");
  EXPECT_EQ(numpy_text(array_of(ElementType::f32, {1, 1}, {12})), "[[12.]]");
  EXPECT_EQ(numpy_text(array_of(ElementType::f32, {3, 4}, counted(12))),
            "[[ 0.  1.  2.  3.]\n [ 4.  5.  6.  7.]\n [ 8.  9. 10. 11.]]");
  EXPECT_EQ(numpy_text(array_of(ElementType::f32, {2, 2, 2}, std::vector<double>(8, 0))),
            "[[[0. 0.]\n  [0. 0.]]\n\n [[0. 0.]\n  [0. 0.]]]");
}

TEST(NumpyText, SizesThatAreFarApartHaveExponents) {
  EXPECT_EQ(f32({1e-5, 1}), "[1.e-05 1.e+00]");
  EXPECT_EQ(f32({1.5, 1e10}), "[1.5e+00 1.0e+10]");
  EXPECT_EQ(f32({98304, 98304}), "[98304. 98304.]");
  EXPECT_EQ(f32({1, 1000}), "[   1. 1000.]");
  EXPECT_EQ(f32({0.5, 1000}), "[5.e-01 1.e+03]");
}

TEST(NumpyText, WhatIsNoNumberIsSaidInTheSameWidth) {
  EXPECT_EQ(f32({NAN, 1, -HUGE_VAL}), "[ nan   1. -inf]");
  EXPECT_EQ(f32({NAN, HUGE_VAL}), "[nan inf]");
  EXPECT_EQ(f32({-0.0, 1}), "[-0.  1.]");
}

TEST(NumpyText, WholeNumbersAndTruthValues) {
  EXPECT_EQ(numpy_text(array_of(ElementType::s32, {2, 2}, {0, 1, 4, -9})), "[[ 0  1]\n [ 4 -9]]");
  EXPECT_EQ(numpy_text(array_of(ElementType::u8, {2}, {0, 255})), "[  0 255]");
  EXPECT_EQ(numpy_text(array_of(ElementType::pred, {2}, {1, 0})), "[ True False]");
  EXPECT_EQ(numpy_text(array_of(ElementType::s32, {}, {12})), "12");
  EXPECT_EQ(numpy_text(array_of(ElementType::f32, {}, {12})), "12.0");
  EXPECT_EQ(numpy_text(array_of(ElementType::pred, {}, {1})), "True");
  EXPECT_EQ(numpy_text(Array::allocate(ElementType::f32, {0, 3})), "[]");
}

TEST(NumpyText, LongRowsAreWrappedAndLargeArraysCut) {
  EXPECT_EQ(numpy_text(array_of(ElementType::s32, {30}, counted(30))),
            "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
            " 24 25 26 27 28 29]");
  EXPECT_EQ(numpy_text(array_of(ElementType::s32, {2000}, counted(2000))),
            "[   0    1    2 ... 1997 1998 1999]");
  const std::string row = "[0. 0. 0. ... 0. 0. 0.]";
  EXPECT_EQ(numpy_text(array_of(ElementType::f32, {40, 40}, std::vector<double>(1600, 0))),
            "[" + row + "\n " + row + "\n " + row + "\n ...\n " + row + "\n " + row + "\n " + row + "]");
}

TEST(TypedArrays, OneNumberFillsAndBracketsAreTheShape) {
  const std::vector<int64_t> dims{2, 2};
  EXPECT_EQ(*parse_array("3", ElementType::f32, dims), array_of(ElementType::f32, dims, {3, 3, 3, 3}));
  EXPECT_EQ(*parse_array(" [[1, 2], [3, 4.5]] ", ElementType::f32, dims),
            array_of(ElementType::f32, dims, {1, 2, 3, 4.5}));
  EXPECT_EQ(*parse_array("{{1,2},{3,4}}", ElementType::s32, dims),
            array_of(ElementType::s32, dims, {1, 2, 3, 4}));
  EXPECT_EQ(*parse_array("[true,0]", ElementType::pred, {2}), array_of(ElementType::pred, {2}, {1, 0}));
  EXPECT_EQ(parse_array("[18446744073709551615]", ElementType::u64, {1})->as<uint64_t>()[0], UINT64_MAX);
  EXPECT_EQ(*parse_array("-2", ElementType::s8, {}), array_of(ElementType::s8, {}, {-2}));
  EXPECT_EQ(parse_array("inf", ElementType::bf16, {})->at(0), HUGE_VAL);
}

TEST(TypedArrays, WhatDoesNotFitSaysWhatWasExpected) {
  const auto refused = [](const char* text, ElementType type) {
    const auto out = parse_array(text, type, {2, 2});
    return out.ok() ? std::string() : out.error().text();
  };
  EXPECT_EQ(refused("[1,2,3]", ElementType::f32), "expected f32[2,2], got f32[3]");
  EXPECT_EQ(refused("[[1,2,3],[4,5,6]]", ElementType::f32), "expected f32[2,2], got f32[2,3]");
  EXPECT_EQ(refused("[[1,2],[3]]", ElementType::f32), "rows are of different lengths");
  EXPECT_EQ(refused("[1,[2]]", ElementType::f32), "rows are of different lengths");
  EXPECT_EQ(refused("[[1],2]", ElementType::f32), "rows are of different lengths");
  EXPECT_EQ(refused("2.5", ElementType::s32), "expected s32[2,2], and '2.5' is not a value of s32");
  EXPECT_EQ(refused("300", ElementType::s8), "expected s8[2,2], and '300' is not a value of s8");
  EXPECT_EQ(refused("-1", ElementType::u8), "expected u8[2,2], and '-1' is not a value of u8");
  EXPECT_EQ(refused("2", ElementType::pred), "expected pred[2,2], and '2' is not a value of pred");
  EXPECT_NE(refused("[[1,2],[3,4]", ElementType::f32), "");
  EXPECT_NE(refused("[[1,2],[3,4]]]", ElementType::f32), "");
  EXPECT_NE(refused("", ElementType::f32), "");
  EXPECT_NE(refused("[,1]", ElementType::f32), "");
  EXPECT_NE(refused(std::string(1000, '[').c_str(), ElementType::f32), "");
}

TEST(ElidedConstants, ASeedIsReadBackAndDrawsTheSameOnAnyNumberOfThreads) {
  EXPECT_EQ(elided_seed("{...}"), 0U);
  EXPECT_EQ(elided_seed(elided_literal(42)), 42U);
  for (const char* text : {"{1, 2}", "3", "{...", "{... 1}", "{...#}", "{...#x}"})
    EXPECT_EQ(elided_seed(text), std::nullopt) << text;
  const Array one = drawn_array(ElementType::f32, {300, 300}, 7, Workers(1));
  EXPECT_EQ(one, drawn_array(ElementType::f32, {300, 300}, 7, Workers(4)));
  EXPECT_FALSE(one == drawn_array(ElementType::f32, {300, 300}, 8, Workers(1)));
}

}  // namespace
}  // namespace shardscope::array_text_test
