// SPDX-License-Identifier: Apache-2.0
// Programs as JAX prints them, held against JAX's own results: jax/make.py makes them.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>

#include "engine/numerics/data/array_text.h"
#include "engine/program/mlir/module_text.h"
#include "engine/session/hlo_run.h"

namespace shardscope::jax_programs_test {
namespace {

// A module with what its comments say: "// argument 0 = [[…]]", "// result 0 = …".
struct JaxProgram {
  std::string text;
  std::vector<std::string> arguments, results;
};

JaxProgram read_program(const std::string& name) {
  std::ifstream file(std::string(SHARDSCOPE_SOURCE_DIR) + "/tests/engine/session/jax/" + name + ".mlir");
  JaxProgram out;
  for (std::string line; std::getline(file, line);) {
    out.text += line + "\n";
    const size_t value = line.find(" = ");
    if (line.starts_with("// argument ")) out.arguments.push_back(line.substr(value + 3));
    if (line.starts_with("// result ")) out.results.push_back(line.substr(value + 3));
  }
  return out;
}

// The collectives of the partitioned program, by kind; what does not hold ends the test.
using Kinds = std::map<std::string, int>;
Kinds like_jax(const std::string& name, Partitioner by = Partitioner::spmd) {
  SCOPED_TRACE(name);
  const JaxProgram program = read_program(name);
  const auto module = read_stablehlo(program.text);
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  if (!module.ok()) return {};
  ModuleRunOptions options;
  options.partition.propagate = true;
  options.partition.partitioner = by;
  for (size_t k = 0; k < program.arguments.size(); ++k)
    options.arguments.push_back({std::to_string(k), program.arguments[k]});
  const auto done = execute_module(*module, options, {});
  EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().text());
  if (!done.ok()) return {};
  // Cut over devices it gives the same as on one, but for sums that are taken in another order.
  EXPECT_TRUE(done->run->numerics.checked && done->run->numerics.allclose);
  EXPECT_LE(done->run->numerics.max_abs, 4e-6);
  EXPECT_EQ(done->results.size(), program.results.size());
  const auto partitioned = partitioned_stage(done->stages);
  for (const Program* written : {&*module, &*partitioned->program}) {
    const auto again = parse_program(print_program(*written));
    EXPECT_TRUE(again.ok()) << (again.ok() ? "" : again.error().text());
    EXPECT_EQ(again.ok() ? print_program(*again) : "", print_program(*written));
  }
  for (size_t k = 0; k < std::min(done->results.size(), program.results.size()); ++k) {
    const ModuleResult& got = done->results[k];
    EXPECT_EQ(got.unknown, "") << got.name;
    if (!got.unknown.empty()) continue;
    const auto wanted = parse_array(program.results[k], got.shape.type, got.shape.dims);
    EXPECT_TRUE(wanted.ok()) << (wanted.ok() ? "" : wanted.error().text());
    if (!wanted.ok()) continue;
    double worst = 0, scale = 1;
    for (int64_t e = 0; e < wanted->element_count(); ++e) {
      const double a = got.arrays.front().at(e), b = wanted->at(e);
      if (a == b) continue;
      scale = std::max(scale, std::abs(b));
      worst = std::max(worst, std::abs(a - b));
    }
    EXPECT_LE(worst, 2e-5 * scale) << got.name << "\n" << numpy_text(got.arrays.front());
  }
  Kinds out;
  for (const CollectiveOrigin& c : partitioned->collectives) ++out[c.name.substr(0, c.name.find('.'))];
  return out;
}

const Kinds kNone;

// ---- factorisations, systems of equations: a batch that is cut needs no communication

TEST(JaxPrograms, FactorisationsOfACutBatchStayWhereTheyAre) {
  for (const char* name : {"cholesky", "lu", "qr", "pivoted_qr", "hessenberg", "tridiagonal"})
    EXPECT_EQ(like_jax(name), kNone) << name;
}

TEST(JaxPrograms, SystemsOfEquationsOfACutBatchStayWhereTheyAre) {
  for (const char* name : {"triangular_solve", "solve", "determinant_and_inverse"})
    EXPECT_EQ(like_jax(name), kNone) << name;
}

TEST(JaxPrograms, EigenvaluesAndSingularValuesOfACutBatchStayWhereTheyAre) {
  for (const char* name : {"eigh", "eigh_tpu", "svd", "svd_full"}) EXPECT_EQ(like_jax(name), kNone) << name;
}

TEST(JaxPrograms, AMatrixThatIsCutIsGatheredFirst) {
  EXPECT_EQ(like_jax("schur"), (Kinds{{"all-gather", 1}}));
  EXPECT_EQ(like_jax("tridiagonal_solve"), (Kinds{{"all-gather", 1}}));
  EXPECT_EQ(like_jax("cholesky_of_one")["all-gather"], 1);
}

// ---- places that follow from data

TEST(JaxPrograms, AScatterStaysWhereItsBatchIsCut) {
  EXPECT_EQ(like_jax("gradient_of_take_along_axis"), (Kinds{{"all-reduce", 1}}));  // of the sum beside it
  EXPECT_EQ(like_jax("gradient_of_cross_entropy"), (Kinds{{"all-reduce", 1}}));    // of the mean
  EXPECT_EQ(like_jax("gradient_of_embedding"), (Kinds{{"all-reduce", 1}}));
  // JAX wraps the counted rows as it wraps any index, behind which XLA does not look either.
  EXPECT_EQ(like_jax("one_of_each_row"), (Kinds{{"all-gather", 1}, {"all-reduce", 3}}));
}

TEST(JaxPrograms, AScatterCombinesByAnyComputation) {
  EXPECT_EQ(like_jax("scatter_apply"), kNone);
  EXPECT_EQ(like_jax("scatter_by_others"), kNone);
}

TEST(JaxPrograms, AWindowThatReachesBeyondTheArrayIsLeftOutWhole) {
  like_jax("windows_that_reach_beyond");
}

// ---- orders

TEST(JaxPrograms, SortsByAnyComparisonOfSeveralArrays) {
  EXPECT_EQ(like_jax("sort_by_two_keys"), kNone);
  like_jax("sort_both_ways");
}

TEST(JaxPrograms, AnApproximateTopKOfCutRowsGivesTheExactOne) {
  EXPECT_EQ(like_jax("approximate_top_k"), kNone);
}

// ---- windows

TEST(JaxPrograms, WindowsAlongWholeDimensionsStayWhereTheOthersAreCut) {
  for (const char* name :
       {"gradient_of_max_pooling", "window_of_two_arrays", "dilated_windows", "cumulative_sums"})
    EXPECT_EQ(like_jax(name), kNone) << name;
}

TEST(JaxPrograms, WindowsThatReachIntoTheNextTileTakeItsRows) {
  const Kinds kinds = like_jax("gradient_of_overlapping_pooling");
  EXPECT_TRUE(kinds.contains("collective-permute"));
}

// The table's part that a device has and its indices stand in each other's way: which gives way is what needs
// less memory.
TEST(JaxPrograms, RowsOfASmallTableAreAddedUpWhereTheirIndicesAre) {
  EXPECT_EQ(like_jax("many_rows_for_cut_columns"), (Kinds{{"all-reduce", 1}}));
  EXPECT_EQ(like_jax("many_rows_of_cut_columns"), (Kinds{{"all-reduce", 1}, {"all-gather", 1}}));
}

TEST(JaxPrograms, RowsOfALargeTableAreCutAsTheyAreWantedBeforeTheyAreAddedUp) {
  const Kinds kinds{{"all-to-all", 1}, {"all-gather", 1}, {"all-reduce", 1}, {"collective-permute", 1}};
  EXPECT_EQ(like_jax("rows_of_a_large_table_for_cut_columns"), kinds);
  EXPECT_EQ(like_jax("rows_of_a_large_table_of_cut_columns"), kinds);
}

// ---- manual regions

TEST(JaxPrograms, ARegionReadsPartsOfASumThatNobodyAddedUpBefore) {
  EXPECT_EQ(like_jax("sums_left_to_a_region"), (Kinds{{"reduce-scatter", 1}}));
}

TEST(JaxPrograms, PartsCrossTheEndsOfRegionsAsPartsByShardysPartitionerToo) {
  for (const char* name : {"sums_left_to_a_region", "parts_out_of_a_region", "a_whole_as_parts"})
    like_jax(name, Partitioner::shardy);
}

TEST(JaxPrograms, SumsOfPartsAreAddedUpOnce) {
  EXPECT_EQ(like_jax("sums_of_parts"), (Kinds{{"all-reduce", 1}}));
}

TEST(JaxPrograms, PartsThatARegionGivesAreAddedUpBehindIt) {
  EXPECT_EQ(like_jax("parts_out_of_a_region"), (Kinds{{"all-reduce", 1}}));
}

TEST(JaxPrograms, OneDeviceBringsAWholeArrayIntoARegionThatAddsUpParts) {
  EXPECT_EQ(like_jax("a_whole_as_parts"), (Kinds{{"all-reduce", 1}}));
}

TEST(JaxPrograms, ARegionThatReadsNothingIsNoSignOfAPartitionedModule) {
  EXPECT_EQ(like_jax("a_region_of_nothing"), kNone);
}

}  // namespace
}  // namespace shardscope::jax_programs_test
