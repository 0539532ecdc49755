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
constexpr const char* kAdd =
    "HloModule m\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}\n";
// The type of the instruction r, or its error. `called`: the module's beginning, what r calls.
std::string type_of(const std::vector<Argument>& arguments, const std::string& body,
                    const std::string& called = kAdd) {
  std::string text = called + "ENTRY e {\n";
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

TEST(ExplicitTypes, OfSortedAndLargestNeedAWholeDimension) {
  const Argument rows{"f32[8,16]", {"X", ""}}, columns{"f32[8,16]", {"", "Y"}};
  const std::string comparator =
      "HloModule m\nless { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = pred[] compare(a, b), "
      "direction=LT\n}\n";
  const auto sorted = [&](const Argument& of) {
    return type_of({of}, "ROOT r = f32[8,16] sort(p0), dimensions={1}, to_apply=less", comparator);
  };
  EXPECT_EQ(sorted(rows), "f32[8@X,16]");
  EXPECT_EQ(
      sorted(columns),
      "Arguments to sort must be unsharded over the sorting dimension. Got arg sharding=P(None, 'Y') and "
      "sorting dimension=1");
  const std::string top =
      "t = (f32[8,4], s32[8,4]) topk(p0), k=4, largest=true\n"
      "ROOT r = s32[8,4] get-tuple-element(t), index=1";
  EXPECT_EQ(type_of({rows}, top), "i32[8@X,4]");
  const std::string top_alone = "ROOT r = (f32[8,4], s32[8,4]) topk(p0), k=4, largest=true";
  EXPECT_EQ(type_of({columns}, top_alone),
            "The input should be unsharded over the axis along which to compute the top_k values. Got input "
            "type=f32[8,16@Y] and axis=1");
}

TEST(ExplicitTypes, OfCumulativeSumsNeedTheirDimension) {
  const auto of = [](std::vector<std::string> dims) {
    return type_of({{"f32[8,16]", std::move(dims)}},
                   "z = f32[] constant(0)\nROOT r = f32[8,16] reduce-window(p0, z), window={size=8x1 "
                   "pad=7_0x0_0}, to_apply=add");
  };
  EXPECT_EQ(of({"", "Y"}), "f32[8,16@Y]");
  EXPECT_EQ(of({"X", "Y"}),
            "Input should be unsharded over the axis being reduced. Got input type=f32[8@X,16@Y] and axis=0");
}

TEST(ExplicitTypes, OfGathersFollowWhatIsTakenWhole) {
  const std::string rows_taken =
      "ROOT r = f32[4,16] gather(p0, p1), offset_dims={1}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={1,16}";
  const auto of = [&](std::vector<std::string> array, std::vector<std::string> places) {
    return type_of({{"f32[8,16]", std::move(array)}, {"s32[4,1]", std::move(places)}}, rows_taken);
  };
  const std::string refused =
      "Use `.at[...].get(out_sharding=)` to provide output PartitionSpec for the gather indexing as out "
      "sharding "
      "could not be resolved unambiguously (or would require collectives on inputs). Got operand=";
  EXPECT_EQ(of({"", "Y"}, {"", ""}), "f32[4,16@Y]");
  EXPECT_EQ(of({"X", ""}, {"", ""}), refused + "f32[8@X,16], indices=i32[4,1]");
  EXPECT_EQ(of({"", ""}, {"X", ""}), refused + "f32[8,16], indices=i32[4@X,1]");
  const std::string paired =
      "ROOT r = f32[8,4] gather(p0, p1), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, "
      "operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}";
  EXPECT_EQ(type_of({{"f32[8,16]", {"X", ""}}, {"s32[8,4,1]", {"X", "", ""}}}, paired), "f32[8@X,4]");
  EXPECT_EQ(type_of({{"f32[8,16]", {"X", ""}}, {"s32[8,4,1]", {"", "", ""}}}, paired), "f32[8@X,4]");
  EXPECT_EQ(type_of({{"f32[8,16]", {"X", ""}}, {"s32[8,4,1]", {"Y", "", ""}}}, paired),
            refused + "f32[8@X,16], indices=i32[8@Y,4,1]");
}

TEST(ExplicitTypes, OfScattersAskForUpdatesThatLieAsTheArray) {
  const std::string scatter =
      "ROOT r = f32[8,16] scatter(p0, p1, p2), update_window_dims={1}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add";
  const auto of = [&](std::vector<std::string> array, std::vector<std::string> updates) {
    return type_of(
        {{"f32[8,16]", std::move(array)}, {"s32[4,1]", {"", ""}}, {"f32[4,16]", std::move(updates)}},
        scatter);
  };
  EXPECT_EQ(of({"", "Y"}, {"", "Y"}), "f32[8,16@Y]");
  EXPECT_EQ(
      of({"X", "Y"}, {"", "Y"}),
      "Use `.at[...].set/add/mul/...(out_sharding=)` to provide output PartitionSpec for the scatter update "
      "as out sharding could not be resolved unambiguously (or would require collectives on inputs). Got "
      "operand=f32[8@X,16@Y], indices=i32[4,1], updates=f32[4,16@Y]");
}

TEST(ExplicitTypes, OfConvolutionsKeepTheImages) {
  const auto of = [](std::vector<std::string> image, std::vector<std::string> kernel) {
    return type_of({{"f32[8,4,16,16]", std::move(image)}, {"f32[8,4,3,3]", std::move(kernel)}},
                   "ROOT r = f32[8,8,16,16] convolution(p0, p1), window={size=3x3 pad=1_1x1_1}, "
                   "dim_labels=bf01_oi01->bf01");
  };
  EXPECT_EQ(of({"", "", "Y", ""}, {"", "", "", ""}), "f32[8,8,16@Y,16]");
  const std::string refused =
      "Please specify the output sharding via `out_sharding` parameter of `conv_general_dilated`";
  EXPECT_EQ(of({"X", "", "", ""}, {"Y", "", "", ""}), refused);
  EXPECT_EQ(of({"", "Y", "", ""}, {"", "Y", "", ""}), refused);
}

TEST(ExplicitTypes, OfSelectsAskForCasesAlike) {
  const std::string select = "ROOT r = f32[8,16] select(p0, p1, p2)";
  const auto of = [&](std::vector<std::string> which, std::vector<std::string> on,
                      std::vector<std::string> off) {
    return type_of(
        {{"pred[8,16]", std::move(which)}, {"f32[8,16]", std::move(on)}, {"f32[8,16]", std::move(off)}},
        select);
  };
  EXPECT_EQ(of({"X", "Y"}, {"X", "Y"}, {"X", "Y"}), "f32[8@X,16@Y]");
  EXPECT_EQ(of({"X", ""}, {"", ""}, {"X", ""}),
            "select cases must have the same shardings, got [P(None, None), P('X', None)].");
}

TEST(ExplicitTypes, AreSpelledAsJaxSpellsThem) {
  const auto of = [](const std::string& type) {
    return type_of({{"f32[8]", {"X"}}}, "ROOT r = " + type + "[8] convert(p0)");
  };
  EXPECT_EQ(of("f8e4m3fn"), "f8_e4m3fn[8@X]");
  EXPECT_EQ(of("f8e5m2"), "f8_e5m2[8@X]");
  EXPECT_EQ(of("bf16"), "bf16[8@X]");
  EXPECT_EQ(of("s8"), "i8[8@X]");
  EXPECT_EQ(of("u4"), "u4[8@X]");
  EXPECT_EQ(of("pred"), "bool[8@X]");
}

}  // namespace
}  // namespace shardscope::explicit_types_test
