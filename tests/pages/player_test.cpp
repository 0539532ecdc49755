// SPDX-License-Identifier: Apache-2.0
// Pages that play, in Chromium: what they draw is what the window draws.
#include <QGuiApplication>
#include <QImage>
#include <gtest/gtest.h>

#include "engine/report/page/page_frame.h"
#include "engine/session/session.h"
#include "tests/cli/process.h"
#include "tests/pages/drawn.h"
#include "views/draw/gui/painter.h"
#include "views/player/played_run.h"
#include "views/player/scene_json.h"
#include "views/scene/core/run_views.h"
#include "views/scene/story/now.h"

namespace shardscope::pages_test {
namespace {

// A run with all that tells of it.
struct RunWithStory {
  explicit RunWithStory(const std::string& preset, const std::string& strategy) {
    const Experiment experiment = *find_experiment(preset);
    RunRequest request;
    for (const RunRequest& each : requests_of(experiment))
      if (each.strategy == strategy) request = each;
    ExecutionOptions timing;
    timing.numerics = false;
    run = *execute(experiment, request, timing, {});
    trace = memory_trace(run);
    story = std::make_unique<Story>(*tell(run->program, run->timeline));
  }
  ViewInput input() const { return {*run, *trace, story.get()}; }
  RunPtr run;
  std::unique_ptr<TraceSource> trace;
  std::unique_ptr<Story> story;
};

Scene scene_of(const RunWithStory& told, const PlayedView& view, int32_t beat, const Theme& theme) {
  Selection now;
  now.time = told.story->moment_of(beat);
  return *layout_named(view.id, told.input(), now, {view.width, view.height, theme, measure_text});
}

class PlayedRun : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static int argc = 1;
    static char name[] = "test";
    static char* argv[] = {name, nullptr};
    if (QGuiApplication::instance() == nullptr) static QGuiApplication app(argc, argv);
  }
  void SetUp() override { ASSERT_EQ(Browser::shared().problem(), ""); }

  // The page of a run that plays in all views of `views`.
  std::string page_of(const RunWithStory& told, const std::vector<PlayedView>& views) {
    PlayedPage page;
    const std::string figure = *played_run(page, told.input(), {"", views, 400}, {});
    write_text(folder_.file("page.html"), page_head({"A run"}) + figure + page.tables() + page_foot(""));
    return folder_.file("page.html");
  }
  const TemporaryFolder folder_;
  const std::vector<PlayedView> views_ = {{"ring"}, {"grid"}, {"timeline", 1280, 400}, {"memory"}};
};

TEST_F(PlayedRun, DrawsTenBeatsOfEachViewAsTheWindowDoes) {
  const RunWithStory told("wang_os_2x4", "wang.os");
  const std::vector<int32_t> beats = played_beats(told.input(), 400);
  ASSERT_GE(beats.size(), 10U);
  Page page(page_of(told, views_), {.still = true});
  page.key("Home");
  for (size_t i = 0; i < 10; ++i) {
    for (const PlayedView& view : views_) {
      const Scene scene = scene_of(told, view, beats[i], light_theme());
      ASSERT_EQ(difference(shapes_of(scene), drawn_shapes(page, view.id)), "")
          << view.id << ", beat " << beats[i];
      Json names = Json::array();
      for (const AccessibleItem& item : scene.accessible()) names.push_back(item.name);
      ASSERT_EQ(drawn_names(page, view.id), names) << view.id;
    }
    EXPECT_EQ(page.value("document.querySelector('.say').textContent"),
              played_beat(told.input(), told.story->moment_of(beats[i])).sentence);
    page.key("ArrowRight");
  }
  EXPECT_EQ(page.complaints(), std::vector<std::string>());
}

TEST_F(PlayedRun, IsDarkWhereTheReaderWantsItAndWhereTheSwitchSays) {
  const RunWithStory told("teaching", "wang.os");
  const std::string file = page_of(told, views_);
  Page page(file, {.scheme = "dark", .still = true});
  page.key("Home");
  for (const PlayedView& view : views_)
    EXPECT_EQ(difference(shapes_of(scene_of(told, view, 0, dark_theme())), drawn_shapes(page, view.id)), "");
  page.value("document.querySelector('button.theme').click()");
  for (const PlayedView& view : views_)
    EXPECT_EQ(difference(shapes_of(scene_of(told, view, 0, light_theme())), drawn_shapes(page, view.id)), "");
}

// Both themes' scenes differ in colours alone, of every view.
TEST_F(PlayedRun, HasOnePictureInTwoThemes) {
  for (const auto& [preset, strategy] :
       {std::pair("teaching", "wang.os"), {"cannon_4x4", "summa.os"}, {"moe_8", "moe.expert_parallel"}}) {
    const RunWithStory told(preset, strategy);
    for (const RunView& view : run_views())
      for (const int32_t beat : {0, telling_beat(*told.story)})
        EXPECT_TRUE(same_but_colors(scene_of(told, {view.id}, beat, light_theme()),
                                    scene_of(told, {view.id}, beat, dark_theme())))
            << preset << ", " << view.id;
  }
}

// Nobody can drag a picture of a page.
TEST_F(PlayedRun, LeavesNoDeviceOutOfSight) {
  for (const auto& [preset, strategy] :
       {std::pair("teaching", "wang.os"), {"cannon_4x4", "summa.os"}, {"moe_8", "moe.expert_parallel"}}) {
    const RunWithStory told(preset, strategy);
    Page page(page_of(told, {{"ring"}}), {.still = true});
    const std::string names = drawn_names(page, "ring").dump();
    EXPECT_EQ(names.find("in sight"), std::string::npos) << preset;
    EXPECT_EQ(names.find("links go on"), std::string::npos) << preset;
    for (int32_t d = 0; d < told.run->mesh.device_count(); ++d)
      EXPECT_NE(names.find("\"device " + told.run->mesh.place(DeviceId(d)) + ","), std::string::npos)
          << preset;
  }
}

TEST_F(PlayedRun, SaysWhatTheTooltipSays) {
  const RunWithStory told("teaching", "wang.os");
  Page page(page_of(told, {{"ring"}, {"grid"}}), {.still = true});
  page.key("Home");
  page.key("ArrowRight");
  const int32_t beat = played_beats(told.input(), 400)[1];
  ItemId device;
  device.kind = ItemId::Kind::device;
  device.device = 2;
  std::string said;
  for (const std::string& line : describe(told.input(), device, told.story->moment_of(beat)))
    said += line + "\n";
  // The element whose name begins so is the item's place; what lies there is pointed at.
  page.point_at(
      "[...document.querySelectorAll('.film[data-view=ring] [role=listitem]')].find(e => "
      "e.getAttribute('aria-label').startsWith('device " +
      told.run->mesh.place(DeviceId(2)) + "'))");
  EXPECT_TRUE(page.comes("!document.querySelector('.tip').hidden"));
  EXPECT_EQ(page.value("[...document.querySelectorAll('.tip div')].map(e => e.textContent + '\\n').join('')"),
            said);
}

// Glyphs are set by other rasterisers: of pictures a quarter as large, at most 2 % of the pixels differ by
// more than 40 of 255.
TEST_F(PlayedRun, LooksAsTheWindowsPictureDoes) {
  const RunWithStory told("wang_os_2x4", "wang.os");
  Page page(page_of(told, {{"ring"}, {"grid"}, {"timeline", 1280, 400}}), {.still = true});
  for (int i = 0; i < 3; ++i) page.key(i == 0 ? "Home" : "ArrowRight");
  const int32_t beat = played_beats(told.input(), 400)[2];
  for (const PlayedView& view : {PlayedView{"ring"}, PlayedView{"grid"}, PlayedView{"timeline", 1280, 400}}) {
    const Scene scene = scene_of(told, view, beat, light_theme());
    const std::string svg = "document.querySelector('.film[data-view=" + view.id + "] svg')";
    page.value(svg + ".style.maxWidth = 'none'");
    const std::string png = page.picture(svg);
    const QImage drawn =
        QImage::fromData(reinterpret_cast<const uchar*>(png.data()), static_cast<int>(png.size()));
    const QImage painted = to_image(scene);
    ASSERT_EQ(drawn.size(), painted.size()) << view.id;
    const QSize small(painted.width() / 4, painted.height() / 4);
    const auto reduced = [&](const QImage& image) {
      return image.convertToFormat(QImage::Format_RGB32)
          .scaled(small, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    };
    const QImage a = reduced(drawn), b = reduced(painted);
    int apart = 0;
    for (int y = 0; y < small.height(); ++y)
      for (int x = 0; x < small.width(); ++x) {
        const QRgb p = a.pixel(x, y), q = b.pixel(x, y);
        const int most = std::max(
            {std::abs(qRed(p) - qRed(q)), std::abs(qGreen(p) - qGreen(q)), std::abs(qBlue(p) - qBlue(q))});
        if (most > 40) ++apart;
      }
    EXPECT_LE(apart, small.width() * small.height() / 50) << view.id;
  }
}

TEST_F(PlayedRun, IsSteppedPlayedAndScrubbedFromTheKeyboard) {
  const RunWithStory told("teaching", "wang.os");
  Page page(page_of(told, {{"ring"}}));
  const std::string name = "document.querySelector('.controls .name').textContent";
  const std::vector<int32_t> beats = played_beats(told.input(), 400);
  const auto named = [&](size_t place) {
    return Json(played_beat(told.input(), told.story->moment_of(beats[place])).name);
  };
  page.key("End");
  EXPECT_EQ(page.value(name), named(beats.size() - 1));
  page.key("ArrowLeft");
  EXPECT_EQ(page.value(name), named(beats.size() - 2));
  page.key("Home");
  EXPECT_EQ(page.value(name), named(0));
  page.key(" ");
  EXPECT_TRUE(page.comes(name + " === " + named(2).dump()));
  page.key(" ");
  EXPECT_EQ(page.value("document.querySelector('.controls button:nth-child(3)').textContent"), "▶");
  page.value(
      "(s => { s.value = 3; s.dispatchEvent(new Event('input')); "
      "})(document.querySelector('input[type=range]'))");
  EXPECT_EQ(page.value(name), named(3));
  EXPECT_EQ(page.complaints(), std::vector<std::string>());
}

TEST_F(PlayedRun, OpensAtTheBeatOfItsAddress) {
  const RunWithStory told("teaching", "wang.os");
  const int32_t beat = played_beats(told.input(), 400)[4];
  Page page(page_of(told, {{"ring"}}), {.fragment = "#beat=" + std::to_string(beat)});
  EXPECT_EQ(page.value("document.querySelector('.controls .name').textContent"),
            played_beat(told.input(), told.story->moment_of(beat)).name);
}

TEST_F(PlayedRun, IsPicturesAndSentencesWithoutScripts) {
  const RunWithStory told("teaching", "wang.os");
  Page page(page_of(told, views_), {.scripts = false});
  EXPECT_EQ(
      page.value(
          "[...document.querySelectorAll('.film svg')].filter(s => s.getBoundingClientRect().height > 100 && "
          "s.querySelectorAll('text').length > 3).length"),
      views_.size());
  EXPECT_EQ(page.value("document.querySelectorAll('ol.beats li').length"),
            played_beats(told.input(), 400).size());
  EXPECT_EQ(page.complaints(), std::vector<std::string>());
}

}  // namespace
}  // namespace shardscope::pages_test
