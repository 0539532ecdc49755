// SPDX-License-Identifier: Apache-2.0
// Texts of which every word can be read, and which no compiler takes.
#include <gtest/gtest.h>
#include <string>

#include "engine/program/text/hlo_text.h"

namespace shardscope::hlo_refuses_test {
namespace {

struct Refused {
  const char* body;   // of the entry; x is f32[2], p is (f32[2], f32[2])
  const char* error;  // a part of it
};

std::string error_of(const std::string& text) {
  const auto program = parse_program(text, "f.hlo");
  return program.ok() ? "accepted" : program.error().text();
}

std::string entry(const std::string& body) {
  return "HloModule m\nw {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] abs(x)\n}\n"
         "v {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] abs(x)\n}\n"
         "ENTRY e {\n  x = f32[2] parameter(0)\n  p = (f32[2], f32[2]) parameter(1)\n" +
         body + "\n}\n";
}

void refuses(std::initializer_list<Refused> cases) {
  for (const Refused& c : cases) {
    const std::string error = error_of(entry(c.body));
    EXPECT_NE(error.find(c.error), std::string::npos) << c.body << "\n" << error;
  }
}

TEST(HloRefuses, OperationsAndOperandsThatAreNot) {
  refuses({
      {"y = f32[2] le(x, x)", "got opcode 'le', expected an operation of HLO"},
      {"y = pred[2] compare(x), direction=EQ", "got 1 operands, expected 2"},
      {"y = f32[2] add(x, f32[3] x)", "operand 'x' is f32[3] here, expected its own shape f32[2]"},
      {"y = f32[2] get-tuple-element(p#2), index=0", "element 2 of (f32[2], f32[2])"},
      {"y = add(x, p)", "operand 1 is a tuple"},
      {"y = reshape(x)", "needs its shape written"},
      {"y = f32[2] parameter(0)", "parameter 0 is defined twice"},
      {"y = f32[2] parameter(-1)", "parameter number -1"},
      {"y = f32[2] parameter(7)", "has no parameter 2, but one of a greater number"},
      {"y = pred[] infeed(x)", "expected a tuple"},
      {"y = f32[2] abs(x), control-predecessors={z}", "control-predecessors: got 'z'"},
      {"y = sqrt(f32[2,2] broadcast(x))", "needs dimensions, one for each of f32[2]"},
  });
}

TEST(HloRefuses, AttributesOfOtherOperationsMissingOnesAndRepeatedOnes) {
  refuses({
      {"y = f32[2] abs(x), calls=w", "'y' has an attribute 'calls', which is none of its operation"},
      {"y = s8[2,4] bitcast-convert(x), result_accuracy={mode=highest}", "none of its operation"},
      {"y = f32[2] exponential(x), result_accuracy={mode=high}", "expected a mode or tolerance"},
      {"y = f32[2] reverse(x), dimensions={0}, dimensions={0}", "'dimensions' stands twice"},
      {"y = f32[2] reverse(x)", "'y' has no attribute 'dimensions'"},
      {"y = f32[2] get-tuple-element(p)", "'y' has no attribute 'index'"},
      {"y = f32[1] slice(x)", "no attribute 'slice'"},
      {"y = f32[2] custom-call(x)", "no attribute 'custom_call_target'"},
      {"y = s32[2] iota()", "no attribute 'iota_dimension'"},
      {"y = f32[2] custom-call(x), custom_call_target=\"t\", operand_layout_constraints={}",
       "0 operand_layout_constraints, expected 1"},
      {"y = f32[2] custom-call(x), custom_call_target=\"t\", operand_layout_constraints={f32[3]}",
       "for operand 0, which is f32[2]"},
      {"y = f32[2] custom-call(x), custom_call_target=\"t\", api_version=API_VERSION_NEXT", "none of XLA's"},
      {"q = (f32[2], f32[]) parameter(2), parameter_replication={true,false,true}",
       "of 3 arrays, expected 2"},
  });
}

TEST(HloRefuses, ConstantsThatDoNotFitTheirShapes) {
  refuses({
      {"y = f32[2] constant({1, {2}})", "'', expected f32[2]"},
      {"y = f32[2,3] constant({1, 2, 3, 4, 5, 6})", "nothing nested in dimension 1"},
      {"y = f32[2] constant({1})", "1 elements in dimension 0"},
      {"y = f32[2] constant({1, 2, 3})", "more elements in dimension 0"},
      {"y = f32[] constant(1 2)", "more than its elements"},
      {"y = f16[] constant(-65520)", "'-65520', expected f16[]"},
      {"y = bf16[] constant(1e100)", "'1e100'"},
      {"y = f64[] constant(1.8e308)", "'1.8e308'"},
      {"y = f8e4m3fn[] constant(464)", "'464'"},
      {"y = f8e5m2[] constant(61440)", "'61440'"},
      {"y = f8e4m3[] constant(-248)", "'-248'"},
      {"y = f8e3m4[] constant(15.75)", "'15.75'"},
      {"y = f8e4m3b11fnuz[] constant(31)", "'31'"},
      {"y = f8e4m3fnuz[1] constant({nan(0x1)})", "'nan(0x1)'"},
      {"y = u4[] constant(-1)", "'-1'"},
      {"y = u2[] constant(4)", "'4'"},
      {"y = s2[] constant(2)", "'2'"},
      {"y = s1[] constant(1)", "'1'"},
      {"y = u4[] constant(16)", "'16'"},
      {"y = s4[] constant(-9)", "'-9'"},
      {"y = u32[] constant(4294967296)", "'4294967296'"},
      {"y = s32[] constant(1.5)", "'1.5'"},
      {"y = pred[] constant(2)", "'2'"},
      {"y = c64[] constant((1e100, 0))", "'1e100'"},
      {"y = bf16[1] constant({nan(0x3ff)})", "'nan(0x3ff)'"},
      {"y = f8e4m3fn[1] constant({nan(0x1)})", "'nan(0x1)'"},
  });
}

TEST(HloRefuses, LayoutsThatDoNotFitTheirShapes) {
  refuses({
      {"y = f32[1,2,3]{1:T(2,*,128)} parameter(2)", "layout of 1 dimensions, expected 3"},
      {"y = f32[2,2]{1,1} parameter(2)", "each dimension once"},
      {"y = f32[2,2]{1,0:D(X,C)} parameter(2)", "layout levels D(X,C)"},
      {"y = f32[2,2]{1,0:T(128,8)P(f32[2,2])} parameter(2)", "physical shape"},
      {"y = f32[2,2]{1,0:Q(1)} parameter(2)", "layout has 'Q'"},
  });
}

TEST(HloRefuses, AsynchronousPairsThatAreNone) {
  const char* start = "s = ((f32[2]), f32[2], s32[]) async-start(x), calls=w\n";
  const std::string own = "s = ((f32[2]), f32[2], s32[]) abs-start(x)\n";
  const std::pair<std::string, const char*> cases[] = {
      {"s = (f32[2], f32[2], s32[]) async-start(x), calls=w", "expected ((operands), results, state)"},
      {"s = ((f32[2])) async-start(x), calls=w", "expected ((operands), results, state)"},
      {std::string(start) + "t = ((f32[2]), f32[2], s32[]) async-start(x), calls=w",
       "'t' starts a computation that another one starts"},
      {std::string(start) + "u = (f32[2], f32[2], s32[]) async-update(s)", "expected its operand's"},
      {std::string(start) + "d = f32[2] async-done(s), calls=v", "calls another computation than its start"},
      {"d = f32[2] abs-done(p)", "operand is parameter, expected an asynchronous operation"},
      {own + "d = f32[2] negate-done(s)", "ends negate, expected abs"},
  };
  for (const auto& [body, part] : cases) {
    const std::string error = error_of(entry(body));
    EXPECT_NE(error.find(part), std::string::npos) << body << "\n" << error;
  }
}

TEST(HloRefuses, BranchesThatDoNotFitTheirChoice) {
  for (const auto& [choice, part] :
       {std::pair("s32[2]", "expected pred[] or s32[]"), std::pair("f32[]", "expected pred[] or s32[]"),
        std::pair("pred[]", "expected true_computation and false_computation")}) {
    const std::string error = error_of(entry("b = " + std::string(choice) +
                                             " parameter(2)\nROOT y = f32[2] conditional(b, x, x), "
                                             "branch_computations={w, v}"));
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }
}

TEST(HloRefuses, SignaturesThatTheirRootsDoNotKeep) {
  EXPECT_EQ(error_of("HloModule m\nENTRY e (x: f32[2]) -> f32[3] {\n  x = f32[2] parameter(0)\n}\n"),
            "computation 'e' gives f32[2], expected its signature's f32[3]; f.hlo:2:7");
}

TEST(HloRefuses, AliasesThatCannotBeRead) {
  for (const char* attribute :
       {"input_output_alias={ {0, a}: (0, {0}) }", "input_output_alias={ {0}: (0, {0}), (0, {1}) }",
        "input_output_alias={ {0}: (0, {0}): {0, 1} }", "input_output_alias={ {0}: (zero, {0}) }",
        "buffer_donor={ (0, {0, a}) }", "buffer_donor={ (zero, {0}) }"}) {
    const std::string error =
        error_of(std::string("HloModule m, ") + attribute + "\nENTRY e {\n  x = f32[2] parameter(0)\n}\n");
    EXPECT_NE(error.find("got '"), std::string::npos) << attribute << "\n" << error;
  }
}

TEST(HloRefuses, WhatIsNestedWithoutEnd) {
  std::string operands = "f32[] ", inner = "HloModule t\nENTRY e {\n";
  for (int k = 0; k < 50000; ++k) operands += "add(f32[] ";
  operands += "constant(0)";
  for (int k = 0; k < 50000; ++k) operands += ", f32[] constant(0))";
  EXPECT_NE(error_of(operands).find("nested at most 64 deep"), std::string::npos);
  for (int k = 0; k < 2000; ++k) inner += "ROOT r = f32[] call(), to_apply={\n";
  inner += "ROOT r = f32[] constant(0)\n";
  for (int k = 0; k < 2000; ++k) inner += "}\n";
  EXPECT_NE(error_of(inner + "}").find("nested at most 32 deep"), std::string::npos);
}

TEST(HloRefuses, OneInstructionThatIsNotAlone) {
  EXPECT_NE(error_of("multiply(f32[2] %b, f32[2] %x)"), "accepted");
  EXPECT_NE(error_of("m = f32[2] multiply(%b, %x)"), "accepted");
  EXPECT_NE(error_of("p = f32[2] parameter(0)\nt = f32[2] abs(p)\n"), "accepted");
  EXPECT_NE(error_of("r = f32[] reduce(f32[9], f32[]), dimensions={0}, to_apply={\n  s = f32[] add(f32[] x, "
                     "f32[] y)\n}"),
            "accepted");
}

}  // namespace
}  // namespace shardscope::hlo_refuses_test
