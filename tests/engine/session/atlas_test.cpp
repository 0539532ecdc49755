// SPDX-License-Identifier: Apache-2.0
// The atlas of one product: what it says of every sharding holds on its own, and the best ways are proved.
#include "engine/session/atlas/atlas.h"

#include <gtest/gtest.h>

#include "engine/base/units.h"
#include "engine/partition/entry/partition.h"
#include "engine/partition/entry/route_program.h"
#include "engine/program/mlir/module_text.h"
#include "engine/program/text/hlo_text.h"
#include "engine/session/atlas/atlas_crossovers.h"
#include "engine/session/atlas/best_products.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/proof/prove.h"
#include "engine/session/session.h"

namespace shardscope::atlas_test {
namespace {

AtlasQuestion question(const char* mesh, int64_t m, int64_t k, int64_t n) {
  AtlasQuestion q;
  q.mesh = *Mesh::parse(mesh);
  q.m = m;
  q.k = k;
  q.n = n;
  q.hardware = *find_hardware("tpu-v5e");
  return q;
}

const AtlasTriple& triple(const AtlasQuestion& q, const Atlas& atlas, const char* lhs, const char* rhs,
                          const char* result) {
  const auto number = [&](const char* spec) {
    const AxisSplit split = parse_axis_split(spec, q.mesh, 2)->split;
    return static_cast<size_t>(std::ranges::find(atlas.splits, split) - atlas.splits.begin());
  };
  return atlas.at(number(lhs), number(rhs), number(result));
}

TEST(Atlas, EveryTripleHasItsWaysAndNoneBeatsTheBest) {
  const AtlasQuestion q = question("x=2,y=4", 64, 128, 96);
  const Workers workers;
  std::vector<double> parts;
  const auto made = make_atlas(q, workers, {}, [&](double part) { parts.push_back(part); });
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->splits.size(), 9U);
  ASSERT_EQ(made->triples.size(), 729U);
  ASSERT_FALSE(parts.empty());
  EXPECT_EQ(parts.back(), 1.0);
  for (const AtlasTriple& t : made->triples) {
    EXPECT_LE(t.best.time, std::min(t.xla.time, t.shardy.time));
    EXPECT_GT(t.best.time, 0);
    for (const AtlasWay* way : {&t.xla, &t.shardy, &t.best}) {
      EXPECT_EQ(way->collectives.empty(), way->bytes == 0);
      EXPECT_GT(way->peak_bytes, 0);
    }
  }
}

// The four cases of a sharded product, as the lesson tells them.
TEST(Atlas, TheFourCasesArePlacesOnIt) {
  const AtlasQuestion q = question("x=2,y=4", 64, 128, 96);
  const auto made = make_atlas(q, Workers(), {});
  ASSERT_TRUE(made.ok());
  const auto& whole = triple(q, *made, "P('x', None)", "P(None, 'y')", "P('x', 'y')");
  EXPECT_EQ(whole.which, ProductCase::whole);
  EXPECT_EQ(whole.strategy, "local");
  EXPECT_TRUE(whole.xla.collectives.empty() && whole.shardy.collectives.empty());
  const auto& one = triple(q, *made, "P('x', 'y')", "P(None, None)", "P('x', None)");
  EXPECT_EQ(one.which, ProductCase::one_side);
  const auto& both = triple(q, *made, "P(None, 'y')", "P('y', None)", "P(None, None)");
  EXPECT_EQ(both.which, ProductCase::both_sides);
  EXPECT_EQ(both.xla.collectives, (std::vector<std::string>{"all-reduce f32[64,96]"}));
  const auto& scattered = triple(q, *made, "P(None, 'y')", "P('y', None)", "P('y', None)");
  EXPECT_EQ(scattered.shardy.collectives, (std::vector<std::string>{"reduce-scatter f32[16,96]"}));
  EXPECT_LE(scattered.best.bytes, scattered.shardy.bytes);
  const auto& shared = triple(q, *made, "P('x', None)", "P(None, 'x')", "P('x', None)");
  EXPECT_EQ(shared.which, ProductCase::shared_axis);
  EXPECT_FALSE(shared.xla.collectives.empty());
}

TEST(Atlas, ShardysAndTheBestWaysGiveTheProduct) {
  const AtlasQuestion q = question("x=2,y=2", 8, 8, 12);
  const auto made = make_atlas(q, Workers(), {});
  ASSERT_TRUE(made.ok());
  const auto best = BestProducts::make(q, made->splits, {});
  ASSERT_TRUE(best.ok());
  const Workers workers(1);
  PartitionOptions by_shardy;
  by_shardy.partitioner = Partitioner::shardy;
  for (const AtlasTriple& t : made->triples) {
    const AxisSplit &lhs = made->splits[t.lhs], &rhs = made->splits[t.rhs], &result = made->splits[t.result];
    const auto module = read_stablehlo(atlas_module(q, lhs, rhs, result));
    ASSERT_TRUE(module.ok());
    const ProductArrays product{q.mesh, q.type, {lhs, rhs, result, {q.m, q.k, q.n}}};
    std::vector<Result<Partitioned>> stages{partition(*module, by_shardy)};
    for (const ProductSteps& steps : best->ways(t.lhs, t.rhs, t.result))
      stages.push_back(product_stage(product, steps));
    for (const auto& stage : stages) {
      ASSERT_TRUE(stage.ok());
      const auto arguments = module_arguments(*first_stage(*stage).program, 3, workers);
      const auto proof = prove(*stage, *arguments, workers, RunLimits());
      ASSERT_TRUE(proof.ok());
      EXPECT_TRUE(proof->report.checked && proof->bit_equal) << print_program(*stage->program);
    }
  }
}

// A gather of X over x and one of W over y go beside each other and take one hop of 1 µs, though alone they
// add up to more than a gather and a sum of small parts, which wait for each other. `auto`, which times whole
// plans, has no faster one.
TEST(Atlas, OperandsThatArriveBesideEachOtherAreFasterThanTheSumOfTheirWays) {
  AtlasQuestion q = question("x=2,y=2", 16, 128, 128);
  q.type = ElementType::bf16;
  const auto made = make_atlas(q, Workers(), {});
  ASSERT_TRUE(made.ok());
  Experiment e;
  e.mesh = q.mesh;
  e.problem = {q.m, q.k, q.n, q.type, ElementType::f32};
  RunRequest by_plans{.strategy = "auto"};
  by_plans.options.in_lhs = P("", "x");
  by_plans.options.in_rhs = P("y", "");
  by_plans.options.out = P("", "x");
  ExecutionOptions timing;
  timing.numerics = false;
  const auto run = execute(e, by_plans, timing, {});
  ASSERT_TRUE(run.ok()) << run.error().text();
  const AtlasTriple& t = triple(q, *made, "P(None, 'x')", "P('y', None)", "P(None, 'x')");
  EXPECT_EQ(t.strategy, "all-gather lhs over x, all-gather rhs over y");
  EXPECT_LT(t.best.time, to_picoseconds(2e-6));
  EXPECT_LE(t.best.time, (*run)->timeline.total);
}

// Each point of a line is what the atlas of that size says.
TEST(Atlas, WaysCrossAsAProductGrows) {
  const AtlasQuestion q = question("x=2,y=4", 256, 4096, 4096);
  const auto split = [&](const char* spec) { return parse_axis_split(spec, q.mesh, 2)->split; };
  AtlasLine line{
      split("P(None, 'y')"), split("P('y', None)"), split("P(None, None)"), AtlasLine::Along::m, {}};
  for (int64_t m = 8; m <= 8192; m *= 4) line.sizes.push_back(m);
  const auto found = atlas_crossovers(q, line, {});
  ASSERT_TRUE(found.ok()) << found.error().text();
  ASSERT_EQ(found->points.size(), line.sizes.size());
  for (const SweepPoint& point : found->points) {
    ASSERT_GE(point.ranking.size(), 3U);
    for (size_t k = 1; k < point.ranking.size(); ++k)
      EXPECT_LE(point.ranking[k - 1].total_s, point.ranking[k].total_s);
  }
  const auto at_m =
      static_cast<size_t>(std::ranges::find(found->axes[0].values, "128") - found->axes[0].values.begin());
  ASSERT_LT(at_m, found->points.size());
  // The atlas of that size says the same.
  AtlasQuestion there = q;
  there.m = 128;
  const auto atlas = make_atlas(there, Workers(), {});
  ASSERT_TRUE(atlas.ok());
  const AtlasTriple& t = triple(there, *atlas, "P(None, 'y')", "P('y', None)", "P(None, None)");
  EXPECT_DOUBLE_EQ(found->points[at_m].ranking.front().total_s, to_seconds(t.best.time));
  line.sizes = {3};
  line.lhs = split("P('x', None)");
  EXPECT_FALSE(atlas_crossovers(q, line, {}).ok());
}

TEST(Atlas, StopsWhenTold) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(make_atlas(question("x=2,y=4", 64, 128, 96), Workers(), stop.get_token()).ok());
  EXPECT_FALSE(make_atlas(question("x=2,y=4", 3, 128, 96), Workers(), {}).ok());
}

TEST(Atlas, RefusesWhatItCannotHold) {
  const auto why = [](const AtlasQuestion& q) { return make_atlas(q, Workers(1), {}).error().what; };
  EXPECT_EQ(why(question("a=2,b=2,c=2,d=2", 16, 16, 16)),
            "an atlas is of a mesh of up to three axes, a=2,b=2,c=2,d=2 has 4");
  EXPECT_EQ(why(question("x=2", int64_t{1} << 40, int64_t{1} << 40, 8)),
            "an array of 1099511627776 by 1099511627776 has too many elements");
  AtlasQuestion q = question("x=2", 8, 8, 8);
  q.type = ElementType::pred;
  EXPECT_EQ(why(q), "arrays of pred have no product");
}

// What is opened as a module is the product that was compared.
TEST(Atlas, TheModuleOfATripleHasItsType) {
  AtlasQuestion q = question("x=2", 8, 8, 8);
  for (const ElementType type : {ElementType::s8, ElementType::u8, ElementType::c64, ElementType::bf16}) {
    q.type = type;
    const AxisSplit whole{std::vector<AxisParts>(2), {}};
    const auto module = read_stablehlo(atlas_module(q, whole, whole, whole));
    ASSERT_TRUE(module.ok()) << name(type);
    EXPECT_EQ(module->entry_computation().instructions.front().shape.type, type);
  }
}

}  // namespace
}  // namespace shardscope::atlas_test
