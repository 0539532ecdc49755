// SPDX-License-Identifier: Apache-2.0
// Operations of scalars apply to each element; those of a library come with all that they call.
#include "engine/program/registered.h"

#include <gtest/gtest.h>

namespace shardscope::registered_test {
namespace {

Program read(const std::string& text) {
  auto out = parse_program(text);
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().text());
  return out.ok() ? *std::move(out) : Program();
}

const std::string kUpdate =
    "update {\n w = f32[] parameter(0)\n g = f32[] parameter(1)\n r = f32[] parameter(2)\n"
    " one = f32[] constant(1)\n k = f32[] add(r, one)\n m = f32[] multiply(k, g)\n d = f32[] subtract(w, m)\n"
    " ROOT t = (f32[], f32[]) tuple(d, k)\n}\n";

TEST(ScalarOperation, AppliesToEachElement) {
  const Program module = read(
      "HloModule m\nENTRY e {\n a = f32[3,2] parameter(0)\n b = f32[3,2] parameter(1)\n c = f32[] "
      "parameter(2)\n"
      " d = f32[5] parameter(3)\n u = (f32[3,2], f32[]) custom-call(a, b, c), custom_call_target=\"update\"\n"
      " v = (f32[5], f32[]) custom-call(d, d, c), custom_call_target=\"update\"\n"
      " x = f32[3,2] get-tuple-element(u), index=0\n y = f32[5] get-tuple-element(v), index=0\n"
      " ROOT t = (f32[3,2], f32[5]) tuple(x, y)\n}\n");
  const Program library = read("HloModule l\n" + kUpdate + "ENTRY f {\n ROOT x = f32[] parameter(0)\n}\n");
  const auto made = with_operations(module, library);
  ASSERT_TRUE(made.ok()) << made.error().text();
  ASSERT_TRUE(verify(*made).ok()) << verify(*made).error().text();
  const Computation* wide = computation_named(*made, "update.3x2");
  ASSERT_NE(wide, nullptr);
  EXPECT_EQ(wide->root_instruction().shape.text_without_layout(), "(f32[3,2], f32[])")
      << "what follows from scalars alone stays one";
  EXPECT_NE(computation_named(*made, "update.5"), nullptr);
  EXPECT_EQ(print_program(read(print_program(*made))), print_program(*made));
}

std::string refusal(const std::string& operation, const std::string& entry) {
  const auto made = with_operations(
      read("HloModule m\nENTRY e {\n a = f32[3] parameter(0)\n b = f32[2] parameter(1)\n" + entry + "}\n"),
      read("HloModule l\n" + operation + "ENTRY f {\n ROOT x = f32[] parameter(0)\n}\n"));
  EXPECT_FALSE(made.ok());
  return made.ok() ? "" : made.error().text();
}

TEST(ScalarOperation, RefusesArraysOfSeveralShapesAndWhatIsNotElementwise) {
  EXPECT_EQ(
      refusal("op {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = f32[] add(x, y)\n}\n",
              " ROOT c = f32[3] custom-call(a, b), custom_call_target=\"op\"\n"),
      "operation op is applied to each element, got arrays of several shapes: f32[2] and [3]; instruction c");
  EXPECT_EQ(
      refusal("op {\n x = f32[] parameter(0)\n y = f32[1] reshape(x)\n ROOT s = f32[] reshape(y)\n}\n",
              " ROOT c = f32[3] custom-call(a), custom_call_target=\"op\"\n"),
      "operation op is of scalars, and reshape 'y' is no elementwise operation: it cannot be applied to each "
      "element; computation op; write it for the shape of its operands");
}

// Both have a computation "add" that is not the same.
TEST(Operation, BringsItsOwnComputationsWhateverTheyAreCalled) {
  const Program module = read(
      "HloModule m\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
      "ENTRY e {\n x = f32[4] parameter(0)\n y = f32[] custom-call(x), custom_call_target=\"most\"\n"
      " z = f32[] constant(0)\n s = f32[] reduce(x, z), dimensions={0}, to_apply=add\n"
      " ROOT t = (f32[], f32[]) tuple(y, s)\n}\n");
  const Program library = read(
      "HloModule l\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] maximum(a, "
      "b)\n}\n"
      "most {\n x = f32[4] parameter(0)\n z = f32[] constant(0)\n"
      " ROOT m = f32[] reduce(x, z), dimensions={0}, to_apply=add\n}\n"
      "ENTRY f {\n ROOT x = f32[] parameter(0)\n}\n");
  const auto made = with_operations(module, library);
  ASSERT_TRUE(made.ok()) << made.error().text();
  const Computation* most = computation_named(*made, "most");
  ASSERT_NE(most, nullptr);
  const Computation& folded = made->computation(most->root_instruction().called->front().computation);
  EXPECT_EQ(folded.root_instruction().opcode, Opcode::maximum);
}

}  // namespace
}  // namespace shardscope::registered_test
