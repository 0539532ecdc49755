// SPDX-License-Identifier: Apache-2.0
// Types of values in JAX's explicit mode: what JAX 0.10.2 answered on a mesh X=2, Y=4 of explicit axes.
#include "engine/partition/shardy/explicit_types.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/partition/types/spmd_mesh.h"
#include "engine/program/text/hlo_text.h"

namespace shardscope::explicit_types_test {
namespace {

AxisMesh mesh() {
  return axis_mesh(*Mesh::parse("X=2,Y=4"));
}

// By name of a dimension's axes: "X", "XY", "".
std::string sharding(const std::vector<std::string>& dims) {
  AxisTiles tiles;
  for (const std::string& axes : dims) {
    tiles.dims.emplace_back();
    for (const char axis : axes)
      tiles.dims.back().push_back({axis == 'X' ? size_t{0} : size_t{1}, 1, axis == 'X' ? 2 : 4});
  }
  return tiled_by_axes(mesh(), tiles, RestOfAxes::last_subgroup)->text();
}

struct Argument {
  std::string shape;
  std::vector<std::string> dims;
};
// The type of the instruction r, or its error.
std::string type_of(const std::vector<Argument>& arguments, const std::string& body) {
  std::string text =
      "HloModule m\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n"
      "ENTRY e {\n";
  for (size_t k = 0; k < arguments.size(); ++k)
    text += fmt::format("p{} = {} parameter({}), sharding={}\n", k, arguments[k].shape, k,
                        sharding(arguments[k].dims));
  const auto module = parse_program(text + body + "\n}\n");
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  if (!module.ok()) return "";
  const std::vector<ExplicitValue> values = explicit_types(*module, mesh());
  const Computation& entry = module->entry_computation();
  for (size_t k = 0; k < values.size(); ++k) {
    if (entry.instructions[k].name != "r") continue;
    if (!values[k].error.empty()) return values[k].error;
    return values[k].type ? jax_type(entry.instructions[k].shape, *values[k].type, mesh()) : "none";
  }
  return "no r";
}

TEST(ExplicitTypes, OfElementwiseAreWhatAnyOperandSays) {
  const std::string add = "ROOT r = f32[8,16] add(p0, p1)";
  EXPECT_EQ(type_of({{"f32[8,16]", {"", ""}}, {"f32[8,16]", {"X", "Y"}}}, add), "f32[8@X,16@Y]");
  EXPECT_EQ(type_of({{"f32[8,16]", {"X", ""}}, {"f32[8,16]", {"", "Y"}}}, add), "f32[8@X,16@Y]");
  EXPECT_EQ(type_of({{"f32[8,16]", {"X", "Y"}}, {"f32[8,16]", {"XY", ""}}}, add),
            "add got incompatible shardings for broadcasting: ('X', 'Y'), (('X', 'Y'), None).");
  EXPECT_EQ(type_of({{"f32[8,16]", {"X", ""}}, {"f32[8,16]", {"", "X"}}}, add),
            "add operation with inputs: f32[8@X,16], f32[8,16@X] produces an illegally sharded result: "
            "f32[8@X,16@X]");
  EXPECT_EQ(type_of({{"f32[8]", {"XY"}}}, "ROOT r = f32[8] negate(p0)"), "f32[8@(X,Y)]");
}

TEST(ExplicitTypes, OfAProductAskWhereAContractionIsSplit) {
  const std::string dot = "ROOT r = f32[8,8] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  const auto of = [&](std::vector<std::string> lhs, std::vector<std::string> rhs) {
    return type_of({{"f32[8,16]", std::move(lhs)}, {"f32[16,8]", std::move(rhs)}}, dot);
  };
  EXPECT_EQ(of({"", "Y"}, {"", ""}), "f32[8,8]");
  EXPECT_EQ(of({"X", ""}, {"", "Y"}), "f32[8@X,8@Y]");
  EXPECT_EQ(of({"", "Y"}, {"", "Y"}), "f32[8,8@Y]");
  EXPECT_EQ(
      of({"X", "Y"}, {"Y", ""}),
      "Contracting dimensions are sharded and it is ambiguous how the output should be sharded. Please "
      "specify the output sharding via the `out_sharding` parameter. Got lhs_contracting_spec=('Y',) and "
      "rhs_contracting_spec=('Y',)");
  EXPECT_EQ(
      of({"", "Y"}, {"X", ""}),
      "dot_general requires contracting dimensions to have consistent sharding, got ('Y',) and ('X',).");
  EXPECT_EQ(
      of({"X", ""}, {"", "X"}),
      "dot_general operation with inputs: f32[8@X,16], f32[16,8@X] produces an illegally sharded result: "
      "f32[8@X,8@X]");
  const std::string batched =
      "ROOT r = f32[8,4,4] dot(p0, p1), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
      "rhs_contracting_dims={1}";
  EXPECT_EQ(type_of({{"f32[8,4,4]", {"X", "", ""}}, {"f32[8,4,4]", {"", "", ""}}}, batched), "f32[8@X,4,4]");
  EXPECT_EQ(
      type_of({{"f32[8,4,4]", {"X", "", ""}}, {"f32[8,4,4]", {"Y", "", ""}}}, batched),
      "dot_general requires lhs batch dimensions and rhs batch dimensions to have the consistent sharding, "
      "got ('X',) and ('Y',).");
}

TEST(ExplicitTypes, OfReshapesSplitOrJoinOneDimension) {
  const auto of = [](std::vector<std::string> dims, const std::string& to) {
    return type_of({{"f32[8,16]", std::move(dims)}}, "ROOT r = f32[" + to + "] reshape(p0)");
  };
  const std::string refused =
      "This reshape is not supported. Please specify the sharding of the output via the `out_sharding` "
      "argument "
      "of jax.lax.reshape. Got operand type: ";
  EXPECT_EQ(of({"X", ""}, "128"), "f32[128@X]");
  EXPECT_EQ(of({"X", "Y"}, "128"), "f32[128@(X,Y)]");
  EXPECT_EQ(of({"X", "Y"}, "4,2,16"), "f32[4@X,2,16@Y]");
  EXPECT_EQ(of({"", "Y"}, "8,4,4"), "f32[8,4@Y,4]");
  EXPECT_EQ(of({"X", "Y"}, "1,8,16"), "f32[1,8@X,16@Y]");
  EXPECT_EQ(of({"", "Y"}, "128"), refused + "f32[8,16@Y], new sizes: (128,)");
  EXPECT_EQ(of({"", "Y"}, "8,2,8"), refused + "f32[8,16@Y], new sizes: (8, 2, 8)");
  EXPECT_EQ(of({"X", ""}, "4,32"), refused + "f32[8@X,16], new sizes: (4, 32)");
}

TEST(ExplicitTypes, OfWhatMovesKeepSplitsThatDivide) {
  const Argument rows{"f32[8,16]", {"X", ""}}, columns{"f32[8,16]", {"", "Y"}};
  EXPECT_EQ(type_of({rows}, "ROOT r = f32[16,8] transpose(p0), dimensions={1,0}"), "f32[16,8@X]");
  EXPECT_EQ(type_of({rows}, "ROOT r = f32[3,8,16] broadcast(p0), dimensions={1,2}"), "f32[3,8@X,16]");
  EXPECT_EQ(type_of({rows}, "ROOT r = f32[4,16] slice(p0), slice={[2:6], [0:16]}"), "f32[4@X,16]");
  EXPECT_EQ(
      type_of({rows}, "ROOT r = f32[3,16] slice(p0), slice={[0:3], [0:16]}"),
      "slicing on sharded dims where out dim (3) is not divisible by mesh axes (2) with spec ('X') is not "
      "implemented. Got input type=f32[8@X,16]");
  EXPECT_EQ(type_of({rows}, "z = f32[] constant(0)\nROOT r = f32[16,16] pad(p0, z), padding=0_8x0_0"),
            "f32[16@X,16]");
  EXPECT_EQ(type_of({rows, columns}, "ROOT r = f32[8,32] concatenate(p0, p1), dimensions={1}"),
            "All operands should have the same sharding. Got shardings P('X', None), P(None, 'Y')");
  EXPECT_EQ(
      type_of({rows}, "z = f32[] constant(0)\nROOT r = f32[16] reduce(p0, z), dimensions={0}, to_apply=add"),
      "f32[16]");
}

}  // namespace
}  // namespace shardscope::explicit_types_test
