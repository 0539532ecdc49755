// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <tuple>

#include "engine/program/mlir/module_shardings.h"
#include "engine/program/mlir/module_text.h"
#include "engine/program/text/hlo_text.h"

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

TEST(Stablehlo, EachInstructionKnowsTheLineThatItComesFrom) {
  std::string text =
      "func.func @main(%a: tensor<4xf32>,\n    %b: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %0 = call @later(%a) : (tensor<4xf32>) -> tensor<4xf32>\n"
      "  %1 = stablehlo.add %0,\n    %b : tensor<4xf32>\n  return %1 : tensor<4xf32>\n}\n";
  text += std::string(100000, '\n');  // far away
  text +=
      "func.func private @later(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %0 = stablehlo.negate %x : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n";
  const Program p = read(text);
  std::map<std::string, int32_t> lines;
  for (const Computation& c : p.computations)
    for (const Instruction& i : c.instructions)
      lines[c.name + " " + std::string(opcode_text(i.opcode))] = i.line;
  EXPECT_EQ(lines["main parameter"], 2) << "the second one's";
  EXPECT_EQ(lines["main call"], 3);
  EXPECT_EQ(lines["main add"], 4);
  EXPECT_EQ(lines["later parameter"], 100008);
  EXPECT_EQ(lines["later negate"], 100009);
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

TEST(Stablehlo, AByteOrderMarkIsNoText) {
  const std::string text =
      "module {\n func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : "
      "tensor<4xf32>\n }\n}\n";
  const auto marked = read_hlo_or_mlir("\xEF\xBB\xBF" + text, "f.mlir");
  ASSERT_TRUE(marked.ok()) << marked.error().text();
}

TEST(Stablehlo, RefusalsSayLineAndColumn) {
  EXPECT_EQ(refusal(on_x("tensor<?x4xf32>", "%r = stablehlo.negate %x : tensor<?x4xf32>", "tensor<f32>")),
            "an unknown size, expected a number: export with fixed shapes; f.mlir:1:28");
  EXPECT_EQ(refusal(on_x("tensor<f32>", "%r = stablehlo.negate %y : tensor<f32>", "tensor<f32>")),
            "value '%y' is not defined here; f.mlir:2:8");
  EXPECT_EQ(refusal(on_x("tensor<f32>", "%r = call @main(%x) : (tensor<f32>) -> tensor<f32>", "tensor<f32>")),
            "function '@main' calls itself: recursion is not supported; f.mlir:2:8");
  EXPECT_EQ(refusal("func.func @main("), "text ends before ')'; f.mlir:1:16");
  EXPECT_NE(refusal(on_x("tensor<!quant.uniform<i8:f32, 1.0>>", "", "tensor<f32>")), "");
}

TEST(Stablehlo, WhatTheLanguageDoesNotAllowIsRefusedWhereItStands) {
  const std::pair<std::string, const char*> lines[] = {
      {"%r = stablehlo.negate %x : tensor<4xf32>\n  %r = stablehlo.abs %x : tensor<4xf32>",
       "value '%r' is there already; f.mlir:3:8"},
      {"%r = stablehlo.convert %x : (tensor<5xf32>) -> tensor<4xf32>",
       "operand 0 is f32[4], its type here is f32[5]"},
      {"%r = stablehlo.add %x, %x : tensor<5xf32>", "f.mlir:2:8"},
      {"%r = stablehlo.concatenate %x, %x, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
       "f.mlir:2:8"},
      {"%r = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<5xf32>", "f.mlir:2:8"},
      {"%r = stablehlo.slice %x [0:2] : (tensor<4xf32>) -> tensor<2xf32>",
       "returns f32[2], its type here is f32[4]"},
  };
  for (const auto& [line, part] : lines) {
    const std::string said = refusal(on_x("tensor<4xf32>", line, "tensor<4xf32>"));
    EXPECT_NE(said.find(part), std::string::npos) << line << "\n" << said;
  }
  const std::string header =
      "func.func @main(%x: tensor<2xf32>) -> tensor<4xf32> {\n return %x : tensor<2xf32>\n}\n";
  EXPECT_NE(refusal(header).find("returns f32[2], its header says f32[4]; f.mlir:1:"), std::string::npos);
  const std::string region =
      "sdy.mesh @m = <[\"x\"=2]>\nfunc.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n %r = "
      "sdy.manual_computation(%a) in_shardings=[<@m, [{\"x\"}]>] out_shardings=[<@m, [{\"x\"}]>] "
      "manual_axes={\"x\"} (%b: tensor<8xf32>) {\n  sdy.return %b : tensor<8xf32>\n } : (tensor<8xf32>) -> "
      "tensor<8xf32>\n return %r : tensor<8xf32>\n}\n";
  EXPECT_NE(refusal(region).find("part of f32[8] is f32[8] here, expected 4 in dimension 0"),
            std::string::npos)
      << refusal(region);
}

// The text that an operation becomes, of the entry's last but one line on.
std::string printed(const std::string& arguments, const std::string& body, const std::string& result) {
  const Program p = read("func.func @main(" + arguments + ") -> " + result + " {\n" + body + "\n}\n");
  return print_program(p, HloStyle::bare);
}

TEST(Stablehlo, OperationsThatHloOnlyNamesKeepWhatTheySay) {
  const std::string v = "tensor<4xf32>", m = "tensor<4x4xf32>", t = "!stablehlo.token";
  const std::tuple<std::string, std::string, std::string, const char*> cases[] = {
      {"%a: " + m, "%r = stablehlo.cholesky %a, lower = true : " + m + "\nreturn %r : " + m, m,
       "cholesky(a), lower=true"},
      {"%a: " + m,
       "%r = \"stablehlo.triangular_solve\"(%a, %a) <{left_side = true, lower = false, transpose_a = "
       "#stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (" +
           m + ", " + m + ") -> " + m + "\nreturn %r : " + m,
       m, "triangular-solve(a, a), left_side=true, unit_diagonal=true, transpose_a=ADJOINT"},
      {"%a: tensor<4xcomplex<f32>>",
       "%r = stablehlo.fft %a, type = IFFT, length = [4] : (tensor<4xcomplex<f32>>) -> "
       "tensor<4xcomplex<f32>>\nreturn %r : tensor<4xcomplex<f32>>",
       "tensor<4xcomplex<f32>>", "fft(a), fft_type=IFFT, fft_length={4}"},
      {"%a: " + m + ", %b: " + v,
       "%r = \"stablehlo.batch_norm_inference\"(%a, %b, %b, %b, %b) <{epsilon = 1.000000e-03 : f32, "
       "feature_index = 1 : i64}> : (" +
           m + ", " + v + ", " + v + ", " + v + ", " + v + ") -> " + m + "\nreturn %r : " + m,
       m, "batch-norm-inference(a, b, b, b, b), epsilon=0.001, feature_index=1"},
      {"%a: " + v, "%r = chlo.asinh %a : " + v + " -> " + v + "\nreturn %r : " + v, v, "asinh(a)"},
      {"%a: " + v, "%r = chlo.erf_inv %a : " + v + " -> " + v + "\nreturn %r : " + v, v,
       "custom-call(a), custom_call_target=\"chlo.erf_inv\""},
      {"%t: " + t,
       "%r:3 = \"stablehlo.infeed\"(%t) <{infeed_config = \"x\"}> : (" + t + ") -> (" + v +
           ", tensor<i32>, " + t + ")\nreturn %r#1 : tensor<i32>",
       "tensor<i32>", "((f32[4], s32[]), token[]) infeed(t), infeed_config=\"x\""},
      {"%a: " + v + ", %t: " + t,
       "%r = \"stablehlo.send\"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, "
       "is_host_transfer = true}> : (" +
           v + ", " + t + ") -> " + t + "\nreturn %r : " + t,
       t, "send(a, t), channel_id=5, is_host_transfer=true"},
      {"%t: " + t,
       "%r:2 = \"stablehlo.recv\"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>}> : "
       "(" +
           t + ") -> (" + v + ", " + t + ")\nreturn %r#0 : " + v,
       v, "(f32[4], token[]) recv-done(recv."},
      {"%a: " + m + ", %u: tensor<2x2xf32>, %z: tensor<f32>",
       "%r = \"stablehlo.select_and_scatter\"(%a, %u, %z) <{window_dimensions = array<i64: 2, 2>, "
       "window_strides "
       "= array<i64: 2, 2>}> ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n %1 = stablehlo.compare GE, %x, %y "
       ": "
       "(tensor<f32>, tensor<f32>) -> tensor<i1>\n stablehlo.return %1 : tensor<i1>\n}, {\n^bb0(%x: "
       "tensor<f32>, %y: tensor<f32>):\n %1 = stablehlo.add %x, %y : tensor<f32>\n stablehlo.return %1 : "
       "tensor<f32>\n}) : (" +
           m + ", tensor<2x2xf32>, tensor<f32>) -> " + m + "\nreturn %r : " + m,
       m, "select-and-scatter(a, u, z), window={size=2x2 stride=2x2}, select=select."},
  };
  for (const auto& [arguments, body, result, part] : cases) {
    const std::string text = printed(arguments, body, result);
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(Stablehlo, WindowsThatNoArrayHasAreRefused) {
  for (const char* window :
       {"stride = [0]", "pad = [[9223372036854775807, 1]]", "lhs_dilate = [0]", "rhs_dilate = [-1]",
        "stride = [-9223372036854775808]", "lhs_dilate = [9223372036854775807]"}) {
    const std::string said = refusal(
        "func.func @main(%x: tensor<1x4x2xf32>, %w: tensor<2x2x3xf32>) -> tensor<1x4x3xf32> {\n %r = "
        "stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {" +
        std::string(window) +
        "} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xf32>, "
        "tensor<2x2x3xf32>) "
        "-> tensor<1x4x3xf32>\n return %r : tensor<1x4x3xf32>\n}\n");
    EXPECT_NE(said.find("f.mlir:2:"), std::string::npos) << window << said;
  }
  for (const char* pad : {"low = [9223372036854775807], high = [1], interior = [0]",
                          "low = [0], high = [0], interior = [9223372036854775807]",
                          "low = [-9223372036854775808], high = [0], interior = [-1]"}) {
    const std::string said =
        refusal(on_x("tensor<4xf32>",
                     "%z = stablehlo.constant dense<0.0> : tensor<f32>\n  %r = stablehlo.pad %x, %z, " +
                         std::string(pad) + " : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>",
                     "tensor<4xf32>"));
    EXPECT_NE(said.find("f.mlir:3:"), std::string::npos) << pad << said;
  }
}

// As jax.export writes it.
TEST(Stablehlo, MeshesThatBecameTextAreThoseOfTheModule) {
  const Program p = read(
      "module @m attributes {mhlo.frontend_attributes = {xla.sdy.meshes = \"{mesh = "
      "#sdy.mesh<[\\22a\\22=2]>}\", "
      "other = \"x\"}, mhlo.num_partitions = 2 : i32} {\n func.func public @main(%x: tensor<4xf32> "
      "{mhlo.frontend_attributes = {xla.sdy.sharding = \"#sdy.sharding<@mesh, [{\\22a\\22}]>\"}, "
      "mhlo.sharding = "
      "\"{devices=[2]<=[2]}\"}) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n }\n}\n");
  const std::string text = print_program(p, HloStyle::bare);
  EXPECT_NE(
      text.find("frontend_attributes={xla.sdy.meshes=\"{mesh = #sdy.mesh<[\\\"a\\\"=2]>}\",other=\"x\"}"),
      std::string::npos)
      << text;
  ModuleShardings said(p);
  ASSERT_EQ(said.meshes().size(), 1u);
  EXPECT_EQ(p.entry_computation().instructions[0].sharding->text(), "{devices=[2]<=[2]}") << text;
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

// Groups along no axis are something else: each device alone.
TEST(Stablehlo, GroupsAlongMeshAxesSayTheAxes) {
  const auto module = [](const std::string& axes) {
    return read_stablehlo(
        "module @m { sdy.mesh @m = <[\"x\"=2]>\n func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> "
        "{\n"
        " %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{\"x\"}]>] out_shardings=[<@m, [{\"x\"}]>] "
        "manual_axes={\"x\"} (%b: tensor<2xf32>) {\n"
        "  %1 = \"stablehlo.all_reduce\"(%b) <{replica_groups = "
        "#stablehlo.replica_group_mesh_axes<mesh = @m" +
            axes +
            ">, use_global_device_ids}> ({\n"
            "  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n   %s = stablehlo.add %p, %q : tensor<f32>\n"
            "   stablehlo.return %s : tensor<f32>\n  }) : (tensor<2xf32>) -> tensor<2xf32>\n"
            "  sdy.return %1 : tensor<2xf32>\n } : (tensor<4xf32>) -> tensor<4xf32>\n return %0 : "
            "tensor<4xf32>\n }}",
        "m");
  };
  const auto read = module(", axes = [#stablehlo.axis_ref<name = \"x\">]");
  EXPECT_TRUE(read.ok()) << read.error().text();
  for (const char* none : {"", ", axes| = [#stablehlo.axis_ref<name = \"x\">]"}) {
    const auto refused = module(none);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().what, "replica groups without axes");
  }
}

// A long one, as JAX writes it: the bytes of its message.
TEST(Stablehlo, AShardingMayStandAsItsBytes) {
  const auto module = [](const std::string& bytes) {
    return read_stablehlo("module @m { func.func public @main(%arg0: tensor<4x4xf32> {mhlo.sharding = \"" +
                              bytes + "\"}) -> tensor<4x4xf32> { return %arg0 : tensor<4x4xf32> } }",
                          "m");
  };
  const auto read = module("\\08\\03\\1A\\02\\02\\01\\22\\02\\01\\00");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(read->entry_computation().instructions[0].sharding->text(), "{devices=[2,1]1,0}");
  const auto broken = module("\\08");
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().what, "neither a sharding nor the bytes of one");
}

}  // namespace
}  // namespace shardscope::stablehlo_test
