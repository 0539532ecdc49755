// SPDX-License-Identifier: Apache-2.0
// What an observer of the interpreter is told.
#include <gtest/gtest.h>
#include <map>

#include "engine/numerics/check/gather_result.h"
#include "engine/numerics/rules/interpreter.h"
#include "engine/strategies/strategy.h"

namespace shardscope::observer_test {
namespace {

// How often each instruction was told of, and its first element on device 0 each time.
struct Told {
  std::map<std::string, int> times;
  std::map<std::string, std::vector<double>> first;
};

Told told_of(Interpreter& interpreter, const std::vector<std::vector<ViewPtr>>& parameters) {
  Told told;
  interpreter.observe([&](const Observed& o) {
    const Instruction& i = o.computation.at(o.instruction);
    ++told.times[i.name];
    if (!i.shape.is_tuple)
      told.first[i.name].push_back(copy_of(*interpreter.view_of(o.values[0], i.shape.type)).at(0));
  });
  EXPECT_TRUE(interpreter.run(parameters, {}).ok());
  return told;
}

TEST(Observer, SeesEveryTripOfALoopAndNoReducer) {
  const Result<Program> program = parse_program(R"(HloModule test, num_partitions=2
add_f32 {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
below {
  p1 = (s32[], f32[4]) parameter(0)
  i1 = s32[] get-tuple-element(p1), index=0
  n1 = s32[] constant(3)
  ROOT r1 = pred[] compare(i1, n1), direction=LT
}
grow {
  p2 = (s32[], f32[4]) parameter(0)
  i2 = s32[] get-tuple-element(p2), index=0
  one2 = s32[] constant(1)
  j2 = s32[] add(i2, one2)
  v2 = f32[4] get-tuple-element(p2), index=1
  w2 = f32[4] add(v2, v2)
  ROOT q2 = (s32[], f32[4]) tuple(j2, w2)
}
ENTRY main {
  x = f32[4] parameter(0)
  zero = s32[] constant(0)
  start = (s32[], f32[4]) tuple(zero, x)
  end = (s32[], f32[4]) while(start), condition=below, body=grow
  v = f32[4] get-tuple-element(end), index=1
  f = f32[] constant(0)
  ROOT sum = f32[] reduce(v, f), dimensions={0}, to_apply=add_f32
}
)");
  ASSERT_TRUE(program.ok()) << program.error().text();
  Array ones = Array::allocate(ElementType::f32, {4});
  for (float& e : ones.mutable_as<float>()) e = 1;
  const auto x = std::make_shared<const View>(View::of(ones));
  const Workers workers(1);
  Interpreter interpreter(*program, workers, false);
  const Told told = told_of(interpreter, {{x, x}});
  EXPECT_EQ(told.times.at("w2"), 3);
  EXPECT_EQ(told.times.at("r1"), 4);
  EXPECT_EQ(told.times.count("s"), 0);
  EXPECT_EQ(told.first.at("w2"), (std::vector<double>{2, 4, 8}));
  EXPECT_EQ(told.first.at("sum"), (std::vector<double>{32}));
}

// Y = Σ_k X[:,k] W[k,:] over four steps: unobserved, the dots are one product.
TEST(Observer, SeesEachTermOfASumOfDots) {
  const Result<const Strategy*> strategy = find_strategy("cannon.os");
  ASSERT_TRUE(strategy.ok());
  const Mesh mesh = *Mesh::parse("row=2,col=2");
  const MatmulProblem problem{4, 4, 4, ElementType::f32, ElementType::f32};
  const Result<Program> program = (*strategy)->plan(mesh, problem, {});
  ASSERT_TRUE(program.ok()) << program.error().text();
  const Workers workers(1);
  const auto data = make_problem_data({problem}, workers, {});
  ASSERT_TRUE(data.ok());
  const auto arrays = program_arrays(*program, **data, workers, {});
  const auto parameters = shard_inputs(*program, *arrays, workers, {});
  Interpreter interpreter(*program, workers, false);
  const Told told = told_of(interpreter, *parameters);
  for (const Instruction& i : program->entry_computation().instructions) EXPECT_EQ(told.times.at(i.name), 1);
}

}  // namespace
}  // namespace shardscope::observer_test
