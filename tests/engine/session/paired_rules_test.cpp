// SPDX-License-Identifier: Apache-2.0
// Gather and scatter whose indices say for themselves which item of a batch they are of, and operations on
// batches of matrices and windows: what is cut along the batch stays where it is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_proof.h"

namespace shardscope::paired_rules_test {
namespace {

using OpcodeNames = std::vector<std::string>;

// Of the collectives; the program computes the same bits as one device.
OpcodeNames proved(const std::string& body, const std::string& computations = "") {
  const auto module = parse_program("HloModule m\n" + computations + "ENTRY main {\n" + body + "}\n");
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  if (!module.ok()) return {};
  PartitionOptions options;
  options.propagate = true;
  const auto made = partition(*module, options);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().text());
  if (!made.ok()) return {};
  const Workers workers;
  for (const uint64_t seed : {1, 2, 3}) {
    const auto proof = prove(*made, *module_arguments(*module, seed, workers), workers, {});
    EXPECT_TRUE(proof.ok()) << (proof.ok() ? "" : proof.error().text());
    if (!proof.ok()) continue;
    EXPECT_TRUE(proof->bit_equal) << print_program(*made->program);
    for (const std::string& unknown : proof->unknown) EXPECT_EQ(unknown, "");
  }
  OpcodeNames out;
  for (const CollectiveOrigin& c : made->collectives) out.push_back(c.name.substr(0, c.name.find('.')));
  return out;
}

std::string tiled(const std::string& s) {
  return s.empty() ? "" : ", sharding={devices=" + s + "}";
}

constexpr const char* kAdd =
    "add {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n  ROOT c = s32[] add(a, b)\n}\n";

// ---- indices that are counted: a place of table[i, at[i, j]]

OpcodeNames counted_gather(const std::string& table, const std::string& at, const std::string& out) {
  return proved(fmt::format(R"(  table = s32[8,16,6] parameter(0){0}
  small = s32[8,5,1] parameter(1){1}
  three = s32[] constant(3)
  threes = s32[8,5,1] broadcast(three), dimensions={{}}
  at = s32[8,5,1] multiply(small, threes){1}
  item = s32[8,5,1] iota(), iota_dimension=0
  indices = s32[8,5,2] concatenate(item, at), dimensions={{2}}
  ROOT rows = s32[8,5,6] gather(table, indices), offset_dims={{2}}, collapsed_slice_dims={{0,1}}, start_index_map={{0,1}}, index_vector_dim=2, slice_sizes={{1,1,6}}{2}
)",
                            tiled(table), tiled(at), tiled(out)));
}

TEST(PairedRules, AGatherWhoseIndicesCountTheItemsStaysWhereTheItemsAre) {
  EXPECT_EQ(counted_gather("[4,1,1]<=[4]", "[4,1,1]<=[4]", "[4,1,1]<=[4]"), OpcodeNames{});
  // What is whole on one side is cut like the other.
  EXPECT_EQ(counted_gather("[4,1,1]<=[4]", "", "[4,1,1]<=[4]"), OpcodeNames{});
  EXPECT_EQ(counted_gather("", "[4,1,1]<=[4]", "[4,1,1]<=[4]"), OpcodeNames{});
  // 8 items on 3 devices.
  EXPECT_EQ(counted_gather("[3,1,1]<=[3]", "[3,1,1]<=[3]", "[3,1,1]<=[3]"), OpcodeNames{});
}

TEST(PairedRules, OfWhatIsNotCountedTheCutStillTakesASum) {
  EXPECT_EQ(counted_gather("[1,4,1]<=[4]", "", ""), OpcodeNames{"all-reduce"});
  EXPECT_EQ(counted_gather("[2,2,1]<=[4]", "[2,1,1,2]<=[4] last_tile_dim_replicate",
                           "[2,1,1,2]<=[4] last_tile_dim_replicate"),
            OpcodeNames{"all-reduce"});
}

OpcodeNames counted_scatter(const std::string& into, const std::string& updates, const std::string& out) {
  return proved(fmt::format(R"(  into = s32[8,16] parameter(0){0}
  small = s32[8,5,1] parameter(1){3}
  three = s32[] constant(3)
  threes = s32[8,5,1] broadcast(three), dimensions={{}}
  at = s32[8,5,1] multiply(small, threes)
  item = s32[8,5,1] iota(), iota_dimension=0
  indices = s32[8,5,2] concatenate(item, at), dimensions={{2}}
  updates = s32[8,5] parameter(2){1}
  ROOT sums = s32[8,16] scatter(into, indices, updates), update_window_dims={{}}, inserted_window_dims={{0,1}}, scatter_dims_to_operand_dims={{0,1}}, index_vector_dim=2, to_apply=add{2}
)",
                            tiled(into), tiled(updates), tiled(out),
                            updates.empty() ? ""
                                            : tiled("[" + updates.substr(1, updates.find(']') - 1) + ",1" +
                                                    updates.substr(updates.find(']')))),
                kAdd);
}

TEST(PairedRules, AScatterWhoseIndicesCountTheItemsStaysWhereTheItemsAre) {
  EXPECT_EQ(counted_scatter("[4,1]<=[4]", "[4,1]<=[4]", "[4,1]<=[4]"), OpcodeNames{});
  EXPECT_EQ(counted_scatter("[4,1]<=[4]", "", "[4,1]<=[4]"), OpcodeNames{});
  // 8 items on 3 devices: padding counts nothing, and would be written somewhere.
  EXPECT_EQ(counted_scatter("[3,1]<=[3]", "[3,1]<=[3]", "[3,1]<=[3]").front(), "all-gather");
}

// ---- batches that are paired: into[i, at[i, j]] += updates[i, j]

OpcodeNames paired_scatter(const std::string& into, const std::string& at, const std::string& updates,
                           const std::string& out) {
  return proved(fmt::format(R"(  into = s32[6,9] parameter(0){0}
  at = s32[6,4,1] parameter(1){1}
  updates = s32[6,4] parameter(2){2}
  ROOT sums = s32[6,9] scatter(into, at, updates), update_window_dims={{}}, inserted_window_dims={{1}}, scatter_dims_to_operand_dims={{1}}, input_batching_dims={{0}}, scatter_indices_batching_dims={{0}}, index_vector_dim=2, to_apply=add{3}
)",
                            tiled(into), tiled(at), tiled(updates), tiled(out)),
                kAdd);
}

TEST(PairedRules, AScatterOfPairsStaysWhereTheyAre) {
  EXPECT_EQ(paired_scatter("[3,1]<=[3]", "[3,1,1]<=[3]", "[3,1]<=[3]", "[3,1]<=[3]"), OpcodeNames{});
  EXPECT_EQ(paired_scatter("[3,1]<=[3]", "", "", "[3,1]<=[3]"), OpcodeNames{});
  EXPECT_EQ(paired_scatter("[4,1]<=[4]", "[4,1,1]<=[4]", "[4,1]<=[4]", "[4,1]<=[4]"), OpcodeNames{});
  // Updates of an item that are cut are added up among the devices that have it.
  EXPECT_EQ(paired_scatter("[2,1,2]<=[4] last_tile_dim_replicate", "[2,2,1]<=[4]", "[2,2]<=[4]",
                           "[2,1,2]<=[4] last_tile_dim_replicate"),
            OpcodeNames{"all-reduce"});
}

// ---- matrices

TEST(PairedRules, FactorisationsAreLocalAlongTheirBatchAndWholeAlongTheirMatrices) {
  const auto cholesky = [](const std::string& cut) {
    return proved(
        fmt::format("  x = f32[6,4,4] parameter(0){0}\n"
                    "  ROOT c = f32[6,4,4] cholesky(x), lower=true{0}\n",
                    tiled(cut)));
  };
  EXPECT_EQ(cholesky("[3,1,1]<=[3]"), OpcodeNames{});
  EXPECT_EQ(cholesky("[4,1,1]<=[4]"), OpcodeNames{});  // 6 matrices on 4 devices
  EXPECT_EQ(cholesky("[1,1,2]<=[2]"), OpcodeNames{"all-gather"});
}

TEST(PairedRules, SystemsOfEquationsAreLocalAlongTheirBatch) {
  const auto solve = [](const std::string& a, const std::string& b) {
    return proved(
        fmt::format("  a = f32[6,4,4] parameter(0){0}\n  b = f32[6,4,2] parameter(1){1}\n"
                    "  ROOT x = f32[6,4,2] triangular-solve(a, b), left_side=true, lower=true, "
                    "unit_diagonal=true, transpose_a=NO_TRANSPOSE{1}\n",
                    tiled(a), tiled(b)));
  };
  EXPECT_EQ(solve("[3,1,1]<=[3]", "[3,1,1]<=[3]"), OpcodeNames{});
  EXPECT_EQ(solve("", "[3,1,1]<=[3]"), OpcodeNames{});
}

// A custom-call says which of its dimensions are a batch: as XLA reads it, by a number or by Shardy's rule.
TEST(PairedRules, ACustomCallIsLocalAlongTheDimensionsThatItSaysAreABatch) {
  const auto call = [](const std::string& said) {
    return proved(fmt::format(
        "  x = f32[6,4,4] parameter(0), sharding={{devices=[3,1,1]<=[3]}}\n"
        "  p = (f32[6,4,4], s32[6]) custom-call(x), custom_call_target=\"lapack_spotrf_ffi\", "
        "api_version=API_VERSION_TYPED_FFI, backend_config={{uplo = 76 : ui8}}{}\n"
        "  ROOT c = f32[6,4,4] get-tuple-element(p), index=0, sharding={{devices=[3,1,1]<=[3]}}\n",
        said));
  };
  const OpcodeNames kGathered{"all-gather"};
  EXPECT_EQ(call(""), OpcodeNames{});
  EXPECT_EQ(call(", frontend_attributes={num_batch_dims=\"1\"}"), OpcodeNames{});
  EXPECT_EQ(call(", frontend_attributes={num_batch_dims=\"0\"}"), kGathered);
}

// ---- windows

TEST(PairedRules, WindowsAlongWholeDimensionsStayWhereTheOthersAreCut) {
  const auto sums = [](const std::string& cut, const std::string& window) {
    return proved(fmt::format("  x = s32[8,12] parameter(0){0}\n  z = s32[] constant(0)\n"
                              "  ROOT w = s32[8,12] reduce-window(x, z), window={{{1}}}, to_apply=add{0}\n",
                              tiled(cut), window),
                  kAdd);
  };
  // A cumulative sum of every row; rows that do not divide by the devices.
  EXPECT_EQ(sums("[4,1]<=[4]", "size=1x12 pad=0_0x11_0"), OpcodeNames{});
  EXPECT_EQ(sums("[3,1]<=[3]", "size=1x12 pad=0_0x11_0"), OpcodeNames{});
  // Of windows that reach beyond a tile the rows beside it are sent.
  EXPECT_EQ(sums("[4,1]<=[4]", "size=3x1 pad=1_1x0_0"),
            (OpcodeNames{"collective-permute", "collective-permute"}));
  // A whole cut dimension is needed by every device.
  EXPECT_EQ(sums("[1,4]<=[4]", "size=1x12 pad=0_0x11_0").front(), "all-gather");
}

// XLA's partitioner (jaxlib 0.10.2) knows what is chosen last of f32 and bf16 alone.
TEST(PairedRules, WindowsThatChooseAreLocalAlongTheOtherDimensions) {
  const auto chosen = [](const std::string& type) {
    return proved(
        fmt::format(R"(  x = {0}[8,12] parameter(0), sharding={{devices=[4,1]<=[4]}}
  s = {0}[8,4] parameter(1), sharding={{devices=[4,1]<=[4]}}
  z = {0}[] constant(0)
  ROOT r = {0}[8,12] select-and-scatter(x, s, z), window={{size=1x3 stride=1x3}}, select=most, scatter=sum, sharding={{devices=[4,1]<=[4]}}
)",
                    type),
        fmt::format(
            "sum {{\n  a = {0}[] parameter(0)\n  b = {0}[] parameter(1)\n  ROOT c = {0}[] add(a, b)\n}}\n"
            "most {{\n  a = {0}[] parameter(0)\n  b = {0}[] parameter(1)\n"
            "  ROOT c = pred[] compare(a, b), direction=GE\n}}\n",
            type));
  };
  EXPECT_EQ(chosen("f32"), OpcodeNames{});
  EXPECT_EQ(chosen("s32"), (OpcodeNames{"all-gather", "all-gather"}));
}

// ---- by element

TEST(PairedRules, AMapStaysCut) {
  EXPECT_EQ(proved("  x = s32[8,3] parameter(0), sharding={devices=[4,1]<=[4]}\n"
                   "  ROOT y = s32[8,3] map(x, x), dimensions={0,1}, to_apply=add, "
                   "sharding={devices=[4,1]<=[4]}\n",
                   kAdd),
            OpcodeNames{});
}

}  // namespace
}  // namespace shardscope::paired_rules_test
