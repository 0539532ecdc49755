// SPDX-License-Identifier: Apache-2.0
// Gather, scatter and slices at computed places, on arrays that are cut where they look.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/proof/prove.h"

namespace shardscope::index_rules_test {
namespace {

// OpcodeNames of the collectives; the program computes what one device computes.
std::vector<std::string> collectives_and_proof(const std::string& body,
                                               const std::string& computations = "") {
  const std::string text = "HloModule m\n" + computations + "ENTRY main {\n" + body + "}\n";
  const auto module = parse_program(text);
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  if (!module.ok()) return {};
  const auto made = partition(*module, {});
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().text());
  if (!made.ok()) return {};
  const Workers workers;
  for (const uint64_t seed : {1, 2, 3}) {
    const auto proof = prove(*made, *module_arguments(*module, seed, workers), workers, {});
    EXPECT_TRUE(proof.ok()) << (proof.ok() ? "" : proof.error().text());
    if (proof.ok()) {
      EXPECT_TRUE(proof->bit_equal) << print_program(*made->program);
    }
  }
  std::vector<std::string> out;
  for (const CollectiveOrigin& c : made->collectives) out.push_back(c.name.substr(0, c.name.find('.')));
  return out;
}

using OpcodeNames = std::vector<std::string>;

std::string tiled(const std::string& s) {
  return s.empty() ? "" : ", sharding={devices=" + s + "}";
}

// table[10,6], indices[4,5,1]: rows of a table, as an embedding does. Indices are spread over the rows by
// multiplying, and some fall out of them.
OpcodeNames embedding(const std::string& table, const std::string& indices, const std::string& out,
                      const std::string& type = "s32") {
  return collectives_and_proof(fmt::format(R"(  table = s32[10,6] parameter(0){0}
  small = {3}[4,5,1] parameter(1){1}
  five = {3}[] constant(5)
  fives = {3}[4,5,1] broadcast(five), dimensions={{}}
  indices = {3}[4,5,1] multiply(small, fives){1}
  ROOT rows = s32[4,5,6] gather(table, indices), offset_dims={{2}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim=2, slice_sizes={{1,6}}{2}
)",
                                           tiled(table), tiled(indices), tiled(out), type));
}

TEST(IndexRules, AGatherKeepsTheDimensionsThatItsSlicesTakeWhole) {
  EXPECT_EQ(embedding("[1,2]<=[2]", "", "[1,1,2]<=[2]"), OpcodeNames{});
}

TEST(IndexRules, AGatherKeepsTheCutsOfItsIndices) {
  EXPECT_EQ(embedding("", "[2,1,1]<=[2]", "[2,1,1]<=[2]"), OpcodeNames{});
  EXPECT_EQ(embedding("", "", "[1,5,1]<=[5]"), OpcodeNames{});
  // 4 and 5 rows of indices on 3 devices
  EXPECT_EQ(embedding("", "[3,1,1]<=[3]", "[3,1,1]<=[3]"), OpcodeNames{});
}

TEST(IndexRules, RowsThatAreCutAreLookedUpWhereTheyAreAndAddedUp) {
  EXPECT_EQ(embedding("[2,1]<=[2]", "", ""), OpcodeNames{"all-reduce"});
  EXPECT_EQ(embedding("[4,1]<=[4]", "", ""), OpcodeNames{"all-reduce"});  // 10 rows on 4 devices
  for (const char* type : {"s8", "u8", "u32", "s64"})
    EXPECT_EQ(embedding("[4,1]<=[4]", "", "", type), OpcodeNames{"all-reduce"}) << type;
}

TEST(IndexRules, AllWaysOfAGatherAtOnce) {
  // Mesh x=2, y=2, z=2: rows by x, columns by y, indices by z.
  EXPECT_EQ(
      embedding("[2,2,2]<=[8] last_tile_dim_replicate", "[2,1,1,4]<=[2,2,2]T(2,0,1) last_tile_dim_replicate",
                "[2,1,2,2]<=[2,2,2]T(2,1,0) last_tile_dim_replicate"),
      OpcodeNames{"all-reduce"});
  // Rows and indices by the same axis: the table is needed whole, as it is small beside what is looked up.
  EXPECT_EQ(embedding("[2,1]<=[2]", "[2,1,1]<=[2]", "[2,1,1]<=[2]"), OpcodeNames{"all-gather"});
}

TEST(IndexRules, AGatherOfPairsIsCutAlongThem) {
  const OpcodeNames paired =
      collectives_and_proof(R"(  table = s32[4,9,6] parameter(0), sharding={devices=[4,1,1]<=[4]}
  at = s32[4,5,1] parameter(1), sharding={devices=[4,1,1]<=[4]}
  ROOT rows = s32[4,5,6] gather(table, at), offset_dims={2}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}, sharding={devices=[4,1,1]<=[4]}
)");
  EXPECT_EQ(paired, OpcodeNames{});
  EXPECT_EQ(collectives_and_proof(R"(  table = s32[4,9,6] parameter(0), sharding={devices=[4,1,1]<=[4]}
  at = s32[4,5,1] parameter(1)
  ROOT rows = s32[4,5,6] gather(table, at), offset_dims={2}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}, sharding={devices=[4,1,1]<=[4]}
)"),
            OpcodeNames{});
}

// Two entries of the index vector, both along dimensions that are cut; slices of two rows are gathered.
TEST(IndexRules, IndexVectorsOfSeveralEntries) {
  EXPECT_EQ(collectives_and_proof(R"(  table = s32[6,8] parameter(0), sharding={devices=[2,2]<=[4]}
  at = s32[7,2] parameter(1)
  ROOT picked = s32[7] gather(table, at), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={1,0}, index_vector_dim=1, slice_sizes={1,1}
)"),
            OpcodeNames{"all-reduce"});
  EXPECT_EQ(collectives_and_proof(R"(  table = s32[6,8] parameter(0), sharding={devices=[2,2]<=[4]}
  at = s32[7,2] parameter(1)
  ROOT picked = s32[7,2,1] gather(table, at), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={2,1}
)"),
            (OpcodeNames{"all-gather", "all-reduce"}));
}

constexpr const char* kAddReducer =
    "add {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n  ROOT c = s32[] add(a, b)\n}\n";
constexpr const char* kLastReducer = "last {\n  a = s32[] parameter(0)\n  ROOT b = s32[] parameter(1)\n}\n";

// into[10,6] plus updates[4,5,6] at rows indices[4,5,1].
OpcodeNames rows_added(const std::string& into, const std::string& indices, const std::string& updates,
                       const std::string& out, const std::string& reducer = "add") {
  return collectives_and_proof(fmt::format(R"(  into = s32[10,6] parameter(0){0}
  small = s32[4,5,1] parameter(1){1}
  four = s32[] constant(4)
  fours = s32[4,5,1] broadcast(four), dimensions={{}}
  indices = s32[4,5,1] multiply(small, fours){1}
  updates = s32[4,5,6] parameter(2){2}
  ROOT rows = s32[10,6] scatter(into, indices, updates), update_window_dims={{2}}, inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}}, index_vector_dim=2, to_apply={4}{3}
)",
                                           tiled(into), tiled(indices), tiled(updates), tiled(out), reducer),
                               reducer == "add" ? kAddReducer : kLastReducer);
}

TEST(IndexRules, AScatterKeepsWholeWindowsAndDropsWhatIsElsewhere) {
  EXPECT_EQ(rows_added("[1,2]<=[2]", "", "[1,1,2]<=[2]", "[1,2]<=[2]"), OpcodeNames{});
  EXPECT_EQ(rows_added("[2,1]<=[2]", "", "", "[2,1]<=[2]"), OpcodeNames{});
  EXPECT_EQ(rows_added("[4,1]<=[4]", "", "", "[4,1]<=[4]"), OpcodeNames{});  // 10 rows on 4 devices
  EXPECT_EQ(rows_added("[2,2]<=[4]", "", "", "[2,2]<=[4]"), OpcodeNames{});
}

TEST(IndexRules, UpdatesThatAreCutAreAddedUp) {
  EXPECT_EQ(rows_added("", "[2,1,1]<=[2]", "[2,1,1]<=[2]", ""), OpcodeNames{"all-reduce"});
  // Rows by x, updates by y.
  EXPECT_EQ(
      rows_added("[2,1,2]<=[4] last_tile_dim_replicate", "[2,1,1,2]<=[2,2]T(1,0) last_tile_dim_replicate",
                 "[2,1,1,2]<=[2,2]T(1,0) last_tile_dim_replicate", "[2,1,2]<=[4] last_tile_dim_replicate"),
      OpcodeNames{"all-reduce"});
  // What the last update decides cannot be taken in parts.
  EXPECT_EQ(rows_added("", "[2,1,1]<=[2]", "[2,1,1]<=[2]", "", "last"),
            (OpcodeNames{"all-gather", "all-gather"}));
}

// A row of a cache that is cut by rows: its owner writes it, nobody sends anything.
TEST(IndexRules, AnUpdateOfOneRowIsWrittenByItsOwner) {
  for (const char* type : {"s32", "u32", "s64"}) {
    EXPECT_EQ(
        collectives_and_proof(fmt::format(R"(  cache = s32[10,6] parameter(0), sharding={{devices=[4,1]<=[4]}}
  row = s32[1,6] parameter(1)
  place = {0}[] parameter(2)
  three = {0}[] constant(3)
  at = {0}[] multiply(place, three)
  zero = {0}[] constant(0)
  ROOT next = s32[10,6] dynamic-update-slice(cache, row, at, zero), sharding={{devices=[4,1]<=[4]}}
)",
                                          type)),
        OpcodeNames{});
  }
}

TEST(IndexRules, AnUpdateAtAConstantPlaceWithinATileIsWrittenByItsOwner) {
  const auto update = [](int64_t start) {
    return collectives_and_proof(fmt::format(R"(  x = s32[12,6] parameter(0), sharding={{devices=[4,2]<=[8]}}
  part = s32[2,2] parameter(1)
  at = s32[] constant({})
  zero = s32[] constant(0)
  ROOT next = s32[12,6] dynamic-update-slice(x, part, at, zero), sharding={{devices=[4,2]<=[8]}}
)",
                                             start));
  };
  EXPECT_EQ(update(4), OpcodeNames{});
  EXPECT_EQ(update(5), OpcodeNames{"all-gather"});  // its rows are two devices'
}

TEST(IndexRules, SortsMoveTheCutToAnotherDimension) {
  EXPECT_EQ(collectives_and_proof(R"(  x = s32[8,12] parameter(0), sharding={devices=[1,4]<=[4]}
  ROOT y = s32[8,12] sort(x), dimensions={1}, to_apply=less, sharding={devices=[1,4]<=[4]}
)",
                                  "less {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n"
                                  "  ROOT c = pred[] compare(a, b), direction=LT\n}\n"),
            (OpcodeNames{"all-to-all", "all-to-all"}));
}

// XLA's partitioner looks through the whole array on every device, also where rows are split alone.
TEST(IndexRules, TheLargestOfEachRowAreFoundInTheWholeArray) {
  EXPECT_EQ(collectives_and_proof(R"(  x = f32[8,12] parameter(0), sharding={devices=[4,1]<=[4]}
  top = (f32[8,2], s32[8,2]) custom-call(x), custom_call_target="TopK", sharding={{devices=[4,1]<=[4]}, {devices=[4,1]<=[4]}}
  ROOT best = s32[8,2] get-tuple-element(top), index=1, sharding={devices=[4,1]<=[4]}
)"),
            OpcodeNames{"all-gather"});
}

TEST(IndexRules, LargestWholeNumbersAreReducedInParts) {
  for (const char* op : {"maximum", "minimum"}) {
    EXPECT_EQ(
        collectives_and_proof("  x = s32[10,3] parameter(0), sharding={devices=[4,1]<=[4]}\n"
                              "  low = s32[] constant(1)\n"
                              "  ROOT y = s32[3] reduce(x, low), dimensions={0}, to_apply=most\n",
                              fmt::format("most {{\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n"
                                          "  ROOT c = s32[] {}(a, b)\n}}\n",
                                          op)),
        OpcodeNames{"all-reduce"});
  }
}

// argmax, as JAX writes it: pairs of value and place.
TEST(IndexRules, ReductionsOfPairsAreTakenInPartsAndGathered) {
  EXPECT_EQ(collectives_and_proof(R"(  x = s32[10,3] parameter(0), sharding={devices=[4,1]<=[4]}
  at = s32[10,3] iota(), iota_dimension=0, sharding={devices=[4,1]<=[4]}
  low = s32[] constant(-2147483648)
  none = s32[] constant(0)
  pair = (s32[3], s32[3]) reduce(x, at, low, none), dimensions={0}, to_apply=larger
  ROOT place = s32[3] get-tuple-element(pair), index=1
)",
                                  R"(larger {
  a = s32[] parameter(0)
  i = s32[] parameter(1)
  b = s32[] parameter(2)
  j = s32[] parameter(3)
  more = pred[] compare(a, b), direction=GT
  same = pred[] compare(a, b), direction=EQ
  first = pred[] compare(i, j), direction=LT
  tie = pred[] and(same, first)
  left = pred[] or(more, tie)
  value = s32[] select(left, a, b)
  place = s32[] select(left, i, j)
  ROOT pair = (s32[], s32[]) tuple(value, place)
}
)"),
            (OpcodeNames{"all-gather", "all-gather"}));
}

OpcodeNames rolled(int64_t rows, int64_t by, const std::string& cut) {
  return collectives_and_proof(fmt::format(
      "  x = s32[{0},3] parameter(0){2}\n  rest = s32[{3},3] slice(x), slice={{[{1}:{0}], [0:3]}}{2}\n"
      "  first = s32[{1},3] slice(x), slice={{[0:{1}], [0:3]}}{2}\n"
      "  ROOT y = s32[{0},3] concatenate(rest, first), dimensions={{0}}{2}\n",
      rows, by, tiled(cut), rows - by));
}

// As jnp.roll is written.
TEST(IndexRules, RowsThatGoRoundComeFromTwoDevicesAtMost) {
  EXPECT_EQ(rolled(16, 5, "[4,1]<=[4]"), (OpcodeNames{"collective-permute", "collective-permute"}));
  EXPECT_EQ(rolled(16, 3, "[4,1]<=[4]"), OpcodeNames{"collective-permute"});   // the other rows are its own
  EXPECT_EQ(rolled(16, 8, "[4,1]<=[4]"), OpcodeNames{"collective-permute"});   // whole tiles
  EXPECT_EQ(rolled(16, 13, "[2,1]<=[2]"), OpcodeNames{"collective-permute"});  // the next but one is itself
  for (int64_t by = 1; by < 12; ++by) rolled(12, by, "[2,1,2]<=[4] last_tile_dim_replicate");
  for (int64_t by = 1; by < 10; ++by) rolled(10, by, "[4,1]<=[4]");  // 10 rows on 4 devices
}

OpcodeNames strided(int64_t from, int64_t to, int64_t stride, int64_t devices) {
  const std::string cut = fmt::format("[{0},1]<=[{0}]", devices);
  return collectives_and_proof(fmt::format(
      "  x = s32[24,3] parameter(0){0}\n  ROOT y = s32[{1},3] slice(x), slice={{[{2}:{3}:{4}], [0:3]}}{0}\n",
      tiled(cut), (to - from + stride - 1) / stride, from, to, stride));
}

TEST(IndexRules, EveryOtherRowIsTakenWhereItIs) {
  EXPECT_EQ(strided(0, 24, 2, 4), OpcodeNames{});
  EXPECT_EQ(strided(1, 24, 3, 4), OpcodeNames{});
  for (int64_t from = 0; from < 5; ++from)
    for (int64_t to = from + 1; to <= 24; to += 3)
      for (int64_t stride = 1; stride < 6; ++stride) strided(from, to, stride, 3);
}

}  // namespace
}  // namespace shardscope::index_rules_test
