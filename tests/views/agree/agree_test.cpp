// SPDX-License-Identifier: Apache-2.0
// At every start, end and arrival of a run, and between them: ring, ring table, timeline, sharding grid,
// tooltips, sentences, accessible tree and the story's JSON say the same.
#include <fstream>
#include <gtest/gtest.h>

#include "engine/base/text.h"
#include "engine/session/hlo_presets.h"
#include "engine/session/session.h"
#include "tests/views/agree/checks.h"

namespace shardscope::agree_test {
namespace {

constexpr size_t kMostMoments = 240;  // of one run; of longer ones as many, evenly chosen

// What has a name has it alone: blocks among each other, and beside instructions.
void check_names(Agreement& a) {
  if (!a.names.twice().empty()) a.complain(0, "two blocks are called " + a.names.twice());
  std::set<std::string> instructions;
  for (const Instruction& i : a.told.run->program.entry_computation().instructions)
    instructions.insert(i.name);
  for (const Json& array : a.told.json["arrays"])
    for (const Json& block : array["blocks"])
      if (block["name"] != array["name"] && instructions.contains(block["name"].get<std::string>()))
        a.complain(0, "a block is called as an instruction: " + block["name"].get<std::string>());
}

std::string disagreement(const RunWithStory& told) {
  Agreement a(told);
  check_names(a);
  check_timeline(a);
  check_tooltips(a);
  check_sentences(a);
  const std::vector<Picoseconds> moments = moments_of(told);
  const size_t step = moments.size() / kMostMoments + 1;
  for (size_t i = 0; i < moments.size() && !a.complaints.enough(); i += step) {
    const Moment moment = moment_of(told, moments[i]);
    check_json(a, moment);
    check_ring(a, moment);
    check_grid(a, moment);
    check_playhead(a, moment);
    check_tooltips_now(a, moment);
    check_sentences_now(a, moment);
  }
  return a.complaints.text();
}

struct Named {
  const char* strategy;
  const char* mesh;
  const char* collective;
};

class AllViewsAgree : public ::testing::TestWithParam<Named> {};

TEST_P(AllViewsAgree, AtEveryBoundaryOfAnEvent) {
  const auto told = told_strategy(GetParam().strategy, GetParam().mesh, GetParam().collective);
  ASSERT_NE(told, nullptr);
  ASSERT_GT(told->story->beats().size(), 2U);
  EXPECT_EQ(disagreement(*told), "");
}

INSTANTIATE_TEST_SUITE_P(NamedRuns, AllViewsAgree,
                         ::testing::Values(Named{"wang.os", "row=2,col=4", "auto"},
                                           Named{"meshslice.ls", "row=2,col=4", "auto"},
                                           Named{"meshslice.os", "row=2,col=4", "bidirectional"},
                                           Named{"cannon.os", "row=4,col=4", "auto"},
                                           Named{"cannon.ls", "row=2,col=2", "auto"},
                                           Named{"megatron.row", "row=8", "ring"},
                                           Named{"megatron.sequence", "row=2,col=4", "auto"},
                                           Named{"collective.all_reduce", "row=8", "halving-doubling"},
                                           Named{"summa.os", "row=3,col=3", "auto"},
                                           Named{"collective.os", "row=2,col=2,depth=2", "auto"},
                                           Named{"collective.all_gather", "row=4,col=4", "torus"},
                                           Named{"chain.wang", "row=2,col=2", "auto"}),
                         [](const auto& run) {
                           std::string name = run.param.strategy;
                           for (char& c : name) c = c == '.' ? '_' : c;
                           return name;
                         });

// Slices of every shard that are in the node and on the network at once. Without latency, as a lane's boxes
// would overlap: a port sends on while it passes.
TEST(AllViewsAgreeOnTwoLevels, AtEveryBoundaryOfAnEvent) {
  const std::string path = testing::TempDir() + "/two_levels.toml";
  std::ofstream(path) << "name = 'nodes'\ntopology = 'two-level'\n"
                         "[compute]\npeak_flops_per_s = { f32 = 1e14 }\n[memory]\nhbm_bytes_per_s = 1e12\n"
                         "[link]\nbytes_per_s = 5e10\nlatency_s = 0\nlevel_slices = 2\n"
                         "[node]\ndevices = 4\n[network]\nbytes_per_s = 2.5e10\nlatency_s = 0\n";
  const auto told = told_strategy("collective.all_gather", "row=8", "hierarchical", path);
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(disagreement(*told), "");
}

TEST(AllViewsAgreeOnAModule, AtEveryBoundaryOfAnEvent) {
  const auto told = told_module("mlp");
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(disagreement(*told), "");
}

#ifdef SHARDSCOPE_NIGHTLY
TEST(AllViewsAgreeAtNight, OnEveryPreset) {
  int runs = 0;
  for (const ExperimentPreset& preset : experiment_presets()) {
    const Experiment experiment = *find_experiment(preset.name);
    ExecutionOptions timing;
    timing.numerics = false;
    for (const RunRequest& request : requests_of(experiment)) {
      const Result<RunPtr> run = execute(experiment, request, timing, {});
      std::string why;
      const auto told = run.ok() ? told_run(preset.name + " " + request.strategy, *run, &why) : nullptr;
      if (!told || told->run->timeline.devices > 64) continue;
      ++runs;
      EXPECT_EQ(disagreement(*told), "");
    }
  }
  EXPECT_GE(runs, 40);
}

TEST(AllViewsAgreeAtNight, OnEveryModule) {
  for (const HloPreset& preset : hlo_presets()) {
    if (const auto told = told_module(preset.name); told != nullptr) {
      EXPECT_EQ(disagreement(*told), "");
    }
  }
}
#endif

}  // namespace
}  // namespace shardscope::agree_test
