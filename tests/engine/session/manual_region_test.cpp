// SPDX-License-Identifier: Apache-2.0
// What jax.shard_map prints: regions in which the module says what each device does.
#include <gtest/gtest.h>

#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/hlo_run.h"
#include "engine/session/proof/prove.h"

namespace shardscope::manual_region_test {
namespace {

struct ProvedRegion {
  Partitioned made;
  PartitionProof proof;
};

ProvedRegion proved_region(const std::string& text, const PartitionOptions& options = {}) {
  const auto module = parse_program(text);
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
  if (!module.ok()) return {};
  auto made = partition(*module, options);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().text());
  if (!made.ok()) return {};
  const Workers workers;
  auto proof = prove(*made, *module_arguments(*module, 7, workers), workers, {});
  EXPECT_TRUE(proof.ok()) << (proof.ok() ? "" : proof.error().text());
  if (!proof.ok()) return {*std::move(made), {}};
  EXPECT_TRUE(proof->bit_equal) << print_program(*made->program);
  return {*std::move(made), *std::move(proof)};
}

std::vector<std::string> region_collectives(const Partitioned& made) {
  std::vector<std::string> out;
  for (const CollectiveOrigin& c : made.collectives) out.push_back(c.name.substr(0, c.name.find('.')));
  return out;
}

// shard_map(lambda x, w: psum_scatter(x @ w, 'x')), its result used outside.
constexpr const char* kShardMap = R"(HloModule jit_f, num_partitions=4

region_0.4 {
  Arg_0.5 = s32[] parameter(0)
  Arg_1.6 = s32[] parameter(1)
  ROOT add.7 = s32[] add(Arg_0.5, Arg_1.6)
}

shmap_body.1 {
  Arg_0.2 = s32[8,4]{1,0} parameter(0)
  Arg_1.3 = s32[4,12]{1,0} parameter(1)
  dot.8 = s32[8,12]{1,0} dot(Arg_0.2, Arg_1.3), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT reduce-scatter.9 = s32[2,12]{1,0} reduce-scatter(dot.8), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, dimensions={0}, to_apply=region_0.4
}

ENTRY main.20 {
  Arg_0.10 = s32[8,16]{1,0} parameter(0), sharding={devices=[1,4]<=[4]}
  custom-call.11 = s32[8,16]{1,0} custom-call(Arg_0.10), custom_call_target="Sharding", sharding={devices=[1,4]<=[4]}
  custom-call.12 = s32[8,4]{1,0} custom-call(custom-call.11), custom_call_target="SPMDFullToShardShape", sharding={manual}
  Arg_1.13 = s32[16,12]{1,0} parameter(1), sharding={devices=[4,1]<=[4]}
  custom-call.14 = s32[16,12]{1,0} custom-call(Arg_1.13), custom_call_target="Sharding", sharding={devices=[4,1]<=[4]}
  custom-call.15 = s32[4,12]{1,0} custom-call(custom-call.14), custom_call_target="SPMDFullToShardShape", sharding={manual}
  call.16 = s32[2,12]{1,0} call(custom-call.12, custom-call.15), to_apply=shmap_body.1
  custom-call.17 = s32[2,12]{1,0} custom-call(call.16), custom_call_target="Sharding", sharding={manual}
  custom-call.18 = s32[8,12]{1,0} custom-call(custom-call.17), custom_call_target="SPMDShardToFullShape", sharding={devices=[4,1]<=[4]}
  ROOT negate.19 = s32[8,12]{1,0} negate(custom-call.18), sharding={devices=[4,1]<=[4]}
}
)";

TEST(ManualRegion, AShardMapRunsAsItSaysAndItsSurroundingsArePartitioned) {
  const ProvedRegion p = proved_region(kShardMap);
  EXPECT_EQ(region_collectives(p.made), std::vector<std::string>{"reduce-scatter"})
      << print_program(*p.made.program);
  ASSERT_EQ(p.made.collectives.size(), 1U);
  EXPECT_EQ(p.made.collectives[0].rule, "manual region: the module says so itself");
  EXPECT_EQ(p.made.results[0].text(), "{devices=[4,1]<=[4]}");
  EXPECT_NE(p.proof.report.reference.find("manual regions"), std::string::npos);
  PartitionOptions spread;
  spread.propagate = true;
  proved_region(kShardMap, spread);
}

// The product on one device, by hand: region and reference do not come from the same rules.
TEST(ManualRegion, GivesTheProductOfTheWholeArrays) {
  const auto module = parse_program(kShardMap);
  const auto made = partition(*module, {});
  ASSERT_TRUE(made.ok()) << made.error().text();
  const Workers workers;
  const auto arguments = module_arguments(*module, 3, workers);
  const auto got = run_partitioned(*made, *arguments, workers, {});
  ASSERT_TRUE(got.ok()) << got.error().text();
  const auto x = (*arguments)[0].as<int32_t>(), w = (*arguments)[1].as<int32_t>(),
             y = got->leaves[0].as<int32_t>();
  for (size_t i = 0; i < 8; ++i) {
    for (size_t j = 0; j < 12; ++j) {
      int32_t sum = 0;
      for (size_t k = 0; k < 16; ++k) sum += x[i * 16 + k] * w[k * 12 + j];
      EXPECT_EQ(y[i * 12 + j], -sum) << i << "," << j;
    }
  }
}

TEST(ManualRegion, ARunTimesItInsteadOfTakingItForPartitioned) {
  const auto module = parse_program(kShardMap);
  EXPECT_FALSE(is_partitioned(*module));
  const auto run = execute_module(*module, {}, {});
  ASSERT_TRUE(run.ok()) << run.error().text();
  EXPECT_TRUE(run->run->numerics.allclose);
  EXPECT_EQ(run->run->timeline.collectives.at(0).opcode, "reduce-scatter");
}

// The same with Shardy, `said` of the edges and of the call.
std::string in_shardys_words(const std::string& of_edges, const std::string& of_call) {
  std::string text = kShardMap;
  text.replace(text.find(", num_partitions=4"), 18,
               ", num_partitions=4, frontend_attributes={xla.sdy.meshes=\"{m = #sdy.mesh<[\\\"x\\\"=4]>}\"}");
  const size_t from = text.find("  custom-call.11"), to = text.find("  ROOT negate.19");
  const auto attributes = [](const std::string& said) {
    return said.empty() ? std::string() : ", frontend_attributes={" + said + "}";
  };
  return text.replace(from, to - from,
                      "  Arg_1.13 = s32[16,12]{1,0} parameter(1), sharding={devices=[4,1]<=[4]}\n"
                      "  custom-call.12 = (s32[8,4]{1,0}, s32[4,12]{1,0}) custom-call(Arg_0.10, Arg_1.13), "
                      "custom_call_target=\"xla.sdy.GlobalToLocalShape\"" +
                          attributes(of_edges) +
                          "\n  gte.14 = s32[8,4]{1,0} get-tuple-element(custom-call.12), index=0\n"
                          "  gte.15 = s32[4,12]{1,0} get-tuple-element(custom-call.12), index=1\n"
                          "  call.16 = s32[2,12]{1,0} call(gte.14, gte.15), to_apply=shmap_body.1" +
                          attributes(of_call) +
                          "\n  custom-call.18 = s32[8,12]{1,0} custom-call(call.16), "
                          "custom_call_target=\"xla.sdy.LocalToGlobalShape\"" +
                          attributes(of_edges) + "\n");
}

constexpr const char* kSdyAttributes =
    R"(xla.sdy.in_shardings="#sdy.sharding_per_value<[<@m, [{}, {\"x\"}]>, <@m, [{\"x\"}, {}]>]>",)"
    R"(xla.sdy.manual_axes="#sdy<manual_axes{\"x\"}>",)"
    R"(xla.sdy.out_shardings="#sdy.sharding_per_value<[<@m, [{\"x\"}, {}]>]>")";

TEST(ManualRegion, ShardysWordsForItMeanTheSame) {
  const ProvedRegion spmd = proved_region(kShardMap);
  for (const bool on_edges : {true, false}) {  // newer modules say it there, older ones of the call
    const std::string text = in_shardys_words(on_edges ? kSdyAttributes : "", on_edges ? "" : kSdyAttributes);
    const ProvedRegion p = proved_region(text);
    EXPECT_EQ(region_collectives(p.made), std::vector<std::string>{"reduce-scatter"}) << text;
    EXPECT_EQ(p.made.results, spmd.made.results);
    EXPECT_EQ(p.made.parameters, spmd.made.parameters);
    EXPECT_FALSE(is_partitioned(*parse_program(text)));
  }
  PartitionOptions spread;
  spread.propagate = true;
  const ProvedRegion p = proved_region(in_shardys_words(kSdyAttributes, kSdyAttributes), spread);
  EXPECT_EQ(p.made.program->mesh.text(), "x=4");
}

TEST(ManualRegion, ShardysWordsThatDoNotFitAreRefused) {
  std::string two = kSdyAttributes;
  const std::string second = ", <@m, [{\\\"x\\\"}, {}]>";
  two.erase(two.find(second + "]>"), second.size());
  const std::pair<std::string, const char*> cases[] = {
      {in_shardys_words("", ""), "no xla.sdy.in_shardings"},
      {in_shardys_words(two, ""), "1 sharding, expected 2"},
  };
  for (const auto& [text, part] : cases) {
    const auto module = parse_program(text);
    ASSERT_TRUE(module.ok()) << module.error().text();
    const auto made = partition(*module, {});
    ASSERT_FALSE(made.ok()) << part;
    EXPECT_NE(made.error().what.find(part), std::string::npos) << made.error().text();
    EXPECT_EQ(made.error().where, "instruction custom-call.12");
  }
}

// axis_index and a ppermute in a loop: the loop's state stays in the region, its counter comes from outside.
TEST(ManualRegion, LoopsAndDeviceNumbersStayInside) {
  proved_region(R"(HloModule ring, num_partitions=4

cond {
  s.1 = (s32[], s32[2,3], s32[2,3]) parameter(0)
  i.1 = s32[] get-tuple-element(s.1), index=0
  n = s32[] constant(4)
  ROOT lt = pred[] compare(i.1, n), direction=LT
}

body {
  s = (s32[], s32[2,3], s32[2,3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = s32[2,3] get-tuple-element(s), index=1
  acc = s32[2,3] get-tuple-element(s), index=2
  id = u32[] partition-id()
  place = s32[] convert(id)
  scale = s32[2,3] broadcast(place), dimensions={}
  scaled = s32[2,3] multiply(x, scale)
  sum = s32[2,3] add(acc, scaled)
  moved = s32[2,3] collective-permute(x), channel_id=3, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}
  ROOT t = (s32[], s32[2,3], s32[2,3]) tuple(next, moved, sum)
}

ENTRY main {
  p = s32[8,3] parameter(0), sharding={devices=[4,1]<=[4]}
  local = s32[2,3] custom-call(p), custom_call_target="SPMDFullToShardShape", sharding={manual}
  zero = s32[] constant(0)
  zeros = s32[2,3] broadcast(zero), dimensions={}
  init = (s32[], s32[2,3], s32[2,3]) tuple(zero, local, zeros)
  loop = (s32[], s32[2,3], s32[2,3]) while(init), condition=cond, body=body
  out = s32[2,3] get-tuple-element(loop), index=2
  ROOT full = s32[8,3] custom-call(out), custom_call_target="SPMDShardToFullShape", sharding={devices=[4,1]<=[4]}
}
)");
}

// What JAX keeps of a forward region for its gradient: a mask of the device's number, out of one region,
// whole, and into the next.
TEST(ManualRegion, ADevicesNumberLeavesARegionAndEntersTheNext) {
  proved_region(R"(HloModule numbers, num_partitions=4

ENTRY main {
  p = s32[8,3] parameter(0), sharding={devices=[4,1]<=[4]}
  local = s32[2,3] custom-call(p), custom_call_target="SPMDFullToShardShape", sharding={manual}
  id = u32[] partition-id()
  place = s32[] convert(id)
  mine = s32[1] broadcast(place), dimensions={}
  kept = s32[1] custom-call(mine), custom_call_target="Sharding", sharding={manual}
  all = s32[4] custom-call(kept), custom_call_target="SPMDShardToFullShape", sharding={devices=[4]<=[4]}
  again = s32[1] custom-call(all), custom_call_target="SPMDFullToShardShape", sharding={manual}
  number = s32[] reshape(again)
  scale = s32[2,3] broadcast(number), dimensions={}
  scaled = s32[2,3] multiply(local, scale)
  full = s32[8,3] custom-call(scaled), custom_call_target="SPMDShardToFullShape", sharding={devices=[4,1]<=[4]}
  three = s32[3] constant({1, 2, 3})
  cut = s32[3] slice(all), slice={[1:4]}
  ends = s32[3] multiply(cut, three)
  ROOT t = (s32[8,3], s32[3]) tuple(full, ends), sharding={{devices=[4,1]<=[4]}, {replicated}}
}
)");
}

// shard_map over x of a mesh x=2, y=2; y is left to the partitioner: the body's product is cut along y.
TEST(ManualRegion, AxesThatAreNotManualArePartitionedInside) {
  const ProvedRegion p = proved_region(R"(HloModule partial, num_partitions=4

add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = s32[] add(a, b)
}

ENTRY main {
  x = s32[8,16] parameter(0), sharding={devices=[2,2]<=[4]}
  w = s32[16,6] parameter(1), sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}
  lx = s32[4,16] custom-call(x), custom_call_target="SPMDFullToShardShape", sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}
  lw = s32[16,6] custom-call(w), custom_call_target="SPMDFullToShardShape", sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dims={manual}}
  y = s32[4,6] dot(lx, lw), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}
  sum = s32[4,6] all-reduce(y), channel_id=1, replica_groups={{0,2},{1,3}}, use_global_device_ids=true, to_apply=add
  ROOT full = s32[8,6] custom-call(sum), custom_call_target="SPMDShardToFullShape", sharding={devices=[2,2]<=[4]}
}
)");
  // The contraction is cut by y: the partitioner's own sum stays in pairs along y, the module's goes along x.
  ASSERT_GE(p.made.collectives.size(), 2U);
  bool own = false;
  for (const CollectiveOrigin& c : p.made.collectives)
    own = own || c.rule == "manual region: the module says so itself";
  EXPECT_TRUE(own);
}

TEST(ManualRegion, WhatDoesNotFitIsSaid) {
  const auto refusal = [](const std::string& lines) {
    const auto module = parse_program("HloModule m, num_partitions=2\nENTRY main {\n" + lines + "}\n");
    EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
    const auto made = partition(*module, {});
    EXPECT_FALSE(made.ok());
    return made.ok() ? "" : made.error().text();
  };
  const std::string enter =
      "  a = f32[4] parameter(0), sharding={devices=[2]<=[2]}\n"
      "  b = f32[2] custom-call(a), custom_call_target=\"SPMDFullToShardShape\", sharding={manual}\n";
  EXPECT_NE(refusal(enter + "  ROOT c = f32[2] negate(b)\n").find("SPMDShardToFullShape"), std::string::npos);
  EXPECT_NE(refusal("  a = f32[4] parameter(0), sharding={devices=[2]<=[2]}\n"
                    "  b = f32[4] custom-call(a), custom_call_target=\"SPMDFullToShardShape\", "
                    "sharding={manual}\n"
                    "  ROOT c = f32[4] custom-call(b), custom_call_target=\"SPMDShardToFullShape\", "
                    "sharding={devices=[2]<=[2]}\n")
                .find("does not give every device"),
            std::string::npos);
  EXPECT_NE(refusal(enter + "  ROOT c = f32[6] custom-call(b), custom_call_target=\"SPMDShardToFullShape\", "
                            "sharding={devices=[2]<=[2]}\n")
                .find("do not make up"),
            std::string::npos);
}

}  // namespace
}  // namespace shardscope::manual_region_test
