// SPDX-License-Identifier: Apache-2.0
// The sharding grid: who holds which block now, and how much of it.
#include <algorithm>
#include <fmt/format.h>

#include "engine/program/text/hlo_text.h"
#include "sample_run.h"
#include "scene_claims.h"
#include "views/scene/core/pen.h"
#include "views/scene/core/run_views.h"
#include "views/scene/story/found_once.h"

namespace shardscope::grid_picture_test {
namespace {

Scene grid(const SampleRun& run, Picoseconds time, const GridViewport& viewport = {}) {
  Selection selection;
  selection.time = time;
  return layout_sharding_grid(run.input(), viewport, selection, canvas(1400, 900));
}

std::vector<std::string> said(const Scene& scene, const std::string& start) {
  std::vector<std::string> out;
  for (const AccessibleItem& item : scene.accessible()) {
    if (item.name.starts_with(start)) out.push_back(item.name);
  }
  return out;
}

// "×3" beside the block's name in the picture; 1 without.
int64_t copies_shown(const Scene& scene, const std::string& block) {
  for (const TextItem& t : scene.texts()) {
    if (t.text == block) return 1;
    if (t.text.starts_with(block + " ×")) return std::stoll(t.text.substr((block + " ×").size()));
  }
  return 0;
}

TEST(GridPicture, ReplicasCountTheDevicesThatHoldABlockNow) {
  const SampleRun run("collective.os", "row=2,col=4");
  const Story& story = run.story();
  for (const Beat& beat : story.beats()) {
    const Scene scene = grid(run, beat.end);
    for (size_t a = 0; a < 2; ++a) {
      const StoryArray& array = story.arrays()[a];
      for (int64_t b = 0; b < array.block_count(); ++b) {
        int64_t holders = 0;
        for (int32_t d = 0; d < 8; ++d) {
          int64_t elements = 0;
          for (const PieceId id : story.held(d, beat.end)) {
            if (story.piece(id).array != static_cast<int32_t>(a)) continue;
            for (const IndexBox& box : story.piece(id).index) {
              int64_t common = 1;
              const IndexBox whole = array.block_box(b);
              for (size_t i = 0; i < box.size(); ++i)
                common *= std::max<int64_t>(
                    0, std::min(box[i].stop, whole[i].stop) - std::max(box[i].start, whole[i].start));
              elements += common;
            }
          }
          const IndexBox whole = array.block_box(b);
          holders += elements == whole[0].size() * whole[1].size();
        }
        if (holders > 0) {
          EXPECT_EQ(copies_shown(scene, array.block_name(b)), holders) << array.block_name(b);
        }
      }
    }
  }
}

TEST(GridPicture, BeforeAnythingOnlyTheInputsAreThere) {
  for (const char* strategy : {"wang.os", "psum", "cannon.os"}) {
    const SampleRun run(strategy, "row=4,col=4");
    const Scene scene = grid(run, 0);
    for (const std::string& name : said(scene, "block "))
      EXPECT_EQ(name.find("not there yet") != std::string::npos, name.starts_with("block y")) << name;
  }
}

// In smaller letters before without it.
TEST(GridPicture, TheSizeOfAnArrayIsLeftOutOnlyWhereSmallLettersHaveNoRoomForIt) {
  const SampleRun run("collective.os", "row=2,col=4");
  for (float width = 300; width < 460; width += 2) {
    const Scene scene = layout_sharding_grid(run.input(), {}, {}, canvas(width, 220));
    for (const TextItem& t : scene.texts()) {
      if (t.face != Face::bold || t.text.find(" [") == std::string::npos || t.px < 13) continue;
      // Where one array's title fits in whole letters, the others' fit in small ones.
      for (const char* array : {"X [", "W [", "Y ["}) EXPECT_TRUE(shows(scene, array)) << width << array;
    }
  }
}

TEST(GridPicture, SumsInTheMakingSayTheirTermsPerDevice) {
  const SampleRun run("psum", "row=4,col=2", CollectiveAlgorithm::bidirectional);
  const Scene scene = grid(run, run.story().beats()[1].end);
  const std::vector<std::string> blocks = said(scene, "block y0 of Y");
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0], "block y0 of Y, held by (0,0) (1 of 2), (0,1) (1 of 2)");
  EXPECT_TRUE(shows(scene, "1 of 2"));
}

TEST(GridPicture, DevicesSayWhatTheyHold) {
  const SampleRun run("wang.os", "row=2,col=4");
  const Picoseconds time = run.story().beats()[2].end;
  const std::vector<std::string> names = said(grid(run, time), "device ");
  ASSERT_EQ(names.size(), 8U);
  for (int32_t d = 0; d < 8; ++d)
    EXPECT_EQ(names[static_cast<size_t>(d)],
              fmt::format("device {}, holds {}", device_name(run.story().program().mesh, d),
                          holdings_text(run.story(), d, time)));
}

// As the window does it: one for all pictures until something changes hands, whatever is pointed at.
TEST(HeldNow, KeptFromPictureToPictureItDrawsTheSame) {
  for (const char* strategy : {"wang.os", "collective.rs", "cannon.os"}) {
    const SampleRun run(strategy, "row=4,col=4");
    const Story& story = run.story();
    const ViewInput kept = run.input();
    int made = 0, pictures = 0;
    const HeldNow* before = nullptr;
    for (const Beat& beat : story.beats()) {
      for (const Picoseconds time : {beat.start, (beat.start + beat.end) / 2, beat.end}) {
        if (before == nullptr || !before->tells(story, time)) ++made;
        before = &held_now(kept, time);
        for (const int32_t device : {-1, 0, 5}) {
          Selection selection;
          selection.time = time;
          if (device >= 0) selection.hovered = {.kind = ItemId::Kind::device, .device = device};
          for (const char* view : {"grid", "ring"})
            EXPECT_EQ(*layout_named(view, kept, selection, canvas(1400, 900)),
                      *layout_named(view, run.input(), selection, canvas(1400, 900)))
                << strategy << ' ' << view << ' ' << time;
          ++pictures;
        }
      }
    }
    EXPECT_LT(made, pictures / 3) << strategy;
  }
}

// Of another moment, or of another story, it is found anew.
TEST(HeldNow, OfAnotherMomentItIsNotAsked) {
  const SampleRun run("wang.os", "row=2,col=4");
  const SampleRun other("collective.os", "row=2,col=4");
  const Picoseconds end = run.story().beats().back().end;
  const ViewInput input = run.input();
  EXPECT_FALSE(held_now(input, 0).tells(run.story(), end));
  EXPECT_FALSE(held_now(other.input(), end).tells(run.story(), end));
  EXPECT_TRUE(held_now(input, end).tells(run.story(), end));
  EXPECT_EQ(held_since(input, end), held_now(input, end).since());
  ViewInput of_other = input;
  of_other.story = &other.story();
  EXPECT_TRUE(held_now(of_other, end).tells(other.story(), end));
}

// One parameter of three dimensions.
struct DeepArray {
  explicit DeepArray(const std::string& mesh, const char* axes, std::vector<int64_t> dims,
                     const char* local) {
    run = std::make_shared<Run>();
    run->program = *parse_program(fmt::format(
        "HloModule deep\nENTRY %e (p: f32[{0}]) -> f32[{0}] {{\n  ROOT %p = f32[{0}] parameter(0)\n}}\n",
        local));
    run->mesh = *Mesh::parse(mesh);
    run->program.mesh = run->mesh;
    ArrayInfo info;
    info.role = ArrayRole::argument;
    info.symbol = "p";
    info.dims = std::move(dims);
    info.spec = *PartitionSpec::parse(axes);
    run->program.inputs = {info};
    run->program.output = info;
    run->program.output->role = ArrayRole::result;
    run->program.output->symbol = "q";
    run->hardware = *find_hardware("tpu-v4");
    run->timeline = *schedule(run->program, run->hardware, {}, {});
    trace = memory_trace(run);
    auto told = tell(run->program, run->timeline);
    EXPECT_TRUE(told.ok());
    if (told.ok()) story = *std::move(told);
  }
  Scene draw(float width, float height, const GridViewport& viewport = {}) const {
    return layout_sharding_grid({*run, *trace, &*story}, viewport, {}, canvas(width, height));
  }
  std::shared_ptr<Run> run;
  std::unique_ptr<TraceSource> trace;
  std::optional<Story> story;
};

TEST(GridPicture, DimensionsBeyondTwoAreSmallMultiples) {
  const DeepArray deep("x=4,y=2", "P('x',None,'y')", {8, 16, 32}, "2,16,16");
  const Scene scene = deep.draw(1400, 900);
  for (const char* tile : {"[0:2,:,:]", "[2:4,:,:]", "[4:6,:,:]", "[6:8,:,:]"})
    EXPECT_TRUE(shows(scene, tile));
  EXPECT_EQ(said(scene, "block p").size() + said(scene, "block p.").size() > 0, true);
}

TEST(GridPicture, WithoutRoomASliderChoosesTheBlockOfADimension) {
  const DeepArray deep("x=64,y=2", "P('x','y',None)", {64, 16, 32}, "1,8,32");
  const auto handles = [](const Scene& scene) {
    return std::count_if(scene.ids().begin(), scene.ids().end(),
                         [](const ItemId& id) { return id.kind == ItemId::Kind::handle; });
  };
  const Scene first = deep.draw(500, 320);
  EXPECT_GT(handles(first), 1);
  EXPECT_TRUE(shows(first, "block 1 of 64") || shows(first, "1/64"));
  GridViewport moved;
  moved.sliders = {40};
  const Scene later = deep.draw(500, 320, moved);
  EXPECT_TRUE(shows(later, "block 41 of 64") || shows(later, "41/64"));
  const auto first_block = [](const Scene& scene) {
    for (const ItemId& id : scene.ids()) {
      if (id.kind == ItemId::Kind::block) return id.index;
    }
    return -1;
  };
  EXPECT_EQ(first_block(first), 0);
  EXPECT_EQ(first_block(later), 80);
}

}  // namespace
}  // namespace shardscope::grid_picture_test
