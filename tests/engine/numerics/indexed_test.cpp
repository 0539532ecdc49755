// SPDX-License-Identifier: Apache-2.0
// Sorting by any comparison, scattering by any computation, and windows that choose where to add.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>

#include "engine/numerics/data/array_text.h"
#include "engine/numerics/rules/run_on_devices.h"

namespace shardscope::indexed_test {
namespace {

Result<std::vector<Array>> results(const std::string& text, const std::vector<Array>& arguments) {
  TRY(const Program module, parse_program("HloModule m\n" + text));
  std::vector<std::vector<Array>> by_device;
  for (const Array& argument : arguments) by_device.push_back({argument});
  const Workers workers(2);
  TRY(const auto leaves, run_on_devices(module, by_device, workers, {}));
  std::vector<Array> out;
  for (const auto& leaf : leaves) out.push_back(leaf.front());
  return out;
}

// Of the first leaf.
std::string run(const std::string& text, const std::vector<Array>& arguments) {
  const auto got = results(text, arguments);
  return got.ok() ? numpy_text(got->front()) : got.error().text();
}

Array array_of(const std::string& text, std::vector<int64_t> dims, ElementType type = ElementType::f32) {
  return *parse_array(text, type, std::move(dims));
}

// ---- sort

// By the absolute value, which another computation gives.
constexpr const char* kByAbsoluteValue = R"(
size { v = f32[] parameter(0)
  ROOT a = f32[] abs(v) }
less { p = f32[] parameter(0)
  q = f32[] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  pa = f32[] call(p), to_apply=size
  qa = f32[] call(q), to_apply=size
  ROOT l = pred[] compare(pa, qa), direction=LT }
)";

TEST(Sorting, AComparisonMayCallOthers) {
  const auto got = results(std::string(kByAbsoluteValue) +
                               "ENTRY e { x = f32[2,4] parameter(0)\n n = s32[2,4] iota(), iota_dimension=1\n"
                               " ROOT s = (f32[2,4], s32[2,4]) sort(x, n), dimensions={1}, is_stable=true, "
                               "to_apply=less }\n",
                           {array_of("[[-3,1,2,-1],[5,-5,0,4]]", {2, 4})});
  ASSERT_TRUE(got.ok()) << got.error().text();
  EXPECT_EQ(numpy_text(got->at(0)), "[[ 1. -1.  2. -3.]\n [ 0.  4.  5. -5.]]");
  EXPECT_EQ(numpy_text(got->at(1)), "[[1 3 2 0]\n [2 3 0 1]]");
}

// What is no order (nothing is less than itself, and NaN is less than nothing) neither hangs nor loses an
// element.
TEST(Sorting, AComparisonThatIsNoOrderStillGivesAllElements) {
  for (const char* compare : {"NE", "GE"}) {
    const auto got = results(fmt::format("less {{ p = f32[] parameter(0)\n q = f32[] parameter(1)\n"
                                         " n = f32[] negate(p)\n c = f32[] cosine(n)\n d = f32[] cosine(q)\n"
                                         " ROOT l = pred[] compare(c, d), direction={} }}\n"
                                         "ENTRY e {{ x = f32[7] parameter(0)\n"
                                         " ROOT s = f32[7] sort(x), dimensions={{0}}, to_apply=less }}\n",
                                         compare),
                             {array_of("[3,nan,1,2,nan,0,1]", {7})});
    ASSERT_TRUE(got.ok()) << got.error().text();
    std::vector<double> numbers;
    int nans = 0;
    for (int64_t e = 0; e < 7; ++e)
      if (got->front().at(e) == got->front().at(e))
        numbers.push_back(got->front().at(e));
      else
        ++nans;
    std::ranges::sort(numbers);
    EXPECT_EQ(numbers, (std::vector<double>{0, 1, 1, 2, 3})) << compare;
    EXPECT_EQ(nans, 2);
  }
}

TEST(Sorting, LongRowsOfAnyComparisonAreStable) {
  constexpr int64_t kLength = 20'000;
  Array keys = Array::allocate(ElementType::f32, {kLength});
  for (int64_t e = 0; e < kLength; ++e)
    keys.mutable_as<float>()[static_cast<size_t>(e)] = static_cast<float>((e * 7919) % 101 - 50);
  const auto got =
      results(std::string(kByAbsoluteValue) +
                  "ENTRY e { x = f32[20000] parameter(0)\n n = s32[20000] iota(), iota_dimension=0\n"
                  " ROOT s = (f32[20000], s32[20000]) sort(x, n), dimensions={0}, is_stable=true, "
                  "to_apply=less }\n",
              {keys});
  ASSERT_TRUE(got.ok()) << got.error().text();
  std::vector<int32_t> order(kLength);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int32_t e) { return std::abs(keys.at(e)); });
  EXPECT_TRUE(std::ranges::equal(got->at(1).as<int32_t>(), order));
}

// ---- scatter

TEST(Scattering, SeveralArraysAreCombinedTogether) {
  // Both at once: the sum of the first, and in the second the update that was greater there.
  const auto got = results(
      "both { a = f32[] parameter(0)\n m = s32[] parameter(1)\n u = f32[] parameter(2)\n"
      " v = s32[] parameter(3)\n s = f32[] add(a, u)\n g = s32[] maximum(m, v)\n"
      " ROOT t = (f32[], s32[]) tuple(s, g) }\n"
      "ENTRY e { x = f32[3] parameter(0)\n k = s32[3] parameter(1)\n i = s32[4,1] parameter(2)\n"
      " u = f32[4] parameter(3)\n v = s32[4] parameter(4)\n"
      " ROOT r = (f32[3], s32[3]) scatter(x, k, i, u, v), update_window_dims={}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=both }\n",
      {array_of("[1,2,3]", {3}), array_of("[5,5,5]", {3}, ElementType::s32),
       array_of("[[0],[2],[0],[3]]", {4, 1}, ElementType::s32), array_of("[10,20,30,40]", {4}),
       array_of("[4,6,9,99]", {4}, ElementType::s32)});
  ASSERT_TRUE(got.ok()) << got.error().text();
  EXPECT_EQ(numpy_text(got->at(0)), "[41.  2. 23.]");  // the place 3 is none
  EXPECT_EQ(numpy_text(got->at(1)), "[9 5 6]");
}

TEST(Scattering, AComputationOfOneParameterOnlyIsThatOfTheLastUpdate) {
  EXPECT_EQ(run("last { a = f32[] parameter(0)\n ROOT u = f32[] parameter(1) }\n"
                "ENTRY e { x = f32[3] parameter(0)\n i = s32[3,1] parameter(1)\n u = f32[3] parameter(2)\n"
                " ROOT r = f32[3] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
                "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=last }\n",
                {array_of("[1,2,3]", {3}), array_of("[[1],[0],[1]]", {3, 1}, ElementType::s32),
                 array_of("[7,8,9]", {3})}),
            "[8. 9. 3.]");
}

// ---- select-and-scatter

constexpr const char* kChoose = R"(
first { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT g = pred[] compare(a, b), direction=GE }
sum { c = f32[] parameter(0)
  d = f32[] parameter(1)
  ROOT s = f32[] add(c, d) }
)";

TEST(SelectingAndScattering, EveryWindowAddsWhereItsChosenElementIs) {
  const auto with = [](const char* window, const char* places, const Array& x, const Array& source) {
    return run(std::string(kChoose) +
                   fmt::format("ENTRY e {{ x = f32[6] parameter(0)\n s = f32[{}] parameter(1)\n"
                               " z = f32[] constant(0.5)\n"
                               " ROOT r = f32[6] select-and-scatter(x, s, z), window={{{}}}, select=first, "
                               "scatter=sum }}\n",
                               places, window),
               {x, source});
  };
  const Array x = array_of("[1,3,2,2,5,4]", {6});
  EXPECT_EQ(with("size=2 stride=2", "3", x, array_of("[10,20,30]", {3})),
            "[ 0.5 10.5 20.5  0.5 30.5  0.5]");  // of two equal ones the first
  // Windows that overlap add up where they choose the same element.
  EXPECT_EQ(with("size=3 stride=1", "4", x, array_of("[1,2,4,8]", {4})), "[ 0.5  3.5  0.5  0.5 12.5  0.5]");
  // What is beside the array is never chosen.
  EXPECT_EQ(with("size=3 stride=3 pad=1_2", "3", x, array_of("[1,2,4]", {3})), "[0.5 1.5 0.5 0.5 2.5 4.5]");
}

// ---- by element

TEST(Mapping, AComputationOfScalarsIsAppliedElementByElement) {
  EXPECT_EQ(run("f { a = f32[] parameter(0)\n b = f32[] parameter(1)\n d = f32[] subtract(a, b)\n"
                " ROOT m = f32[] multiply(d, b) }\n"
                "ENTRY e { x = f32[2,2] parameter(0)\n y = f32[2,2] parameter(1)\n"
                " ROOT r = f32[2,2] map(x, y), dimensions={0,1}, to_apply=f }\n",
                {array_of("[[1,2],[3,4]]", {2, 2}), array_of("[[5,6],[7,8]]", {2, 2})}),
            "[[-20. -24.]\n [-28. -32.]]");
}

// Random123's known answers of Threefry-2x32 with 20 rounds.
TEST(Threefry, GivesItsKnownAnswers) {
  const auto got = results(
      "ENTRY e { k0 = u32[3] parameter(0)\n k1 = u32[3] parameter(1)\n c0 = u32[3] parameter(2)\n"
      " c1 = u32[3] parameter(3)\n ROOT r = (u32[3], u32[3]) custom-call(k0, k1, c0, c1), "
      "custom_call_target=\"cu_threefry2x32_ffi\" }\n",
      {array_of("[0,4294967295,320440878]", {3}, ElementType::u32),
       array_of("[0,4294967295,57701188]", {3}, ElementType::u32),
       array_of("[0,4294967295,608135816]", {3}, ElementType::u32),
       array_of("[0,4294967295,2242054355]", {3}, ElementType::u32)});
  ASSERT_TRUE(got.ok()) << got.error().text();
  EXPECT_EQ(numpy_text(got->at(0)), "[1797259609  481924860 3297917596]");
  EXPECT_EQ(numpy_text(got->at(1)), "[2579123966 3137350631 1212020640]");
}

}  // namespace
}  // namespace shardscope::indexed_test
