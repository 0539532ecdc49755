// SPDX-License-Identifier: Apache-2.0
// The formulas that Details shows, against the times that they explain.
#include <algorithm>
#include <functional>

#include "sample_run.h"
#include "views/scene/story/cost_formula.h"
#include "views/scene/story/event_text.h"

namespace shardscope::formula_test {
namespace {

// Every strategy that can be planned on one of two meshes.
void for_each_sample(const std::function<void(const SampleRun&)>& body) {
  int seen = 0;
  for (const char* text : {"row=2,col=4", "row=2,col=2"}) {
    const Mesh mesh = *Mesh::parse(text);
    for (const Strategy& strategy : strategies()) {
      const auto program = strategy.plan(mesh, {512, 1024, 2048, ElementType::f32, ElementType::f32}, {});
      if (!program.ok()) continue;
      const auto hardware = *find_hardware("tpu-v5e");
      const auto resolved = resolve_collectives(*program, hardware, CollectiveAlgorithm::automatic);
      if (!resolved.ok() || !schedule(*resolved, hardware, {}, {}).ok()) continue;
      SCOPED_TRACE(std::string(strategy.id) + " on " + text);
      body(SampleRun(std::string(strategy.id), text));
      ++seen;
    }
  }
  EXPECT_GT(seen, 40);
}

TEST(Formulas, ComeToTheEventsTimesToThePicosecondOrAreNotShown) {
  int64_t with = 0, without = 0;
  for_each_sample([&](const SampleRun& run) {
    const auto& events = run.input().run.timeline.events;
    for (const Event& event : events) {
      const auto formula = duration_formula(run.input(), event);
      const std::vector<Fact> facts = duration_facts(run.input(), event);
      ASSERT_FALSE(facts.empty());
      if (!formula) {
        ASSERT_TRUE(facts[0].formula.empty());
        ASSERT_TRUE(facts[0].value.starts_with("No formula: ")) << facts[0].value;
        ++without;
        continue;
      }
      ASSERT_EQ(formula->value, event.end - event.start);
      ASSERT_EQ(facts[0].value, format_picoseconds(event.end - event.start));
      ASSERT_FALSE(facts[0].formula.empty());
      ++with;
    }
  });
  EXPECT_GT(with, 3000);
  EXPECT_EQ(without, 0) << "on one chip type without kernels each time has its formula";
}

// A chip on which everything was measured: its formulas come to its times as well.
TEST(Formulas, OfMeasuredCollectivesTilesLaunchesAndRoundsComeToTheTimesToo) {
  Hardware chip = *find_hardware("h100");
  chip.compute.elementwise_launch_s = 3e-6;
  chip.compute.launch_overhead_s = 5e-6;
  chip.compute.tile = {64, 64, 32};
  chip.compute.units = 132;
  chip.overlap.sync_s = 6e-6;
  for (const char* kind :
       {"all-gather", "reduce-scatter", "all-reduce", "all-to-all", "collective-permute"}) {
    LinkOp op;
    op.kind = kind;
    op.launch_s = 20e-6;
    op.step_s = 1e-6;
    op.bytes_per_s = 300e9;
    op.ramp = LinkOp::Ramp{2e-9, 0.5};
    chip.link.ops.push_back(op);
  }
  int64_t transfers = 0, syncs = 0, with = 0, starts = 0;
  for (const Strategy& strategy : strategies()) {
    const auto program =
        strategy.plan(*Mesh::parse("row=2,col=4"), {512, 1024, 2048, ElementType::f32, ElementType::f32}, {});
    if (!program.ok() || !schedule(*program, chip, {}, {}).ok()) continue;
    const SampleRun run(std::string(strategy.id), "row=2,col=4", chip);
    for (const Event& event : run.input().run.timeline.events) {
      const auto formula = duration_formula(run.input(), event);
      ASSERT_TRUE(formula) << strategy.id << ' ' << event.instruction;
      ASSERT_EQ(formula->value, event.end - event.start) << strategy.id;
      transfers += formula->facts.back().label == "as measured" ? 1 : 0;
      for (const Fact& fact : formula->facts) syncs += fact.label == "sync" ? 1 : 0;
      starts += start_formula(run.input(), event) ? 1 : 0;
      ++with;
    }
  }
  EXPECT_GT(transfers, 500);
  EXPECT_GT(syncs, 50);
  EXPECT_GT(starts * 10, with * 9) << "nearly all starts are told";
}

TEST(Formulas, ACollectiveIsTheSumOfItsSteps) {
  int64_t seen = 0;
  for_each_sample([&](const SampleRun& run) {
    const auto& events = run.input().run.timeline.events;
    for (const Beat& beat : run.story().beats()) {
      if (beat.events.empty()) continue;
      const int32_t e = beat.events.front();
      const auto formula = collective_formula(run.input(), e);
      if (!formula) continue;
      ASSERT_TRUE(is_transfer(events[static_cast<size_t>(e)]));
      // From its first transfer to its last one, where a collective is carried out once.
      Picoseconds first = INT64_MAX, last = 0;
      int64_t firsts = 0;
      for (const Beat& other : run.story().beats()) {
        if (other.instruction != beat.instruction || other.transfer_step < 0) continue;
        first = std::min(first, other.start);
        last = std::max(last, other.end);
        firsts += other.transfer_step == 0 ? 1 : 0;
      }
      if (firsts != 1) continue;
      ASSERT_EQ(formula->value, last - first);
      ++seen;
    }
  });
  EXPECT_GT(seen, 200);
}

TEST(Formulas, AnEventStartsWhenItsCauseSays) {
  int64_t with = 0, all = 0;
  for_each_sample([&](const SampleRun& run) {
    for (const Event& event : run.input().run.timeline.events) {
      const auto formula = start_formula(run.input(), event);
      ++all;
      if (!formula) continue;
      ++with;
      ASSERT_EQ(formula->value, event.start);
      const std::string& words = formula->facts[0].formula;
      if (words.ends_with(" ends")) {
        ASSERT_EQ(find_event(run.input(), event.cause)->end, event.start);
      } else if (event.cause < 0) {
        ASSERT_EQ(event.start, 0);
      }
    }
  });
  EXPECT_GT(with * 10, all * 9) << "nearly all starts are told";
}

}  // namespace
}  // namespace shardscope::formula_test
