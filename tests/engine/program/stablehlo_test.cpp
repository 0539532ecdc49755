// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/program/mlir/module_text.h"

namespace shardscope::stablehlo_test {
namespace {

Program read(const std::string& text) {
  auto program = read_stablehlo(text, "f.mlir");
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().text());
  if (!program.ok()) return {};
  EXPECT_TRUE(verify(*program).ok()) << verify(*program).error().text();
  const auto again = parse_program(print_program(*program));
  EXPECT_TRUE(again.ok()) << (again.ok() ? "" : again.error().text());
  if (again.ok()) {
    EXPECT_EQ(*again, *program) << print_program(*program);
  }
  return *std::move(program);
}

std::string refusal(const std::string& text) {
  const auto program = read_stablehlo(text, "f.mlir");
  return program.ok() ? "" : program.error().text();
}

const Instruction& root_of(const Program& program) {
  return program.entry_computation().root_instruction();
}

// A function of one line on x.
std::string on_x(const std::string& type, const std::string& line, const std::string& result) {
  return fmt::format("func.func @main(%x: {}) -> {} {{\n  {}\n  return %r : {}\n}}\n", type, result, line,
                     result);
}

std::string sharded(const std::string& sharding) {
  return fmt::format(
      "sdy.mesh @m = <[\"x\"=8, \"y\"=4]>\nfunc.func @main(%a: tensor<64x64xf32> {{sdy.sharding = "
      "#sdy.sharding<{}>}}) -> tensor<64x64xf32> {{\n return %a : tensor<64x64xf32>\n}}\n",
      sharding);
}

TEST(Stablehlo, ASubAxisTakesTheMiddleOfItsAxis) {
  const Program p = read(sharded("@m, [{\"y\"}, {\"x\":(2)2}]"));
  EXPECT_EQ(root_of(p).sharding->text(), "{devices=[4,2,4]<=[2,2,2,4]T(3,1,0,2) last_tile_dim_replicate}");
  EXPECT_EQ(p.mesh.text(), "x=8,y=4");
}

TEST(Stablehlo, ARegionAlongOneAxisLeavesTheOthersFree) {
  const Program p = read(
      "sdy.mesh @m = <[\"x\"=8, \"y\"=4]>\nfunc.func @main(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {\n"
      " %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{\"x\"}, {?}]>] out_shardings=[<@m, [{\"x\"}, "
      "{?}]>] "
      "manual_axes={\"x\"} (%b: tensor<8x64xf32>) {\n"
      "  %1 = stablehlo.negate %b {sdy.sharding = #sdy.sharding_per_value<[<@m, [{\"y\"}, {}]>]>} : "
      "tensor<8x64xf32>\n  sdy.return %1 : tensor<8x64xf32>\n"
      " } : (tensor<64x64xf32>) -> tensor<64x64xf32>\n return %0 : tensor<64x64xf32>\n}\n");
  for (const Instruction& i : p.entry_computation().instructions) {
    if (i.opcode != Opcode::negate) continue;
    EXPECT_EQ(i.sharding->text(), "{devices=[4,1,8]<=[8,4]T(1,0) last_tile_dims={manual}}");
  }
  EXPECT_EQ(root_of(p).sharding->text(), "{devices=[8,1,4]<=[32] last_tile_dim_replicate}");
}

TEST(Stablehlo, PrettyAndGenericFormAreTheSameProgram) {
  const std::string t = "tensor<4x4xf32>";
  const Program pretty = read(on_x(
      t, "%r = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (" + t + ", " + t + ") -> " + t,
      t));
  const Program generic = read(on_x(t,
                                    "%r = \"stablehlo.dot_general\"(%x, %x) <{dot_dimension_numbers = "
                                    "#stablehlo.dot<lhs_contracting_dimensions = "
                                    "[1], rhs_contracting_dimensions = [0]>}> : (" +
                                        t + ", " + t + ") -> " + t,
                                    t));
  EXPECT_EQ(pretty, generic);
}

TEST(Stablehlo, ConstantsAreWrittenAsNumbersOrBits) {
  const auto literal = [](const std::string& value, const std::string& type) {
    const Program p = read("func.func @main() -> " + type + " {\n %r = stablehlo.constant dense<" + value +
                           "> : " + type + "\n return %r : " + type + "\n}\n");
    return p.entry_computation().instructions.front().literal;
  };
  EXPECT_EQ(literal("1.500000e+00", "tensor<f32>"), "1.5");
  EXPECT_EQ(literal("0xFF800000", "tensor<f32>"), "-inf");
  EXPECT_EQ(literal("0x3C00", "tensor<2xf16>"), "1");
  EXPECT_EQ(literal("[[1, -2], [3, 4]]", "tensor<2x2xi32>"), "{{1, -2}, {3, 4}}");
  EXPECT_EQ(literal("\"0x01000000FFFFFFFF\"", "tensor<2xi32>"), "{1, -1}");
  EXPECT_EQ(literal("true", "tensor<i1>"), "true");
}

TEST(Stablehlo, ALoopCarriesWhatItsBodyUses) {
  const Program p = read(
      "func.func @main(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {\n"
      " %c = stablehlo.constant dense<0> : tensor<i32>\n"
      " %0:2 = stablehlo.while(%i = %c, %a = %x) : tensor<i32>, tensor<f32>\n cond {\n"
      "  %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "  stablehlo.return %1 : tensor<i1>\n } do {\n"
      "  %c_0 = stablehlo.constant dense<1> : tensor<i32>\n  %1 = stablehlo.add %i, %c_0 : tensor<i32>\n"
      "  %2 = stablehlo.multiply %a, %x : tensor<f32>\n  stablehlo.return %1, %2 : tensor<i32>, tensor<f32>\n"
      " }\n return %0#1 : tensor<f32>\n}\n");
  const Instruction& element = root_of(p);
  ASSERT_EQ(element.opcode, Opcode::get_tuple_element);
  EXPECT_EQ(p.entry_computation().at(element.operands[0]).shape.text(), "(s32[], f32[], s32[], f32[])");
}

TEST(Stablehlo, RefusalsSayLineAndColumn) {
  EXPECT_EQ(refusal(on_x("tensor<?x4xf32>", "%r = stablehlo.negate %x : tensor<?x4xf32>", "tensor<f32>")),
            "an unknown size, expected a number; f.mlir:1:28");
  EXPECT_EQ(refusal(on_x("tensor<f32>", "%r = stablehlo.negate %y : tensor<f32>", "tensor<f32>")),
            "value '%y' is not defined here; f.mlir:2:8");
  EXPECT_EQ(refusal(on_x("tensor<f32>", "%r = stablehlo.fft %x : tensor<f32>", "tensor<f32>")),
            "operation 'stablehlo.fft' is not supported; f.mlir:2:8");
  EXPECT_EQ(refusal(on_x("tensor<f32>", "%r = call @main(%x) : (tensor<f32>) -> tensor<f32>", "tensor<f32>")),
            "function '@main' calls itself: recursion is not supported; f.mlir:2:8");
  EXPECT_EQ(refusal("func.func @main("), "text ends before ')'; f.mlir:1:16");
  EXPECT_NE(refusal(on_x("tensor<!quant.uniform<i8:f32, 1.0>>", "", "tensor<f32>")), "");
}

TEST(Stablehlo, AnyBeginningOfATextIsReadOrRefused) {
  const std::string text = sharded("@m, [{\"y\"}, {\"x\":(2)2}], replicated={\"x\":(1)2}");
  for (size_t end = 0; end < text.size(); ++end) (void)read_stablehlo(text.substr(0, end));
  const std::string deep(100000, '(');
  EXPECT_NE(refusal("func.func @main" + deep), "");
}

TEST(Stablehlo, IsKnownByItsFirstWords) {
  EXPECT_TRUE(is_mlir("// a comment\n#loc = loc(unknown)\nmodule @m {\n}\n"));
  EXPECT_TRUE(is_mlir("module attributes {a = 1} {"));
  EXPECT_TRUE(is_mlir("func.func public @main() {"));
  EXPECT_FALSE(is_mlir("HloModule m\n"));
  EXPECT_FALSE(is_mlir("# HloModule m\n"));
  EXPECT_FALSE(is_mlir("module.1 {\n"));
}

}  // namespace
}  // namespace shardscope::stablehlo_test
