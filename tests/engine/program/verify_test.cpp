// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/program/ir/program.h"

namespace shardscope::verify_test {
namespace {

// An entry on four devices with x f32[4,8], s s32[] and reducers to choose from.
std::string module_of(const std::string& lines) {
  return "HloModule m, num_partitions=4\n"
         "sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n"
         "greater { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = pred[] compare(a, b), "
         "direction=GE }\n"
         "odd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] power(a, b) }\n"
         "ENTRY main {\n x = f32[4,8] parameter(0)\n s = s32[] parameter(1)\n z = f32[] constant(0)\n" +
         lines + "\n}\n";
}

std::string refusal(const std::string& lines) {
  const auto program = parse_program(module_of(lines));
  if (!program.ok()) return "parser: " + program.error().text();
  const auto verified = verify(*program);
  return verified.ok() ? "accepted" : verified.error().what;
}

TEST(Verify, AcceptsWhatHloAllows) {
  for (const char* line :
       {"r = f32[8,4] reshape(x)",
        "r = f32[8,4] transpose(x), dimensions={1,0}",
        "r = bf16[4,8] convert(x)",
        "r = f32[4,2] slice(x), slice={[0:4], [1:8:4]}",
        "r = f32[8,8] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
        "r = f32[16,8] all-gather(x), replica_groups={}, dimensions={0}",
        "r = f32[2,8] reduce-scatter(x), replica_groups={{0,1},{2,3}}, dimensions={0}, to_apply=sum",
        "r = f32[8] reduce(x, z), dimensions={0}, to_apply=sum",
        "r = f32[4,8] broadcast(z), dimensions={}",
        "r = f32[4,8] all-to-all(x), replica_groups={}, dimensions={1}",
        "r = u32[] partition-id()",
        "r = f32[9,9] stochastic-convert(x, s)",
        "r = (f32[4,8], s32[]) tuple(x, s)",
        "p = pred[4,8] compare(x, x), direction=GE",
        "r = f32[4,8] reduce-precision(x), exponent_bits=8, mantissa_bits=0",
        "y = f32[2,4,4] reshape(x)\n r = f32[2,4,4] cholesky(y)",
        "y = f32[2,4,4] reshape(x)\n r = f32[2,4,4] triangular-solve(y, y), transpose_a=ADJOINT",
        "r = f32[4,8] map(x, x), dimensions={0,1}, to_apply=sum",
        "y = f32[2,8] slice(x), slice={[0:2], [0:8]}\n r = f32[4,8] select-and-scatter(x, y, z), "
        "window={size=2x1 stride=2x1}, select=greater, scatter=sum",
        "r = s32[] get-dimension-size(x), dimensions={1}",
        "t = token[] after-all()\n r = f32[4,8] add-dependency(x, t)"})
    EXPECT_EQ(refusal(line), "accepted") << line;
}

struct Refusal {
  const char* line;
  const char* error;
};

TEST(Verify, NamesTheInstructionAndTheRule) {
  const Refusal cases[] = {
      {"r = f32[8,3] reshape(x)", "reshape 'r': shape f32[8,3], expected 32 elements as in f32[4,8]"},
      {"r = f32[4,8] transpose(x), dimensions={1,0}", "transpose 'r': shape f32[4,8], expected f32[8,4]"},
      {"r = f32[8,4] transpose(x), dimensions={1,1}", "transpose 'r': dimensions are no permutation"},
      {"r = f32[4,7] add(x, x)", "add 'r': shape f32[4,7], expected f32[4,8]"},
      {"r = f32[4,8] add(x, s)", "add 'r': operand 1 is s32[], expected the dimensions of f32[4,8]"},
      {"y = f64[4,8] convert(x)\n r = f32[4,8] add(x, y)",
       "add 'r': operand 1 is f64[4,8], expected elements f32"},
      {"r = f32[4,8] copy(x, x)", "parser: copy 'r': got 2 operands, expected 1; <hlo>:15:1"},
      {"r = pred[4,8] compare(x, x), direction=XX",
       "parser: direction 'XX', expected EQ, NE, LT, LE, GT or GE; <hlo>:15:40"},
      {"r = pred[4,8] compare(x, x)", "parser: 'r' has no attribute 'direction'; <hlo>:15:1"},
      {"r = f32[4,8] select(x, x, x)", "select 'r': operand 0 is f32[4,8], expected elements pred"},
      {"r = f32[4,4] slice(x), slice={[0:4], [6:10]}",
       "slice 'r': range 6:10:1 of dimension 1, expected one within 0:8"},
      {"r = f32[5,8] dynamic-slice(x, s, s), dynamic_slice_sizes={5,8}",
       "dynamic-slice 'r': size 5 of dimension 0, expected at most 4"},
      {"r = f32[2,8] dynamic-slice(x, s), dynamic_slice_sizes={2,8}",
       "dynamic-slice 'r': got 2 operands, expected 3"},
      {"r = f32[2,8] dynamic-slice(x, s, z), dynamic_slice_sizes={2,8}",
       "dynamic-slice 'r': operand 2 is f32[], expected a scalar integer"},
      {"y = f32[5,8] concatenate(x, x), dimensions={0}",
       "concatenate 'y': shape f32[5,8], expected f32[8,8]"},
      {"y = f32[4,8] concatenate(x, x), dimensions={2}",
       "concatenate 'y': dimension 2, expected one of an array of rank 2"},
      {"r = f32[3,8] broadcast(x), dimensions={0,1}",
       "broadcast 'r': dimension 0 of f32[3,8], expected size 4"},
      {"r = f32[4,4] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       "dot 'r': contracting sizes 8 and 4, expected equal ones"},
      {"r = f32[4,8] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
       "dot 'r': shape f32[4,8], expected f32[4,4]"},
      {"r = f32[4] reduce(x, z), dimensions={1}", "parser: 'r' has no attribute 'to_apply'; <hlo>:15:1"},
      {"r = f32[4] reduce(x, z), dimensions={1,1}, to_apply=sum", "reduce 'r': dimension 1 is reduced twice"},
      {"r = (f32[4], f32[4]) reduce(x, x, z, z), dimensions={1}, to_apply=sum",
       "reduce 'r': sum takes 2 parameters, expected 4"},
      {"w = s32[4,8] convert(x)\n r = s32[4] reduce(w, s), dimensions={1}, to_apply=sum",
       "reduce 'r': sum takes f32[] as parameter 0, expected s32[]"},
      {"r = f32[4,8] all-reduce(x), replica_groups={}, to_apply=odd",
       "all-reduce 'r': needs to_apply, a computation that is the add, multiply, maximum, minimum, and, or "
       "or "
       "xor of two scalars"},
      {"r = f32[8,8] all-gather(x), replica_groups={{0,1},{2,4}}, dimensions={0}",
       "all-gather 'r': replica_groups name device 4, expected 0 to 3"},
      {"r = f32[8,8] all-gather(x), replica_groups={{0,1},{1,2}}, dimensions={0}",
       "all-gather 'r': replica_groups name device 1 twice"},
      {"r = f32[8,8] all-gather(x), replica_groups={{0,1}}, dimensions={0}",
       "all-gather 'r': replica_groups name 2 devices, expected all 4"},
      {"r = f32[8,8] all-gather(x), replica_groups={}, dimensions={0}",
       "all-gather 'r': shape f32[8,8], expected f32[16,8]"},
      {"r = f32[4,8] all-gather(x), replica_groups={{0},{1,2,3}}, dimensions={0}",
       "all-gather 'r': replica_groups of different sizes, expected equal ones"},
      {"y = f32[3,8] slice(x), slice={[0:3], [0:8]}\n r = f32[1,8] reduce-scatter(y), replica_groups={}, "
       "dimensions={0}, to_apply=sum",
       "reduce-scatter 'r': dimension 0 of size 3, expected a multiple of the group's 4 devices"},
      {"r = f32[4,8] add(x)", "parser: add 'r': got 1 operands, expected 2; <hlo>:15:1"},
      {"r = f32[4,8] reduce-precision(x), exponent_bits=5",
       "parser: 'r' has no attribute 'mantissa_bits'; <hlo>:15:1"},
      {"r = f32[4,8] negate(x, x)", "parser: negate 'r': got 2 operands, expected 1; <hlo>:15:1"},
      {"r = f32[4,8] collective-permute(x)",
       "parser: 'r' has no attribute 'source_target_pairs'; <hlo>:15:1"},
      {"r = f32[4,4] collective-permute(x), source_target_pairs={{0,1}}",
       "collective-permute 'r': shape f32[4,4], expected f32[4,8]"},
      {"t = (f32[4,8]) tuple(x)\n r = f32[4,8] get-tuple-element(t), index=1",
       "get-tuple-element 'r': index 1 of a tuple of 1"},
      {"r = f32[] call(z), to_apply=sum", "call 'r': got 1 operands, sum expects 2"},
      {"r = f32[4,8] while(x), condition=sum, body=sum",
       "while 'r': operand 0 is f32[4,8], sum expects f32[]"},
      {"r = s32[4] iota(), iota_dimension=1", "iota 'r': dimension 1, expected one of an array of rank 1"},
      {"r = f32[4,8] cholesky(x)", "cholesky 'r': operand 0 is f32[4,8], expected square matrices of floats"},
      {"y = s32[4,4,2] iota(), iota_dimension=0\n i = s32[2,4,4] reshape(y)\n r = s32[2,4,4] cholesky(i)",
       "cholesky 'r': operand 0 is s32[2,4,4], expected square matrices of floats"},
      {"y = f32[2,4,4] reshape(x)\n r = f32[4,8] triangular-solve(y, x), left_side=true",
       "triangular-solve 'r': operand 1 is f32[4,8], expected rows as many as those of f32[2,4,4]"},
      {"y = f32[2,4,4] reshape(x)\n w = f32[2,8,2] reshape(x)\n r = f32[2,8,2] triangular-solve(y, w)",
       "triangular-solve 'r': operand 1 is f32[2,8,2], expected columns as many as those of f32[2,4,4]"},
      {"y = f32[2,4,4] reshape(x)\n r = f32[2,4,4] triangular-solve(y, y), transpose_a=MAYBE",
       "parser: got 'MAYBE', expected NO_TRANSPOSE, TRANSPOSE or ADJOINT; <hlo>:16:53"},
      {"r = f32[4,8] map(x, s), dimensions={0,1}, to_apply=sum",
       "map 'r': operand 1 is s32[], expected the dimensions of f32[4,8]"},
      {"r = f32[4,8] map(x), dimensions={0,1}, to_apply=sum", "map 'r': sum, expected a scalar of 1 scalars"},
      {"r = f32[4,8] select-and-scatter(x, x, z), window={size=2x1 stride=2x1}, select=greater, scatter=sum",
       "select-and-scatter 'r': source is f32[4,8], expected f32[2,8], one element for each place of the "
       "window"},
      {"r = f32[4,8] select-and-scatter(x, x, z), window={size=1x1}, select=sum, scatter=sum",
       "select-and-scatter 'r': sum, expected to take two f32[] and to give pred[]"},
      {"r = f32[4,8] select-and-scatter(x, x, z), window={size=1x1}, scatter=sum",
       "parser: 'r' has no attribute 'select'; <hlo>:15:1"},
      {"r = s32[] get-dimension-size(x), dimensions={2}",
       "get-dimension-size 'r': dimension 2, expected one of an array of rank 2"},
      {"r = f32[4,8] add-dependency(x, z)", "add-dependency 'r': operand 1 is f32[], expected a token"},
      {"q = f32[2] parameter(5)",
       "parser: computation 'main' has no parameter 2, but one of a greater number; <hlo>:11:7"},
  };
  for (const Refusal& c : cases) EXPECT_EQ(refusal(c.line), c.error) << c.line;
}

struct Broken {
  const char* line;
  void (*change)(Instruction& r);
  const char* error;
};

// What the parser refuses can still be made by a program that writes programs.
TEST(Verify, AsksProgramsThatNobodyReadTheSame) {
  const Broken cases[] = {
      {"r = f32[4,8] negate(x)", [](Instruction& r) { r.operands.push_back(r.operands[0]); },
       "negate 'r': got 2 operands, expected 1"},
      {"r = pred[4,8] compare(x, x), direction=EQ", [](Instruction& r) { r.attributes = {}; },
       "compare 'r': needs a direction: EQ, NE, LT, LE, GT or GE"},
      {"r = f32[4] reduce(x, z), dimensions={1}, to_apply=sum", [](Instruction& r) { r.called = {}; },
       "reduce 'r': needs to_apply"},
      {"r = f32[4,8] reduce-precision(x), exponent_bits=5, mantissa_bits=2",
       [](Instruction& r) { r.attributes = {}; },
       "reduce-precision 'r': needs exponent_bits from 1 and mantissa_bits"},
      {"r = f32[4,8] collective-permute(x), source_target_pairs={{0,1}}",
       [](Instruction& r) { r.permutation.reset(); }, "collective-permute 'r': needs source_target_pairs"},
      {"r = f32[] parameter(2)", [](Instruction& r) { r.parameter_number = 3; },
       "parameter 2 of 3 is missing"},
  };
  for (const Broken& c : cases) {
    auto program = parse_program(module_of(c.line));
    ASSERT_TRUE(program.ok()) << program.error().text();
    c.change(program->computations.back().instructions.back());
    const auto verified = verify(*program);
    EXPECT_EQ(verified.ok() ? "accepted" : verified.error().what, c.error) << c.line;
  }
}

TEST(Verify, ShardsMustFitTheGlobalArrays) {
  const auto program = parse_program(
      "HloModule m, frontend_attributes={shardscope.mesh=\"x=2\",shardscope.inputs=\"lhs [8,8] P('x')\"}\n"
      "ENTRY e { ROOT p = f32[8,8] parameter(0) }");
  ASSERT_TRUE(program.ok()) << program.error().text();
  EXPECT_EQ(verify(*program).error().what,
            "parameter 'p' is f32[8,8], expected the shard f32[4,8] of its global array");
}

TEST(Verify, RefusesOperandsAndCalleesThatAreNotBefore) {
  auto program = *parse_program(module_of("r = f32[4,8] copy(x)"));
  program.computations[3].instructions[3].operands[0] = InstructionId(3);
  EXPECT_EQ(verify(program).error().what, "copy 'r': reads an instruction that is not before it");
  program.computations[3].instructions[3].operands[0] = InstructionId(0);
  program.computations[3].instructions[3].called.edit().push_back({"to_apply", ComputationId(3)});
  EXPECT_EQ(verify(program).error().what, "copy 'r': to_apply is a computation that is not before it");
}

}  // namespace
}  // namespace shardscope::verify_test
