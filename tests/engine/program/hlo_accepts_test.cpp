// SPDX-License-Identifier: Apache-2.0
// What compilers and tests hand around as HLO text beside whole, fully annotated modules.
#include <gtest/gtest.h>
#include <string>

#include "engine/program/text/hlo_text.h"

namespace shardscope::hlo_accepts_test {
namespace {

Program read(const std::string& text) {
  auto program = parse_program(text);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text()) << "\n" << text;
  if (!program.ok()) return {};
  const std::string printed = print_program(*program);
  const auto again = parse_program(printed);
  EXPECT_TRUE(again.ok() && *again == *program) << (again.ok() ? "" : again.error().text()) << "\n"
                                                << printed;
  return *std::move(program);
}

Program entry(const std::string& body, const std::string& header = "HloModule m\n") {
  return read(header + "ENTRY e {\n" + body + "\n}\n");
}

std::string shape(const Program& program, const std::string& name) {
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions)
      if (i.name == name) return i.shape.text();
  return "no " + name;
}

TEST(HloAccepts, ModulesWithoutTheirFirstLine) {
  const Program entry = read("ENTRY %main {\n  ROOT %x = f32[2] parameter(0)\n}");
  EXPECT_EQ(entry.entry_computation().name, "main");
  EXPECT_EQ(entry.name, "main");
  const Program last = read(
      "f {\n  x = f32[2] parameter(0)\n} // f\n%g (x: f32[3]) -> f32[3] {\n"
      "  x = f32[3] parameter(0)\n}");
  EXPECT_EQ(last.entry_computation().name, "g");
}

TEST(HloAccepts, OneInstructionWhoseOperandsBecomeParameters) {
  const Program named = read("%p = f32[2,4]{1,0} multiply(f32[2,4]{1,0} %a, f32[2,4]{1,0} %b)");
  EXPECT_EQ(named.entry_computation().instructions.size(), 3u);
  EXPECT_EQ(named.entry_computation().instructions[1].name, "b");
  EXPECT_EQ(named.entry_computation().instructions[1].parameter_number, 1);
  const Program bare = read("f32[2,4]{1,0} multiply(f32[2,4]{1,0}, f32[2,4]{1,0})");
  EXPECT_EQ(bare.entry_computation().root_instruction().name, "multiply");
  EXPECT_EQ(bare.entry_computation().instructions.size(), 3u);
}

TEST(HloAccepts, ComputationsWhereTheirNamesCouldStand) {
  const Program p = entry(
      "  x = f32[4] parameter(0)\n  z = f32[] constant(0)\n"
      "  ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply={\n"
      "    x = f32[] parameter(0)\n    y = f32[] parameter(1)\n    ROOT s = f32[] add(x, y)\n  }");
  ASSERT_EQ(p.computations.size(), 2u);
  EXPECT_EQ(p.computations[0].name, "r.to_apply");
  EXPECT_TRUE(verify(p).ok());
  const Program branches = read(
      "f32[2] conditional(s32[], f32[2], f32[2]), branch_computations={\n"
      "{\n  t = f32[2] parameter(0)\n  ROOT c = f32[2] ceil(t)\n},\n"
      "{\n  t = f32[2] parameter(0)\n  ROOT f = f32[2] floor(t)\n}\n}");
  EXPECT_EQ(branches.entry_computation().root_instruction().called.size(), 2u);
}

struct InferredCase {
  const char* operation;
  const char* shape;
};

TEST(HloAccepts, ShapesThatFollowFromTheOperands) {
  const std::string before =
      "HloModule m, num_partitions=2\n"
      "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = add(a, b)\n}\n"
      "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = compare(a, b), "
      "direction=LT\n}\n"
      "yes {\n  a = f32[6,4] parameter(0)\n  ROOT y = pred[] constant(true)\n}\n"
      "same {\n  a = f32[6,4] parameter(0)\n  ROOT y = abs(a)\n}\n"
      "ENTRY e {\n  x = f32[6,4] parameter(0)\n  w = f32[4,8] parameter(1)\n  i = s32[] parameter(2)\n"
      "  p = pred[] parameter(3)\n  z = f32[] parameter(4)\n  at = s32[3,1] parameter(5)\n"
      "  image = f32[2,9,3] parameter(6)\n  kernel = f32[3,3,5] parameter(7)\n";
  const InferredCase cases[] = {
      {"dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "f32[6,8]"},
      {"tuple(x, z)", "(f32[6,4], f32[])"},
      {"compare(x, x), direction=EQ", "pred[6,4]"},
      {"select(p, x, x)", "f32[6,4]"},
      {"transpose(x), dimensions={1,0}", "f32[4,6]"},
      {"slice(x), slice={[0:6:2], [1:4]}", "f32[3,3]"},
      {"dynamic-slice(x, i, i), dynamic_slice_sizes={1,4}", "f32[1,4]"},
      {"concatenate(x, x), dimensions={1}", "f32[6,8]"},
      {"pad(x, z), padding=1_1_1x0_2", "f32[13,6]"},
      {"reduce(x, z), dimensions={0}, to_apply=add", "f32[4]"},
      {"reduce-window(x, z), window={size=2x1 stride=2x1}, to_apply=add", "f32[3,4]"},
      {"gather(x, at), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
       "slice_sizes={1,4}",
       "f32[3,4]"},
      {"convolution(image, kernel), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f", "f32[2,9,5]"},
      {"sort(x), dimensions={0}, to_apply=less", "f32[6,4]"},
      {"while(x), condition=yes, body=same", "f32[6,4]"},
      {"conditional(p, x, x), true_computation=same, false_computation=same", "f32[6,4]"},
      {"call(x), to_apply=same", "f32[6,4]"},
      {"fusion(x), kind=kLoop, calls=same", "f32[6,4]"},
      {"all-gather(x), replica_groups={{0,1}}, dimensions={0}", "f32[12,4]"},
      {"reduce-scatter(x), replica_groups={{0,1}}, dimensions={1}, to_apply=add", "f32[6,2]"},
      {"partition-id()", "u32[]"},
      {"after-all()", "token[]"},
  };
  for (const InferredCase& c : cases) {
    const Program p = read(before + "  ROOT made = " + c.operation + "\n}\n");
    EXPECT_EQ(shape(p, "made"), c.shape) << c.operation;
    EXPECT_TRUE(verify(p).ok()) << c.operation;
  }
}

TEST(HloAccepts, OperandsThatAreElementsOfTuples) {
  const Program p = entry(
      "  t = (f32[2], (s32[], f32[3])) parameter(0)\n  a = f32[2] abs(t#0)\n  b = f32[2] add(t#0, a)\n"
      "  ROOT c = f32[3] negate((f32[2], (s32[], f32[3])) %t#1#1)");
  EXPECT_EQ(shape(p, "t.0"), "f32[2]");
  EXPECT_EQ(p.entry_computation().instructions.size(), 7u) << "t#0 is taken out once";
  EXPECT_TRUE(verify(p).ok());
}

TEST(HloAccepts, CommentsAmongNumbersAndLinesThatEndInEveryWay) {
  const Program p = entry("  ROOT c = f32[2] constant({12 /* twelve */, /* one */ 1e+2 })");
  EXPECT_TRUE(verify(p).ok());
  read("HloModule c\r// G\rENTRY k {\r// F\rROOT o = f32[1]{0} constant({12}) // S\r}");
}

TEST(HloAccepts, PermutesOfReplicasWhoseNumberIsNotSaid) {
  const Program p = entry(
      "  x = f32[2] parameter(0)\n"
      "  ROOT y = f32[2] collective-permute(x), source_target_pairs={{3,1},{0,3}}",
      "HloModule m, replica_count=4\n");
  EXPECT_EQ(p.entry_computation().root_instruction().permutation->pairs().size(), 2u);
  const auto bad = verify(p);
  ASSERT_FALSE(bad.ok());
  EXPECT_NE(bad.error().what.find("device 3"), std::string::npos) << bad.error().text();
}

TEST(HloAccepts, PermutesInPlaceThatSendSeveralParts) {
  entry(
      "  x = f32[8] parameter(0)\n  z = s32[] constant(0)\n  t = (s32[]) tuple(z)\n"
      "  q = ((s32[]), (s32[])) tuple(t, t)\n  ROOT y = f32[8] collective-permute(x, x, q, q), "
      "source_target_pairs={{0,1},{0,2}}, slice_sizes={{1},{1}}",
      "HloModule m, num_partitions=4\n");
}

TEST(HloAccepts, OperandsThatAreInstructions) {
  const Program p = entry("  ROOT r = sqrt(f32[10] add(f32[10] parameter(0), f32[10] parameter(1)))");
  EXPECT_EQ(shape(p, "r"), "f32[10]");
  EXPECT_EQ(p.entry_computation().instructions.size(), 4u);
  EXPECT_EQ(p.entry_computation().instructions[2].name, "add.anon") << "as the compiler calls it";
  EXPECT_TRUE(verify(p).ok());
}

TEST(HloAccepts, CommentsAndLinesThatBreakAnywhere) {
  entry(
      "  x = (f32[2], f32[2], f32[2], f32[2], f32[2], /*index=5*/f32[4]) parameter(0), "
      "sharding={/*index=0*/{replicated}, "
      "{replicated}, {replicated}, {replicated}, {replicated}, /*index=5*/{devices=[4]<=[4]}}\n"
      "  y = f32[4] /* of the last */ get-tuple-element(/* x */ x), /* ] */ index=5\n"
      "  ROOT z = f32[4] all-reduce(y), replica_groups=[2,2]\n    <=[4],\n    to_apply={ a = f32[] "
      "parameter(0)\n"
      "    b = f32[] parameter(1)\n    ROOT c = f32[] add(a,\n      b) }, frontend_attributes={\n      "
      "one=\"1\",\n"
      "      two={m = #sdy.mesh<[\"x\"=2]>}\n    }, sharding={devices=[4] // as given\n    <=[4]}",
      "/* pasted */ HloModule m:, num_partitions=4 // of a log\n");
}

TEST(HloAccepts, ShardingsOnNamedAxesWithAndWithoutCommaAndQuotes) {
  const Program p = entry(
      "  a = f32[4,4] parameter(0), sharding={mesh['x'=2,'y'=2], [{'x', ?}, {}], replicated={'y'}}\n"
      "  b = f32[4,4] parameter(1), sharding={mesh[x=2,y=2] [{x}, {}]}\n"
      "  c = (f32[4], f32[4]) parameter(2), sharding={{maximal_mesh[device_id=1]}, {mesh['x'=4] "
      "[{'x':(2)2}]}}\n"
      "  ROOT r = f32[4,4] add(a, b)");
  EXPECT_EQ(p.entry_computation().instructions[1].verbatim[0].value, "{mesh[x=2,y=2] [{x}, {}]}");
}

TEST(HloAccepts, AsynchronousComputationsWrittenOut) {
  const Program p = read(
      "HloModule m\n%w {\n  %p = f32[10]{0} parameter(0)\n"
      "  ROOT %c = f32[20]{0} custom-call(f32[10]{0} %p), custom_call_target=\"foo\"\n}\n"
      "ENTRY %e {\n  %p0 = f32[10]{0} parameter(0)\n"
      "  %s = ((f32[10]{0}), f32[20]{0}, s32[]) async-start(f32[10]{0} %p0), calls=%w\n"
      "  %u = ((f32[10]{0}), f32[20]{0}, s32[]) async-update(%s)\n"
      "  ROOT %d = f32[20]{0} async-done(%u), calls=%w\n}\n");
  EXPECT_EQ(p.entry_computation().instructions[1].called.size(), 1u);
  entry(
      "  a = s32[] parameter(0), origin={{\"v1\"}}\n"
      "  s = ((s32[], s32[]), s32[], s32[]) add-start(a, a), metadata={op_type=\"add\", op_name=\"x\" "
      "source_line=68, source_end_line=70}\n  ROOT d = s32[] add-done(s), origin={{\"v3\"}}");
}

TEST(HloAccepts, TheModuleThatIsAskedForOfAFileOfSeveral) {
  const std::string text =
      "HloModule one\nENTRY e {\n  x = f32[2] parameter(0)\n}\n\nHloModule two, num_partitions=2\n"
      "ENTRY e {\n  x = f32[3] parameter(0)\n}\n";
  const auto first = read_hlo(text, "f.hlo");
  ASSERT_TRUE(first.ok()) << first.error().text();
  EXPECT_EQ(first->program.name, "one");
  EXPECT_EQ(first->other_modules, std::vector<std::string>{"two"});
  const auto second = read_hlo(text, "f.hlo", "two");
  ASSERT_TRUE(second.ok()) << second.error().text();
  EXPECT_EQ(shape(second->program, "x"), "f32[3]");
  EXPECT_EQ(read_hlo(text, "f.hlo", "three").error().text(),
            "no module 'three', the file has one, two; f.hlo");
  const auto wrong = read_hlo(text + "HloModule c\nENTRY e {\n  x = f3[] parameter(0)\n}\n", "f.hlo", "c");
  EXPECT_EQ(wrong.error().where, "f.hlo:12:7") << "lines are those of the file";
}

TEST(HloAccepts, ConstantsOfEveryKind) {
  entry(
      "  a = bf16[2]{0} constant({-nan(0x7f), inf})\n  b = u64[] constant(-1)\n"
      "  c = u64[] constant(18446744073709551615)\n  d = c64[] constant((1, -2e+1))\n"
      "  e = s32[2,3] constant({ { 1, 2, 3 }, { 4, 5, 6 } })\n  f = f32[0,2] constant({})\n"
      "  g = pred[3] constant({1,0,1})\n  h = f32[67,89]{1,0} constant({...})\n"
      "  i = f16[] constant(-65505)\n  ROOT j = (f32[2], s32[]) constant(({1, 2}, 3))");
}

TEST(HloAccepts, ShapesThatNobodyRuns) {
  for (const char* shape :
       {"b(f32[4,2]{1,0})", "(b(s32[]), f32[2])", "opaque[]", "f32[?,10]", "f32[<=4,?]{1,0}", "s2[4]{0:E(2)}",
        "u1[8]", "s1[8]", "f4e2m1fn[6]{0:E(4)}", "f8e8m0fnu[2]", "f8e3m4[2]"}) {
    const Program p = entry("  ROOT x = " + std::string(shape) + " parameter(0)");
    EXPECT_EQ(p.entry_computation().root_instruction().shape.text(), shape);
    EXPECT_TRUE(verify(p).ok()) << shape;
  }
  EXPECT_EQ(
      shape(
          entry("  x = f32[4] parameter(0)\n  ROOT y = b(f32[4]) custom-call(x), custom_call_target=\"Pin\""),
          "y"),
      "b(f32[4])");
  EXPECT_EQ(Shape::parse("f4e2m1fn[5]")->bytes(), 3);
  EXPECT_EQ(Shape::parse("b(f32[4])")->bytes(), 16);
  EXPECT_FALSE(Shape::parse("b((f32[4], f32[2]))").ok());
  EXPECT_FALSE(Shape::parse("b(f32[4]").ok());
  EXPECT_FALSE(Shape::parse("f32[<=0]").ok());
  EXPECT_FALSE(
      parse_program("ENTRY e {\n  x = f32[4] parameter(0)\n  y = b(f32[4]) copy(f32[4] x)\n  ROOT z = f32[4] "
                    "copy(f32[4] y)\n}")
          .ok());
}

TEST(HloAccepts, LabelsOfDimensionsThatNobodyKnows) {
  const Program p = entry(
      "  x = f32[1,2,3,3] parameter(0)\n  k = f32[2,2,3,3] parameter(1)\n  ROOT y = f32[1,2,3,3] "
      "convolution(x, k), "
      "window={size=1x1}, dim_labels=bf01?_oi01?->bf01?");
  EXPECT_NE(print_program(p).find("dim_labels=bf01?_oi01?->bf01?"), std::string::npos);
}

}  // namespace
}  // namespace shardscope::hlo_accepts_test
