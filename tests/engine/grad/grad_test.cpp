// SPDX-License-Identifier: Apache-2.0
// The module of a gradient: its parameters, results, refusals; modules made at random.
#include "engine/grad/grad.h"

#include <algorithm>
#include <random>

#include "tests/engine/grad/differences.h"

namespace shardscope::grad_test {
namespace {

const char* const kSquares =
    "HloModule m, input_output_alias={ {}: (0, {}, may-alias) }\n"
    "sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n"
    "ENTRY main {\n x = f32[4,3] parameter(0), sharding={devices=[2,1]<=[2]}\n w = f32[3,5] parameter(1)\n"
    " n = s32[] parameter(2)\n h = f32[4,5] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    " q = f32[4,5] multiply(h, h)\n z = f32[] constant(0)\n"
    " ROOT loss = f32[] reduce(q, z), dimensions={0,1}, to_apply=sum\n}\n";

std::vector<std::string> names(const std::vector<const Instruction*>& instructions) {
  std::vector<std::string> out;
  for (const Instruction* i : instructions) out.push_back(i->name);
  return out;
}
using Names = std::vector<std::string>;

Program gradient_of(const std::string& text, const GradRequest& request) {
  auto made = gradient(parsed(text), request);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().text());
  return made.ok() ? *std::move(made) : Program();
}

std::string refusal(const std::string& text, const GradRequest& request) {
  const auto made = gradient(parsed(text), request);
  EXPECT_FALSE(made.ok());
  return made.ok() ? "" : made.error().text();
}

TEST(GradientModule, KeepsAllParametersAndGivesGradientsInTheOrderAskedFor) {
  const Program made = gradient_of(kSquares, {"loss", {"w", "0"}});
  EXPECT_EQ(names(parameters_by_number(made.entry_computation())), (Names{"x", "w", "n"}));
  EXPECT_EQ(made.entry_computation().root_instruction().shape.text(), "(f32[3,5], f32[4,3])");
  EXPECT_EQ(made.verbatim.size(), 0U);
  EXPECT_TRUE(made.entry_computation().instructions[0].sharding.has_value());
}

TEST(GradientModule, OfAnArrayTakesItsCotangentAsOneParameterMore) {
  const Program made = gradient_of(kSquares, {"%h", {"x"}});
  EXPECT_EQ(names(parameters_by_number(made.entry_computation())), (Names{"x", "w", "n", "h.bar"}));
  EXPECT_EQ(made.entry_computation().root_instruction().shape.text(), "f32[4,3]");
}

TEST(GradientModule, OfWhatDoesNotMatterIsZero) {
  const Program made = gradient_of(
      "HloModule m\nENTRY main {\n x = f64[2] parameter(0)\n"
      " y = f64[] parameter(1)\n ROOT z = f64[] sine(y)\n}\n",
      {"z", {"x"}});
  const Arrays out = run(made, arguments_of(made, 1, true));
  EXPECT_EQ(out[0][0].at(0), 0);
  EXPECT_EQ(out[0][0].dims(), std::vector<int64_t>{2});
}

TEST(GradientModule, RefusalsNameTheInstructionAndWhatToSay) {
  EXPECT_EQ(refusal(kSquares, {"loss", {}}),
            "no parameter is named to differentiate by; --by; name at least one");
  EXPECT_EQ(refusal(kSquares, {"loss", {"v"}}), "no parameter is called 'v'; --by; name one of x, w, n");
  EXPECT_EQ(refusal(kSquares, {"loss", {"n"}}),
            "parameter 'n' is s32[], expected floating or complex numbers; --by");
  EXPECT_EQ(
      refusal(kSquares, {"cost", {"x"}}),
      "no result and no instruction of the entry is called 'cost'; --of; name an instruction, or a result "
      "by its number from 0 to 0");
  EXPECT_EQ(refusal("HloModule m\nENTRY main {\n x = f32[2] parameter(0)\n"
                    " ROOT y = f32[2] custom-call(x), custom_call_target=\"my_kernel\"\n}\n",
                    {"y", {"x"}}),
            "custom-call 'y' has no derivative: no derivative of this custom-call is known; instruction y");
  EXPECT_EQ(
      refusal("HloModule m\nc { s = (f32[], f32[]) parameter(0)\n a = f32[] get-tuple-element(s), index=0\n"
              " b = f32[] get-tuple-element(s), index=1\n ROOT l = pred[] compare(a, b), direction=LT }\n"
              "b { t = (f32[], f32[]) parameter(0)\n d = f32[] get-tuple-element(t), index=0\n"
              " e = f32[] get-tuple-element(t), index=1\n f = f32[] add(d, e)\n"
              " ROOT g = (f32[], f32[]) tuple(f, e) }\n"
              "ENTRY main {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n"
              " p = (f32[], f32[]) tuple(x, y)\n w = (f32[], f32[]) while(p), condition=c, body=b\n"
              " ROOT r = f32[] get-tuple-element(w), index=0\n}\n",
              {"r", {"x"}}),
      "'w' has rounds that depend on data, so it has no derivative; instruction w; say them in its "
      "backend_config: {\"known_trip_count\":{\"n\":\"8\"}}");
}

// Of a round y = x w, z = tanh(y), sin(z): x and z, x and y, x alone.
TEST(GradientModule, WhatIsComputedAgainIsNotKeptOfEachRound) {
  const std::string text =
      "HloModule m\nmore { s0 = (s32[], f32[4,4], f32[4,4]) parameter(0)\n"
      " n0 = s32[] get-tuple-element(s0), index=0\n k0 = s32[] constant(8)\n"
      " ROOT c0 = pred[] compare(n0, k0), direction=LT }\n"
      "round { s1 = (s32[], f32[4,4], f32[4,4]) parameter(0)\n n1 = s32[] get-tuple-element(s1), index=0\n"
      " x1 = f32[4,4] get-tuple-element(s1), index=1\n w1 = f32[4,4] get-tuple-element(s1), index=2\n"
      " y1 = f32[4,4] dot(x1, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      " z1 = f32[4,4] tanh(y1)\n a1 = f32[4,4] sine(z1)\n o1 = s32[] constant(1)\n m1 = s32[] add(n1, o1)\n"
      " ROOT t1 = (s32[], f32[4,4], f32[4,4]) tuple(m1, a1, w1) }\n"
      "ENTRY main {\n x = f32[4,4] parameter(0)\n w = f32[4,4] parameter(1)\n z = s32[] constant(0)\n"
      " t = (s32[], f32[4,4], f32[4,4]) tuple(z, x, w)\n"
      " r = (s32[], f32[4,4], f32[4,4]) while(t), condition=more, body=round\n"
      " ROOT y = f32[4,4] get-tuple-element(r), index=1\n}\n";
  const auto stacks = [&](Remat remat) {
    int count = 0;
    const Program made = gradient_of(text, {"y", {"x", "w"}, remat});
    for (const Instruction& i : made.entry_computation().instructions)
      if (i.name == "r")
        count = static_cast<int>(std::ranges::count_if(*i.shape.elements, [](const Shape& s) {
          return s.dims == std::vector<int64_t>{8, 4, 4};
        }));
    return count;
  };
  EXPECT_EQ(stacks(Remat::none), 2);
  EXPECT_EQ(stacks(Remat::dots), 2);
  EXPECT_EQ(stacks(Remat::all), 1);
}

// A module of square arrays: each line reads lines before it.
std::string random_module(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](size_t n) { return std::to_string(random() % n); };
  const std::vector<std::string> unary = {"tanh(v{})",
                                          "sine(v{})",
                                          "logistic(v{})",
                                          "negate(v{})",
                                          "transpose(v{}), dimensions={1,0}",
                                          "reverse(v{}), dimensions={0}",
                                          "call(v{}), to_apply=scaled",
                                          "fusion(v{}), kind=kLoop, calls=scaled"},
                                 binary = {
                                     "add(v{}, v{})",
                                     "multiply(v{}, v{})",
                                     "subtract(v{}, v{})",
                                     "maximum(v{}, v{})",
                                     "select(p, v{}, v{})",
                                     "dot(v{}, v{}), lhs_contracting_dims={1}, rhs_contracting_dims={0}"};
  std::string out =
      "HloModule m\nscaled { a = f64[4,4] parameter(0)\n b = f64[4,4] tanh(a)\n ROOT c = f64[4,4] "
      "multiply(a, b) }\n"
      "more { s0 = (s32[], f64[4,4], f64[4,4]) parameter(0)\n n0 = s32[] get-tuple-element(s0), index=0\n"
      " k0 = s32[] constant(3)\n ROOT c0 = pred[] compare(n0, k0), direction=LT }\n"
      "round { s1 = (s32[], f64[4,4], f64[4,4]) parameter(0)\n n1 = s32[] get-tuple-element(s1), index=0\n"
      " x1 = f64[4,4] get-tuple-element(s1), index=1\n w1 = f64[4,4] get-tuple-element(s1), index=2\n"
      " y1 = f64[4,4] dot(x1, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n z1 = f64[4,4] "
      "tanh(y1)\n"
      " o1 = s32[] constant(1)\n m1 = s32[] add(n1, o1)\n"
      " ROOT t1 = (s32[], f64[4,4], f64[4,4]) tuple(m1, z1, w1) }\n"
      "ENTRY main {\n v0 = f64[4,4] parameter(0)\n v1 = f64[4,4] parameter(1)\n p = pred[4,4] parameter(2)\n"
      " z = s32[] constant(0)\n";
  constexpr size_t kLines = 14;
  for (size_t line = 2; line < kLines; ++line) {
    const std::string name = "v" + std::to_string(line);
    if (random() % 8 == 0) {
      out += " t" + name + " = (s32[], f64[4,4], f64[4,4]) tuple(z, v" + below(line) + ", v" + below(line) +
             ")\n";
      out +=
          " w" + name + " = (s32[], f64[4,4], f64[4,4]) while(t" + name + "), condition=more, body=round\n";
      out += " " + name + " = f64[4,4] get-tuple-element(w" + name + "), index=1\n";
      continue;
    }
    const auto& kind = random() % 3 == 0 ? unary : binary;
    std::string text = kind[random() % kind.size()];
    for (size_t at = text.find("{}"); at != std::string::npos; at = text.find("{}"))
      text.replace(at, 2, below(line));
    out += " " + name + " = f64[4,4] " + text + "\n";
  }
  return out + " ROOT y = f64[4,4] tanh(v" + std::to_string(kLines - 1) + ")\n}\n";
}

TEST(GradientModule, ModulesMadeAtRandomGiveWhatDifferencesGive) {
  for (uint32_t seed = 0; seed < 100; ++seed)
    expect_differences(parsed(random_module(seed)), "seed " + std::to_string(seed), true,
                       static_cast<Remat>(seed % 3));
}

}  // namespace
}  // namespace shardscope::grad_test
