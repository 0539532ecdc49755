// SPDX-License-Identifier: Apache-2.0
// A program that is executed again on the same parameters is a flat list of loops.
#include <gtest/gtest.h>

#include "engine/numerics/check/gather_result.h"
#include "engine/numerics/rules/interpreter.h"
#include "engine/program/ir/program.h"
#include "engine/strategies/strategy.h"

namespace shardscope::recording_test {
namespace {

using Parameters = std::vector<std::vector<ViewPtr>>;

Parameters parameters_of(const Program& program, ElementType type, uint64_t seed, const Workers& workers) {
  const MatmulProblem p{48, 96, 144, type, ElementType::f32};
  const auto data = make_problem_data({p, Fill::normal, seed, {}, {}, false}, workers, {});
  return shard_inputs(program, program_arrays(program, **data, workers, {}).value(), workers, {}).value();
}

std::vector<Array> arrays_of(const DeviceValues& root) {
  std::vector<Array> arrays;
  for (const DeviceValue& value : root) arrays.push_back(copy_of(*value.view));
  return arrays;
}

std::vector<Array> run(Interpreter& interpreter, const Parameters& parameters) {
  return arrays_of(interpreter.run(parameters, {}).value());
}

Program planned(std::string_view strategy, ElementType type) {
  return (*find_strategy(strategy))
      ->plan(*Mesh::parse("row=2,col=2"), {48, 96, 144, type, ElementType::f32}, {})
      .value();
}

TEST(Recording, GivesTheBitsOfTheFirstExecutionForEveryStrategy) {
  int compiled = 0;
  for (const ElementType type : {ElementType::f32, ElementType::bf16}) {
    for (const Strategy& strategy : strategies()) {
      const auto program =
          strategy.plan(*Mesh::parse("row=2,col=2"), {48, 96, 144, type, ElementType::f32}, {});
      if (strategy.kind != StrategyKind::matmul || !program.ok()) continue;
      for (const int threads : {1, 3}) {
        const Workers workers(threads);
        const Parameters parameters = parameters_of(*program, type, 1, workers);
        Interpreter interpreter(*program, workers, false);
        const std::vector<Array> first = run(interpreter, parameters);
        EXPECT_FALSE(interpreter.compiled()) << strategy.id;
        for (int again = 0; again < 3; ++again)
          EXPECT_EQ(run(interpreter, parameters), first) << strategy.id << ' ' << name(type) << ' ' << again;
        EXPECT_TRUE(interpreter.compiled()) << strategy.id;
        compiled += interpreter.compiled();
      }
    }
  }
  EXPECT_GE(compiled, 100);
}

TEST(Recording, NeverWritesIntoAResultThatSomebodyHolds) {
  const Workers workers(2);
  const Program program = planned("meshslice.ls", ElementType::f32);
  const Parameters parameters = parameters_of(program, ElementType::f32, 1, workers);
  Interpreter interpreter(program, workers, false);
  const std::vector<Array> first = run(interpreter, parameters);
  run(interpreter, parameters);
  ASSERT_TRUE(interpreter.compiled());
  const DeviceValues held = interpreter.run(parameters, {}).value();
  const View memory = *held.front().view;  // of the result, without the value that held it
  const DeviceValues next = interpreter.run(parameters, {}).value();
  EXPECT_NE(next.front().view->data(), memory.data());
  EXPECT_EQ(arrays_of(next), first);
  EXPECT_EQ(arrays_of(held), first);
}

TEST(Recording, EndsWithItsParameters) {
  const Workers workers(2);
  const Program program = planned("cannon.os", ElementType::f32);
  Interpreter interpreter(program, workers, false), fresh(program, workers, false);
  Parameters parameters = parameters_of(program, ElementType::f32, 1, workers);
  for (int i = 0; i < 3; ++i) run(interpreter, parameters);
  ASSERT_TRUE(interpreter.compiled());
  parameters = parameters_of(program, ElementType::f32, 2, workers);
  const std::vector<Array> others = run(interpreter, parameters);
  EXPECT_FALSE(interpreter.compiled());
  EXPECT_EQ(others, run(fresh, parameters));
}

TEST(Recording, IsNotThereWhereMoreThanLoopsTouchesElements) {
  const Workers workers(2);
  for (const auto& [body, compiles] :
       {std::pair("ROOT y = f32[4] add(x, x)", true),
        std::pair("ROOT y = f32[4] reverse(x), dimensions={0}", false),
        std::pair("i = f32[4] iota(), iota_dimension=0\nROOT y = f32[4] add(x, i)", false)}) {
    const Program program =
        parse_program("HloModule test, num_partitions=2\n\nENTRY main {\nx = f32[4] parameter(0)\n" +
                      std::string(body) + "\n}\n")
            .value();
    Array array = Array::allocate(ElementType::f32, {4});
    for (size_t i = 0; i < 4; ++i) array.mutable_as<float>()[i] = static_cast<float>(i);
    const Parameters parameters = {std::vector<ViewPtr>(2, std::make_shared<const View>(View::of(array)))};
    Interpreter interpreter(program, workers, false);
    const std::vector<Array> first = run(interpreter, parameters);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(run(interpreter, parameters), first) << body;
    EXPECT_EQ(interpreter.compiled(), compiles) << body;
  }
}

TEST(Recording, IsCancelledLikeAnyOther) {
  const Workers workers(2);
  const Program program = planned("cannon.os", ElementType::f32);
  const Parameters parameters = parameters_of(program, ElementType::f32, 1, workers);
  Interpreter interpreter(program, workers, false);
  const std::vector<Array> first = run(interpreter, parameters);
  run(interpreter, parameters);
  ASSERT_TRUE(interpreter.compiled());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(interpreter.run(parameters, stop.get_token()).ok());
  EXPECT_EQ(run(interpreter, parameters), first);
}

}  // namespace
}  // namespace shardscope::recording_test
