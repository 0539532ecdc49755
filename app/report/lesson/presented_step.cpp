// SPDX-License-Identifier: Apache-2.0
#include "app/report/lesson/presented_step.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "app/report/lesson/compared_runs.h"
#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/report/page/markdown_html.h"
#include "views/draw/paint.h"
#include "views/scene/chip/kernel_canvas.h"
#include "views/scene/core/crop.h"
#include "views/scene/core/run_views.h"
#include "views/scene/story/pointed.h"
#include "views/scene/story/presented_bands.h"

namespace shardscope {
namespace {

constexpr float kLeastLetter = 22;
constexpr float kSlack = 1.5F;  // pixels

std::string question_words(const Question& question) {
  std::vector<std::string> choices;
  for (const Choice& choice : question.choices) choices.push_back(choice.text);
  return markdown_words(question.text) + "  (" +
         (choices.empty() ? wanted_words(question) : join(choices, " · ")) + ")";
}

Rect both(const Rect& a, const Rect& b) {
  const float x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::max(0.0F, std::min(a.right(), b.right()) - x),
          std::max(0.0F, std::min(a.bottom(), b.bottom()) - y)};
}

bool inside(const Rect& part, const Rect& whole) {
  return part.x >= whole.x - kSlack && part.y >= whole.y - kSlack && part.right() <= whole.right() + kSlack &&
         part.bottom() <= whole.bottom() + kSlack;
}

Rect box_of(const TextItem& text, const Canvas& to) {
  const float width = to.measure(text.text, text.px, text.face);
  const float left = text.at.x - (text.align == Align::center  ? width / 2
                                  : text.align == Align::right ? width
                                                               : 0);
  return {left, text.at.y - text.px * 0.4F, width, text.px * 0.8F};
}

// "+3": that there is more; "all-gath…": that it was cut.
bool says_there_is_more(const std::string& text) {
  const bool more =
      text.size() > 1 && text[0] == '+' && std::isdigit(static_cast<unsigned char>(text[1])) != 0;
  return more || text.ends_with("…");
}

// What of a picture is not to be seen.
std::vector<std::string> unseen(const std::string& view, const Scene& scene, const Canvas& to) {
  std::set<std::string> out;
  std::vector<Rect> clips{{0, 0, scene.width, scene.height}};
  for (const DrawRef ref : scene.order()) {
    const auto place = static_cast<size_t>(ref.index);
    if (ref.kind == DrawRef::Kind::clip) {
      const Rect& clip = scene.clips()[place].rect;
      clip.w < 0 ? clips.pop_back() : clips.push_back(both(clips.back(), clip));
    }
    if (ref.kind != DrawRef::Kind::text) continue;
    const TextItem& text = scene.texts()[place];
    if (!inside(box_of(text, to), clips.back()))
      out.insert(fmt::format("{}: '{}' is outside of the picture", view, text.text));
    if (text.px < kLeastLetter)
      out.insert(fmt::format("{}: '{}' is {:.0f} px high, at least {:.0f} can be read from the last row",
                             view, text.text, text.px, kLeastLetter));
    if (says_there_is_more(text.text))
      out.insert(fmt::format("{}: not all of it fits: '{}'", view, text.text));
  }
  return {out.begin(), out.end()};
}

class Frame {
 public:
  Frame(const Lesson& lesson, const ShownStep& step, double part, float& foot)
      : lesson_(lesson), step_(step), part_(part), foot_(foot) {}

  Result<PresentedFrame> make() {
    const std::string place = say("step {} of {}", step_.step + 1, lesson_.steps.size());
    const std::string name =
        presented_subject(step_).empty() ? lesson_.title : lesson_.title + " · " + presented_subject(step_);
    const std::string words = presented_words(step_, Answered::no);
    const Canvas wide = canvas(kWallWidth, 0);
    const float head = std::ceil(presented_head_height(name, place, wide));
    // The answer is read, too, and no picture jumps when it comes.
    for (const Answered answered : {Answered::no, Answered::yes})
      foot_ = std::max(foot_, std::ceil(presented_foot_height(presented_words(step_, answered), wide)));
    const float room = kWallHeight - head - foot_;
    TRY(const Scene pictures, pictures_in(room));
    if (room < kWallHeight / 2)
      out_.faults.push_back("the words leave less than half of the wall to the picture");
    out_.scene = stacked({layout_presented_head(name, place, canvas(kWallWidth, head)), pictures,
                          layout_presented_foot(words, canvas(kWallWidth, foot_))});
    return std::move(out_);
  }

 private:
  static Canvas canvas(float width, float height) {
    return {width, height, presented(light_theme(), kWallHeight), measure_text};
  }

  Result<Scene> pictures_in(float room) {
    std::vector<std::string> views = step_.views;
    if (step_.kernel) views = {"kernel"};
    if (views.empty() && step_.shown.run) views = {"ring"};
    const bool below = stand_below(views);
    const auto count = static_cast<float>(std::max<size_t>(1, views.size()));
    std::vector<Scene> scenes;
    for (const std::string& view : views) {
      const Canvas to =
          below ? canvas(kWallWidth, std::floor(room / count)) : canvas(std::floor(kWallWidth / count), room);
      TRY(Scene scene, picture(view, to));
      for (const std::string& fault : unseen(view, scene, to)) out_.faults.push_back(fault);
      scenes.push_back(std::move(scene));
    }
    if (scenes.empty()) {
      Scene nothing;
      nothing.width = kWallWidth, nothing.height = room;
      return nothing;
    }
    return below ? stacked(scenes) : beside_each_other(scenes);
  }

  Result<Scene> picture(const std::string& view, const Canvas& to) {
    if (step_.kernel) {
      const kernels::KernelReplay& replay = *step_.kernel->replay;
      const auto at = step_.before + std::lround(part_ * (step_.beat - step_.before));
      return layout_kernel_moment(replay.program().layout,
                                  replay.frame(std::min<int64_t>(at, replay.steps())), replay.steps(),
                                  step_.hide.empty() ? step_.kernel->unlike : std::vector<int32_t>(), to);
    }
    if (view == kComparedView)
      return ComparedRuns(step_.compared)
          .picture(step_.question ? TogetherSays::plans : TogetherSays::times, to);
    const auto names = view_names();
    Scene empty;
    empty.width = to.width, empty.height = to.height;
    if (!step_.shown.run || std::ranges::find(names, view) == names.end()) return empty;  // a text
    const auto trace = memory_trace(step_.shown.run);
    const Story* story = step_.shown.story.get();
    PointedMoment moment{0, step_.pointed, false};
    if (story != nullptr) {
      const Picoseconds from = story->moment_of(step_.before), end = story->moment_of(step_.beat);
      moment.time = from + static_cast<Picoseconds>(part_ * static_cast<double>(end - from));
    }
    return layout_pointed(view, {*step_.shown.run, *trace, story}, moment, to);
  }

  const Lesson& lesson_;
  const ShownStep& step_;
  double part_;
  float& foot_;
  PresentedFrame out_;
};

}  // namespace

std::string presented_title(const Lesson& lesson, size_t step) {
  return say("{}: step {} of {}", lesson.title, step + 1, lesson.steps.size());
}

std::string presented_subject(const ShownStep& step) {
  if (step.kernel) return step.kernel->run.layout.kernel + ": " + step.kernel->title;
  return step.shown.run ? presented_name(*step.shown.run) : "";
}

std::string presented_words(const ShownStep& step, Answered answered) {
  std::vector<std::string> out;
  for (const std::string* text : {&step.say, &step.attempt})
    if (!text->empty()) out.push_back(markdown_words(*text));
  if (step.question) out.push_back(question_words(*step.question));
  if (step.question && answered == Answered::yes)
    out.push_back(
        say("Answer: {}. {}", step.question->right_words(), markdown_words(step.question->because)));
  return join(out, " ");
}

Result<PresentedFrame> presented_frame(const Lesson& lesson, const ShownStep& step, double part,
                                       float& foot) {
  return Frame(lesson, step, part, foot).make();
}

Result<std::vector<LessonError>> check_presented(const LessonFile& file, LessonRuns& runs) {
  std::vector<LessonError> out;
  float foot = 0;
  PlayedLesson played;
  played.lesson = file.lesson;
  for (size_t k = 0; k < file.lesson.steps.size(); ++k) {
    TRY(const ShownStep step, play_step(played, k, runs));
    if (!step.faults.empty()) continue;
    std::set<std::string> said;
    for (const double part : {0.0, 0.5, 1.0}) {
      TRY(const PresentedFrame frame, presented_frame(file.lesson, step, part, foot));
      for (const std::string& fault : frame.faults)
        if (said.insert(fault).second)
          out.push_back({file.line_of(k, "show"), fmt::format("step {}, presented on {:.0f}x{:.0f}: {}",
                                                              k + 1, kWallWidth, kWallHeight, fault)});
    }
  }
  return out;
}

}  // namespace shardscope
