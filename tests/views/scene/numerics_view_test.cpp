// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sample_run.h"
#include "scene_claims.h"
#include "views/scene/charts/memory_layers.h"

namespace shardscope::numerics_view_test {
namespace {

// A run whose reference is the inaccurate side.
Run compared_run() {
  Run run;
  run.strategy = "pallas.ag_slice_psum_f32";
  NumericsReport& n = run.numerics;
  n.checked = true;
  n.rtol = n.atol = 1e-2;
  n.max_abs = 0.9635;
  n.percent_bad = 4.65;
  n.shape = {64, 64};
  n.region_rows = n.region_cols = 2;
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t r = i / 2 * 32, c = i % 2 * 32;
    n.regions.push_back({{r, c}, {r + 32, c + 32}, 0.07, 4.0 + static_cast<double>(i)});
  }
  n.worst_index = {40, 3};
  n.reference = "pallas.permute_psum";
  n.smallest_atol = 0.4627;
  n.exact = ExactComparison{{2.5e-8, 1e-6, 1e-5},
                            {2.45e-3, 0.1, 0.96},
                            {38, 46},
                            -0.0323,
                            -0.5,
                            -0.0323,
                            {65.24288, -65.27517},
                            "The reference is the less accurate side."};
  return run;
}

Scene drawn(const Run& run, const Canvas& c) {
  const SampleRun sample;
  return layout_numerics({run, sample.trace(), nullptr}, c);
}

TEST(NumericsView, SaysWhichSideIsOffAndShowsThePartialSums) {
  for (const float scale : {1.0F, 2.0F}) {
    for (const Theme& theme : {light_theme(), dark_theme()}) {
      Canvas c = canvas(1100, 640, theme);
      c.theme.scale = scale;
      const Scene scene = drawn(compared_run(), c);
      EXPECT_TRUE(shows(scene, "Differs from pallas.permute_psum"));
      EXPECT_TRUE(shows(scene, "The reference is the less accurate side."));
      expect_words_inside(scene);
    }
  }
  const Scene scene = drawn(compared_run(), canvas(1100, 640));
  for (const char* text : {"atol 0.4627", "[38,46]", "65.243", "-65.275", "share of bad elements", "7 %"})
    EXPECT_TRUE(shows(scene, text)) << text;
}

TEST(NumericsView, NarrowDocksKeepEverythingInside) {
  expect_words_inside(drawn(compared_run(), canvas(360, 420)));
}

Scene microscope(const Run& run, const Canvas& c) {
  const SampleRun sample;
  return layout_bits({run, sample.trace(), nullptr}, c);
}

TEST(BitMicroscope, ShowsEachRoundingOnTheGridOfItsType) {
  shardscope::Run run = compared_run();
  run.numerics.exact->partial_type = ElementType::bf16;
  run.numerics.exact->of_reference = true;
  for (const Point size : {Point{1280, 720}, Point{360, 420}}) {
    const Scene scene = microscope(run, canvas(size.x, size.y));
    for (const char* text : {"[38,46] of pallas.permute_psum", "+1.0000010", "65.2429  -0.49 ulp", "-65.5"})
      EXPECT_TRUE(shows(scene, text)) << text << " at " << size.x;
    expect_words_inside(scene);
  }
  const Scene wide = microscope(run, canvas(1280, 720));
  EXPECT_TRUE(shows(wide, "Added in bf16 they give -0.5; in f64 they give -0.0323"));
  EXPECT_FALSE(shows(wide, "in another order")) << "the program's own -0.5 is what its adds give";
  run.numerics.exact->reference_value = -0.25;
  EXPECT_TRUE(shows(microscope(run, canvas(1280, 720)), "in another order"));
}

TEST(BitMicroscope, SaysWhyThereIsNothingToSee) {
  shardscope::Run run = compared_run();
  run.numerics.exact->partial_type = ElementType::f32;
  EXPECT_TRUE(shows(microscope(run, canvas(800, 400)), "wide enough"));
  EXPECT_TRUE(shows(microscope(shardscope::Run{}, canvas(800, 400)), "not checked"));
}

TEST(NumericsView, ARunThatWasNotCheckedSaysSo) {
  EXPECT_TRUE(shows(drawn(shardscope::Run{}, canvas(800, 400)), "not checked"));
}

ErrorGrowth sample_growth() {
  return {
      0,
      4096,
      {{"f32_sequential",
        "f32 throughout",
        "≤ u32·√(k/2)",
        "f32",
        {{16, 2e-8, 7e-8}, {16384, 1.6e-6, 2.3e-6}}},
       {"bf16", "bf16, every term", "u·√(k/2)", "bf16", {{16, 5e-3, 4.7e-3}, {16384, 0.14, 0.15}}},
       {"P2",
        "2 bf16 partials, ring",
        "u·√(1+(P+1)/2−1/P)",
        "ring",
        {{16, 2.5e-3, 2.4e-3}, {16384, 2.4e-3, 2.4e-3}}},
       {"P4", "4 bf16 partials, ring", "u·√(1+(P+1)/2−1/P)", "ring", {{16, 3e-3, 3e-3}, {16384, 3e-3, 3e-3}}},
       {"P16",
        "16 bf16 partials, ring",
        "u·√(1+(P+1)/2−1/P)",
        "ring",
        {{16, 5e-3, 5e-3}, {16384, 5e-3, 5e-3}}}}};
}

TEST(ErrorGrowthView, NamesEveryFamilyWithItsLawAndEveryPoint) {
  const Scene scene = layout_error_growth(sample_growth(), canvas(1100, 600));
  expect_words_inside(scene);
  EXPECT_TRUE(shows(scene, "bf16, every term: u·√(k/2)"));
  EXPECT_TRUE(shows(scene, "2 bf16 partials"));
  EXPECT_TRUE(shows(scene, "16 bf16 partials"));
  EXPECT_FALSE(shows(scene, "4 bf16 partials")) << "the first and the last stand for a family";
  EXPECT_EQ(scene.circles().size(), 8U);
  EXPECT_EQ(
      std::count_if(scene.lines().begin(), scene.lines().end(), [](const LineItem& l) { return l.dashed; }),
      4);
}

TEST(ErrorGrowthView, NothingMeasuredIsSaid) {
  EXPECT_TRUE(shows(layout_error_growth({}, canvas(600, 300)), "Nothing was measured"));
}

TEST(MemoryLayers, AddUpToTheMemoryRecord) {
  for (const char* strategy : {"wang.os", "collective.os", "meshslice.os", "psum"}) {
    const SampleRun run(strategy);
    const Timeline& timeline = run.input().run.timeline;
    for (int32_t device : {0, 5}) {
      const MemoryLayers layers = memory_layers(run.input(), device, 8);
      ASSERT_LE(layers.layers.size(), 8U);
      int64_t peak = 0;
      for (const MemorySpan& span : layers.spans) peak = std::max(peak, span.total());
      EXPECT_EQ(peak, timeline.totals[static_cast<size_t>(device)].peak_bytes) << strategy;
      int64_t held = 0;
      for (const MemoryLayer& layer : layers.layers) held += layer.peak_bytes;
      EXPECT_EQ(held, peak) << strategy;
      size_t span = 0;
      for (const MemoryPoint& point : timeline.memory[static_cast<size_t>(device)]) {
        while (span + 1 < layers.spans.size() && layers.spans[span].end <= point.time) ++span;
        if (point.time == timeline.total) continue;
        EXPECT_EQ(layers.spans[span].total(), point.bytes) << strategy << point.time;
      }
    }
  }
}

TEST(MemoryView, StacksWhatIsHeldByName) {
  const SampleRun run("collective.os");
  const Scene scene = layout_memory(run.input(), {}, {}, canvas(1100, 500));
  expect_words_inside(scene);
  for (const char* text : {"X, as stored", "W, as stored", "peak ", "held at the peak"})
    EXPECT_TRUE(shows(scene, text)) << text;
}

TEST(MemoryView, ARunThatDoesNotFitIsMarkedWithTheLimit) {
  const SampleRun sample("collective.os");
  shardscope::Run run = sample.input().run;
  run.hardware.memory.hbm_bytes = 1 << 20;
  const Scene scene = layout_memory({run, sample.trace(), nullptr}, {}, {}, canvas(1100, 500));
  EXPECT_TRUE(shows(scene, "does not fit the chip's 1.0 MiB of HBM"));
  EXPECT_TRUE(shows(scene, "HBM 1.0 MiB"));
}

}  // namespace
}  // namespace shardscope::numerics_view_test
