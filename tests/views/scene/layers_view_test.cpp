// SPDX-License-Identifier: Apache-2.0
// Layers of a long program over its timeline: folded where they have no room, and what a fold says is true.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/base/units.h"
#include "engine/program/text/hlo_text.h"
#include "tests/views/scene/sample_run.h"

namespace shardscope {
namespace {

std::string layers(int count) {
  std::string text = "HloModule m, num_partitions=4\nENTRY main {\n  x0 = f32[64,64] parameter(0)\n";
  for (int l = 0; l < count; ++l)
    text += fmt::format(
        "  x{} = f32[64,64] dot(x{}, x0), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}, "
        "metadata={{op_name=\"jit(step)/layer_{}/dot_general\"}}\n",
        l + 1, l, l);
  return text + fmt::format("  ROOT r = f32[64,64] copy(x{})\n}}\n", count);
}

struct LayeredRun {
  RunPtr run;
  std::unique_ptr<TraceSource> trace;
  RunSums sums;
  ViewInput input() const {
    ViewInput out{*run, *trace};
    out.sums = &sums;
    return out;
  }
};

LayeredRun layered(int count) {
  auto run = std::make_shared<Run>();
  run->mesh = *Mesh::parse("x=4");
  run->hardware = *find_hardware("tpu-v5e");
  run->program = *parse_program(layers(count));
  run->program.mesh = run->mesh;
  run->timeline = *schedule(run->program, run->hardware, {}, {});
  LayeredRun out{run, memory_trace(run), {}};
  out.sums = *sum_run(*run, nullptr);
  return out;
}

bool says(const Scene& scene, const std::string& text) {
  return std::ranges::any_of(scene.texts(), [&](const auto& item) { return item.text == text; });
}

TEST(TimelineLayers, WithoutRoomAreABandThatSaysHowManyAndHowLong) {
  const LayeredRun run = layered(40);
  const LayerTimes& fold = run.sums.layers.at(0);
  const Picoseconds each = fold.layers.front().time.length();
  ASSERT_EQ(fold.time.length(), 40 * each);
  EXPECT_TRUE(says(layout_timeline(run.input(), {}, {}, canvas(900, 400)),
                   fmt::format("jit(step)/layer_0–39 ×40 · 40 layers in {}, {} each",
                               format_picoseconds(40 * each), format_picoseconds(each))));
}

TEST(TimelineLayers, WithRoomStandEachWhereItIs) {
  const LayeredRun run = layered(40);
  const LayerTimes::Layer& third = run.sums.layers.at(0).layers.at(3);
  TimelineViewport near;
  near.range = third.time;
  const Scene scene = layout_timeline(run.input(), near, {}, canvas(900, 400));
  EXPECT_TRUE(says(scene, "layer_3 · " + format_picoseconds(third.time.length())));
  EXPECT_FALSE(says(scene, "layer_5 · " + format_picoseconds(third.time.length())));
}

TEST(TimelineLayers, TakeNoPlaceWhereThereAreNone) {
  const SampleRun run("meshslice.os", "row=2,col=4");
  ViewInput with = run.input();
  const RunSums sums = *sum_run(with.run, with.story);
  with.sums = &sums;
  EXPECT_EQ(layout_timeline(with, {}, {}, canvas(900, 400)).text(),
            layout_timeline(run.input(), {}, {}, canvas(900, 400)).text());
}

}  // namespace
}  // namespace shardscope
