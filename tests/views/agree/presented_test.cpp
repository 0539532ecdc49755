// SPDX-License-Identifier: Apache-2.0
// What a class reads from the last row: of every view of a run, as it is presented, the sizes, the contrast
// and the room of its texts, measured in the scenes.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "engine/session/session.h"
#include "tests/views/agree/told_run.h"
#include "views/scene/core/pen.h"
#include "views/scene/core/run_views.h"
#include "views/scene/story/now.h"
#include "views/scene/story/presented_bands.h"

namespace shardscope::agree_test {
namespace {

struct Screen {
  float width, height;
};
constexpr Screen kScreens[] = {{1280, 720}, {1920, 1080}};
constexpr double kLeastContrast = 4.5;
constexpr float kRounding = 0.01F;

// What was seen wrong, once each, with how often.
class Faults {
 public:
  void add(const std::string& where, const std::string& what) {
    auto& [times, example] = seen_[where.substr(0, where.find(' ')) + what.substr(0, what.find(':'))];
    if (times++ == 0) example = where + ": " + what;
  }
  std::string text() const {
    std::string out;
    for (const auto& [what, said] : seen_) out += fmt::format("{} times: {}\n", said.first, said.second);
    return out;
  }

 private:
  std::map<std::string, std::pair<int, std::string>> seen_;
};

Color over(Color below, Color above) {
  Color out = mixed(below, above, above.a / 255.0);
  out.a = 255;
  return out;
}

bool holds(const Rect& r, Point p) {
  return p.x >= r.x && p.x <= r.right() && p.y >= r.y && p.y <= r.bottom();
}

Rect room_of(const TextItem& t) {
  const float width = estimate_text_width(t.text, t.px, t.face);
  const float left = t.at.x - (t.align == Align::center ? width / 2 : t.align == Align::right ? width : 0);
  return {left, t.at.y - t.px / 2, width, t.px};
}

Rect cut(const Rect& a, const Rect& b) {
  const float x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::max(0.0F, std::min(a.right(), b.right()) - x),
          std::max(0.0F, std::min(a.bottom(), b.bottom()) - y)};
}

// A scene in its drawing order: what lies under each text, and where it may be drawn.
class Measured {
 public:
  struct Text {
    const TextItem* item;
    Rect room, clip;
    Color under;
    bool clipped;
  };
  explicit Measured(const Scene& scene) : scene_(scene) {
    std::vector<Rect> clips = {{0, 0, scene.width, scene.height}};
    for (const DrawRef ref : scene.order()) {
      const auto place = static_cast<size_t>(ref.index);
      if (ref.kind == DrawRef::Kind::clip) {
        const Rect& clip = scene.clips()[place].rect;
        if (clip.w < 0)
          clips.pop_back();
        else
          clips.push_back(cut(clips.back(), clip));
      }
      clips_.push_back(clips.back());
    }
    for (size_t at = 0; at < scene.order().size(); ++at) {
      if (scene.order()[at].kind != DrawRef::Kind::text) continue;
      const TextItem& item = scene.texts()[static_cast<size_t>(scene.order()[at].index)];
      const Rect room = room_of(item);
      const Point middle{room.x + room.w / 2, room.y + room.h / 2};
      // Outside of its clip it is not drawn: a picture that pans has it elsewhere. Neither is it seen behind
      // what is drawn later, as the ruler's times behind the moment's.
      if (!holds(clips_[at], middle) || hidden(at, middle)) continue;
      const bool clipped = clips_[at].w < scene.width || clips_[at].h < scene.height;
      texts.push_back({&item, room, clips_[at], under(at, middle), clipped});
    }
  }
  std::vector<Text> texts;

 private:
  // What an item puts there.
  std::optional<Color> fill(size_t at, Point p) const {
    const DrawRef ref = scene_.order()[at];
    const auto place = static_cast<size_t>(ref.index);
    if (!holds(clips_[at], p)) return {};
    if (ref.kind == DrawRef::Kind::rect && holds(scene_.rects()[place].rect, p))
      return scene_.rects()[place].fill;
    if (ref.kind != DrawRef::Kind::circle) return {};
    const CircleItem& c = scene_.circles()[place];
    return std::hypot(c.center.x - p.x, c.center.y - p.y) <= c.radius ? std::optional(c.fill) : std::nullopt;
  }
  Color under(size_t before, Point p) const {
    Color out = scene_.background;
    for (size_t at = 0; at < before; ++at) {
      if (const auto put = fill(at, p)) out = over(out, *put);
    }
    return out;
  }
  bool hidden(size_t from, Point p) const {
    for (size_t at = from + 1; at < scene_.order().size(); ++at) {
      if (const auto put = fill(at, p); put && put->a == 255) return true;
    }
    return false;
  }
  const Scene& scene_;
  std::vector<Rect> clips_;  // by place in the order
};

void measure(const Scene& scene, float height, const std::string& where, Faults& faults) {
  const Measured measured(scene);
  for (const Measured::Text& text : measured.texts) {
    const TextItem& t = *text.item;
    if (t.px < kPresentedText * height - kRounding)
      faults.add(where, fmt::format("small: '{}' {} px of {}", t.text, t.px, height));
    if (contrast(over(text.under, t.color), text.under) < kLeastContrast)
      faults.add(where, fmt::format("contrast: '{}' {:.2f}", t.text,
                                    contrast(over(text.under, t.color), text.under)));
    if (!text.clipped && (text.room.x < -1 || text.room.right() > scene.width + 1 || text.room.y < -2 ||
                          text.room.bottom() > scene.height + 2))
      faults.add(where, fmt::format("outside: '{}' {},{} {}x{} of {}x{}", t.text, text.room.x, text.room.y,
                                    text.room.w, text.room.h, scene.width, scene.height));
    for (const Measured::Text& other : measured.texts) {
      if (&other <= &text) continue;
      const Rect both = cut(cut(text.room, text.clip), cut(other.room, other.clip));
      if (both.w > t.px * 0.3F && both.h > t.px * 0.3F)
        faults.add(where, fmt::format("overlap: '{}' and '{}'", t.text, other.item->text));
    }
  }
}

class Presented : public ::testing::TestWithParam<const char*> {
 protected:
  static std::vector<std::unique_ptr<RunWithStory>> runs_of(const std::string& preset) {
    const Experiment experiment = *find_experiment(preset);
    ExecutionOptions options;
    options.numerics = preset == std::string("teaching");
    std::vector<std::unique_ptr<RunWithStory>> out;
    for (const RunRequest& request : requests_of(experiment)) {
      const Result<RunPtr> run = execute(experiment, request, options, {});
      std::string why;
      if (run.ok()) out.push_back(told_run(preset + " " + request.strategy, *run, &why));
      if (run.ok() && out.back() == nullptr) out.pop_back();
    }
    return out;
  }
  // The canvas that the bands leave on a screen of that size.
  static Canvas stage(const RunWithStory& run, const Selection& selection, const Screen& screen,
                      const Theme& theme) {
    Canvas canvas{screen.width, screen.height, presented(theme, screen.height), estimate_text_width};
    const std::string sentence = sentence_now(run.input(), selection, SentenceLevel::idea);
    canvas.height -= presented_head_height(presented_name(*run.run), "Sharding · 12 / 12", canvas) +
                     presented_foot_height(sentence, canvas);
    return canvas;
  }
};

TEST_P(Presented, TextsAreLargeAndStandOutInsideThePicture) {
  Faults faults;
  const auto runs = runs_of(GetParam());
  ASSERT_FALSE(runs.empty());
  for (const auto& run : runs) {
    const auto last = static_cast<int32_t>(run->story->beats().size()) - 1;
    for (const int32_t beat : std::set<int32_t>{0, telling_beat(*run->story), last}) {
      Selection selection;
      selection.time = run->story->moment_of(beat);
      for (const RunView& view : run_views()) {
        for (const Screen& screen : kScreens) {
          for (const Theme& theme : {light_theme(), dark_theme()}) {
            const Canvas canvas = stage(*run, selection, screen, theme);
            const Scene scene = *layout_named(view.id, run->input(), selection, canvas);
            measure(scene, screen.height,
                    fmt::format("{} {} {} beat {}{}", view.id, run->name, screen.height, beat,
                                theme.dark ? " dark" : ""),
                    faults);
          }
        }
      }
    }
  }
  EXPECT_EQ(faults.text(), "");
}

INSTANTIATE_TEST_SUITE_P(Presets, Presented, ::testing::Values("teaching", "all_4x4", "default"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace
}  // namespace shardscope::agree_test
