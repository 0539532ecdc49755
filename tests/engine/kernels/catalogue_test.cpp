// SPDX-License-Identifier: Apache-2.0
// The table of hazards: which kernel shows what, on which rings. Clean kernels stay clean on many schedules;
// what is wrong in every run is found in every run; the rest within 300.
#include <set>

#include "tests/engine/kernels/explored.h"

namespace shardscope::kernels::catalogue_test {
namespace {

KernelRun on_grid(const std::string& id, int x, int y) {
  KernelOptions options;
  options.mesh = *Mesh::make({{"x", x, true}, {"y", y, true}});
  options.m = options.k = 12 * x;
  options.n = 16;
  options.bm = options.bn = options.bk = 8;
  return explored_with(id, options);
}

void expect_clean(const KernelRun& run) {
  EXPECT_TRUE(run.clean()) << run.layout.kernel << " on " << run.layout.mesh.text() << "\n"
                           << findings_text(run);
}

TEST(Catalogue, CleanKernelsStayClean) {
  for (const int n : {2, 3, 4, 8}) {
    for (const char* id : {"ag.direct", "ag.bidi.halves", "ar.two_slot", "ar.bidi", "rs.bidi", "permute"})
      expect_clean(explored(id, n));
  }
  for (const int n : {3, 5}) expect_clean(explored("ag.bidi.whole", n));
  expect_clean(explored("ag.bidi.seed", 3));
  for (const int n : {2, 4, 8}) expect_clean(explored("ar.two_phase", n));
  expect_clean(explored("ag.ring.grid_one", 2));
  expect_clean(explored("ar.bidi.seed", 3));
  expect_clean(explored("ar.one_hop", 2));
  expect_clean(explored("ar.two_slot.no_capacity", 2));
  expect_clean(explored("matmul.tiled", 1));
}

TEST(Catalogue, TheNotebooksAllGatherBothWaysIsRightOnThreeAlone) {
  const KernelRun two = explored("ag.bidi.seed", 2);
  EXPECT_EQ(runs_with(two, FindingKind::write_write_race), two.schedules);
  EXPECT_EQ(two.correct_runs, two.schedules) << "both write the same numbers";
  for (const int n : {4, 5}) {
    const KernelRun run = explored("ag.bidi.seed", n);
    EXPECT_EQ(runs_with(run, FindingKind::unwritten_output), run.schedules) << n;
    EXPECT_EQ(run.wrong_runs, run.schedules) << n;
  }
}

TEST(Catalogue, WholeShardsBothWaysRaceOnTheShardOppositeOfEvenRings) {
  for (const int n : {2, 4, 8}) {
    const KernelRun run = explored("ag.bidi.whole", n);
    EXPECT_EQ(runs_with(run, FindingKind::write_write_race), run.schedules) << n;
  }
}

TEST(Catalogue, TheNotebooksAllReduceReadsWhatNobodyWrote) {
  for (const int n : {2, 4}) {
    const KernelRun run = explored("ar.seed", n);
    EXPECT_EQ(runs_with(run, FindingKind::uninitialised_read), run.schedules) << n;
    EXPECT_EQ(run.wrong_runs, run.schedules) << n;
  }
}

TEST(Catalogue, OneHopIsASumOfTwo) {
  for (const int n : {1, 3, 4}) {
    const KernelRun run = explored("ar.one_hop", n);
    EXPECT_EQ(run.wrong_runs, run.schedules) << n;
    EXPECT_EQ(runs_with(run, FindingKind::wrong_result), run.schedules) << n;
  }
}

TEST(Catalogue, WithoutCapacityTwoSlotsRaceInEveryRunAndAreOftenWrong) {
  for (const int n : {3, 4, 8}) {
    const KernelRun run = explored("ar.two_slot.no_capacity", n, 300);
    EXPECT_EQ(runs_with(run, FindingKind::read_write_race), run.schedules) << n << findings_text(run);
    EXPECT_GT(run.wrong_runs, 0) << n;
    bool named = false;
    for (const KernelFindingCount& count : run.findings)
      named = named || count.finding.missing.find("a capacity semaphore between device") != std::string::npos;
    EXPECT_TRUE(named) << findings_text(run);
  }
}

TEST(Catalogue, ATiledProductAsWrittenDropsTheEdges) {
  KernelOptions options;
  options.bm = options.bk = options.bn = 8;
  options.m = options.n = 16;
  options.k = 20;
  EXPECT_EQ(explored_with("matmul.tiled.as_written", options, 20).wrong_runs, 20);
  expect_clean(explored_with("matmul.tiled", options, 20));
  options.k = 16;
  expect_clean(explored_with("matmul.tiled.as_written", options, 20));
  options.n = 20;
  const KernelRun cut = explored_with("matmul.tiled.as_written", options, 20);
  EXPECT_EQ(runs_with(cut, FindingKind::unwritten_output), 20);
}

TEST(Catalogue, TheFusedKernelOfTheNotebookIsRightOnTwoByTwoAndWastesAProduct) {
  const KernelRun two = on_grid("ag_matmul.fused_seed", 2, 2);
  expect_clean(two);
  EXPECT_EQ(two.flops, two.needed_flops * 3 / 2) << "two of four devices multiply twice";
  const KernelRun three = on_grid("ag_matmul.fused_seed", 3, 3);
  EXPECT_EQ(three.wrong_runs, three.schedules);
  for (const int n : {2, 3, 4}) {
    const KernelRun mended = on_grid("ag_matmul.fused", n, n);
    expect_clean(mended);
    EXPECT_EQ(mended.flops, mended.needed_flops);
  }
}

TEST(Catalogue, TheChainIsRightOnAnyGrid) {
  expect_clean(on_grid("slow_ag_gemm_ar", 2, 2));
  expect_clean(on_grid("slow_ag_gemm_ar", 4, 2));
  expect_clean(on_grid("slow_ag_gemm_ar", 2, 3));
  expect_clean(on_grid("slow_ag_gemm_ar", 3, 1));
}

// One kernel per mistake: each shows its finding in every run.
TEST(Catalogue, EachMistakeShowsItsFindingInEveryRun) {
  const std::pair<const char*, FindingKind> mistakes[] = {
      {"ag.ring.grid_one", FindingKind::unwritten_output},
      {"ar.bidi.seed", FindingKind::wrong_result},
      {"ar.swapped_scratch", FindingKind::write_write_race},
      {"matmul.revisit", FindingKind::output_revisit},
      {"permute.crossed_waits", FindingKind::deadlock},
      {"permute.hbm_access", FindingKind::hbm_access},
      {"permute.impossible_wait", FindingKind::impossible_wait},
      {"permute.in_flight", FindingKind::dma_at_exit},
      {"permute.leaked_semaphore", FindingKind::leaked_semaphore},
      {"permute.no_wrap", FindingKind::out_of_bounds},
      {"permute.out_of_bounds", FindingKind::out_of_bounds},
      {"permute.source_reused", FindingKind::source_reused},
      {"permute.wrong_neighbour", FindingKind::wrong_result}};
  for (const auto& [id, kind] : mistakes) {
    const bool alone = find_kernel(id)->axes == 0;
    const KernelRun run = alone ? explored_with(id, {}, 20) : explored(id, 4, 300);
    EXPECT_EQ(runs_with(run, kind), run.schedules) << id << "\n" << findings_text(run);
  }
  const KernelRun one = explored("ag.ring.one_for_both", 4, 300);
  EXPECT_GT(runs_with(one, FindingKind::shared_receive), 0) << findings_text(one);
  EXPECT_GT(one.wrong_runs, 0);
  const KernelRun axis = on_grid("permute.wrong_axis", 2, 3);
  EXPECT_EQ(runs_with(axis, FindingKind::wrong_result), axis.schedules) << findings_text(axis);
  const KernelRun own = on_grid("ag_matmul.own_weights", 2, 2);
  EXPECT_EQ(runs_with(own, FindingKind::wrong_result), own.schedules) << findings_text(own);
}

TEST(Catalogue, EveryBrokenKernelNamesItsMendedTwin) {
  int broken = 0;
  for (const KernelEntry& entry : catalogue()) {
    if (!entry.broken) continue;
    ++broken;
    const Result<KernelEntry> twin = find_kernel(entry.mended);
    ASSERT_TRUE(twin.ok()) << entry.id;
    EXPECT_FALSE(twin->broken) << entry.id;
  }
  EXPECT_EQ(broken, 30);
}

// Where the broken kernel can be built, its twin can, and is right.
TEST(Catalogue, AMendedTwinIsRightOnEveryRingAndGridThatItsKernelAccepts) {
  std::set<std::string> done;  // of several kernels the same twin
  for (const KernelEntry& entry : catalogue()) {
    if (!entry.broken) continue;
    const KernelEntry twin = *find_kernel(entry.mended);
    int tried = 0;
    for (int n = 2; n <= 9; ++n) {
      std::vector<Mesh> meshes{ring_mesh(n)};
      if (entry.axes == 2) {
        meshes.clear();
        for (int y = 2; y * n <= 16; ++y) meshes.push_back(*Mesh::make({{"x", n, true}, {"y", y, true}}));
      }
      for (const Mesh& mesh : meshes) {
        KernelOptions options;
        options.mesh = mesh;
        if (entry.axes == 2) options.m = options.k = 48 * mesh.axis_size(0);
        if (entry.result == "gathered_product") options.m = options.n = 8 * n;
        if (!build_kernel(entry, options).ok()) continue;
        ++tried;
        if (!done.insert(twin.id + " " + mesh.text()).second) continue;
        const KernelRun run = explored_with(twin.id, options);
        EXPECT_TRUE(run.clean()) << twin.id << " for " << entry.id << " on " << mesh.text() << "\n"
                                 << findings_text(run);
      }
    }
    EXPECT_GE(tried, entry.axes == 2 ? 3 : 7) << entry.id;
  }
}

TEST(Catalogue, Bf16AndF16AreRounded) {
  for (const ElementType type : {ElementType::bf16, ElementType::f16}) {
    KernelOptions options;
    options.mesh = ring_mesh(4);
    options.dtype = type;
    expect_clean(explored_with("ar.two_slot", options, 50));
    expect_clean(explored_with("matmul.tiled", options, 5));
  }
}

TEST(Catalogue, TheSameSeedGivesTheSameRunOnAnyNumberOfThreads) {
  KernelOptions options;
  options.mesh = ring_mesh(4);
  const KernelEntry entry = *find_kernel("ar.two_slot.no_capacity");
  const KernelProgram program = *build_kernel(entry, options);
  ExploreOptions how;
  how.schedules = 64;
  how.seed = 7;
  const KernelRun alone = *explore(entry, program, how, Workers(1), {});
  EXPECT_EQ(alone, *explore(entry, program, how, Workers(4), {}));
}

TEST(Catalogue, AMeshWithTooFewAxesIsRefused) {
  KernelOptions options;
  options.mesh = ring_mesh(4);
  const Result<KernelProgram> program = build_kernel(*find_kernel("slow_ag_gemm_ar"), options);
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.error().text(), "needs a mesh of 2 axes, got 1; slow_ag_gemm_ar; give --mesh x=2,y=2");
}

}  // namespace
}  // namespace shardscope::kernels::catalogue_test
