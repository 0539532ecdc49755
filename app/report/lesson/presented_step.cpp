// SPDX-License-Identifier: Apache-2.0
#include "app/report/lesson/presented_step.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/lesson/given_away.h"
#include "engine/lesson/typed_number.h"
#include "engine/report/page/markdown_html.h"
#include "views/draw/paint.h"
#include "views/scene/core/crop.h"
#include "views/scene/story/presented_bands.h"

namespace shardscope::inline app_report {
namespace {

std::string question_words(const Question& question) {
  std::vector<std::string> choices;
  for (const Choice& choice : question.choices) choices.push_back(choice.text);
  return markdown_words(question.text) + "  (" +
         (choices.empty() ? wanted_words(question) : join(choices, " · ")) + ")";
}

Canvas wall_canvas(float width, float height) {
  return {width, height, presented(light_theme(), kWallHeight), measure_text};
}

struct Head {
  std::string name, place;
};
Head head_of(const Lesson& lesson, const ShownStep& step) {
  const std::string subject = presented_subject(step);
  return {subject.empty() ? lesson.title : lesson.title + " · " + subject,
          say("step {} of {}", step.step + 1, lesson.steps.size())};
}

// What the head and the words leave.
Canvas room_between(const PresentedLayout& layout) {
  return wall_canvas(kWallWidth, std::max(1.0F, kWallHeight - layout.head - layout.foot));
}

Result<Scene> pictures_of(const ShownStep& step, const PresentedLayout& layout, const PresentedMoment& at,
                          std::vector<std::string>& faults) {
  const Canvas room = room_between(layout);
  const std::vector<std::string> views = presented_views(step);
  const auto places = layout.plan.places({0, 0, room.width, room.height});
  std::vector<Scene> scenes;
  for (size_t v = 0; v < views.size(); ++v) {
    const Canvas to{places[v].w, places[v].h, layout.plan.theme(room.theme), measure_text};
    TRY(Scene scene, presented_picture(step, views[v], at, to));
    for (const std::string& fault : unseen(views[v], scene, to)) faults.push_back(fault);
    scenes.push_back(std::move(scene));
  }
  if (scenes.empty()) {
    scenes.emplace_back();
    scenes.back().width = room.width, scenes.back().height = room.height;
  }
  return layout.plan.below ? stacked(scenes) : beside_each_other(scenes);
}

}  // namespace

std::string presented_title(const Lesson& lesson, size_t step) {
  return say("{}: step {} of {}", lesson.title, step + 1, lesson.steps.size());
}

std::string presented_subject(const ShownStep& step) {
  if (step.kernel) return step.kernel->run.layout.kernel;
  if (!step.compared.empty()) return "";
  return step.shown.run ? presented_name(*step.shown.run) : "";
}

std::string presented_words(const ShownStep& step, Answered answered) {
  std::vector<std::string> out;
  for (const std::string* text : {&step.say, &step.attempt})
    if (!text->empty()) out.push_back(markdown_prose(*text));
  if (step.question) out.push_back(question_words(*step.question));
  if (step.question && answered == Answered::yes)
    out.push_back(
        say("Answer: {}. {}", step.question->right_words(), markdown_words(step.question->because)));
  return join(out, " ");
}

Result<PresentedLayout> presented_layout(const Lesson& lesson, const ShownStep& step) {
  const Canvas wide = wall_canvas(kWallWidth, 0);
  const auto [name, place] = head_of(lesson, step);
  PresentedLayout out;
  out.head = std::ceil(presented_head_height(name, place, wide));
  // Of all that its class will read: no picture jumps when the answer comes.
  for (const Answered answered : {Answered::no, Answered::yes})
    out.foot = std::max(out.foot, std::ceil(presented_foot_height(presented_words(step, answered), wide)));
  TRY(out.plan, plan_presented(step, room_between(out)));
  return out;
}

Result<PresentedFrame> presented_frame(const Lesson& lesson, const ShownStep& step,
                                       const PresentedLayout& layout, const PresentedMoment& at) {
  PresentedFrame out;
  if (kWallHeight - layout.head - layout.foot < kWallHeight / 2)
    out.faults.push_back("the words leave less than half of the wall to the picture");
  const auto [name, place] = head_of(lesson, step);
  TRY(const Scene pictures, pictures_of(step, layout, at, out.faults));
  out.scene = stacked(
      {layout_presented_head(name, place, wall_canvas(kWallWidth, layout.head)), pictures,
       layout_presented_foot(presented_words(step, at.answered), wall_canvas(kWallWidth, layout.foot))});
  return out;
}

namespace {

// Texts that the step hides and that its pictures show all the same, in pieces that are covered one by one.
Result<std::set<std::string>> shown_in_pieces(const ShownStep& step, const PresentedLayout& layout) {
  std::set<std::string> out;
  const std::vector<std::string>& hide = step.question ? step.question->hide : step.hide;
  if (hide.empty()) return out;
  for (const double part : {0.0, 0.5, 1.0}) {
    std::vector<std::string> faults;
    TRY(Scene scene, pictures_of(step, layout, {part, Answered::no}, faults));
    scene.rewrite([&](const std::string& text) { return covered(hide, text); });
    std::vector<std::string> words;
    for (const TextItem& text : scene.texts())
      for (const std::string& word : split(text.text, ' '))
        if (!word.empty()) words.push_back(word);
    const std::string all = small_letters(join(words, " "));
    for (const std::string& each : hide)
      if (!each.empty() && all.find(small_letters(each)) != std::string::npos) out.insert(each);
  }
  return out;
}

}  // namespace

Result<std::vector<LessonError>> check_presented(const LessonFile& file, LessonRuns& runs) {
  std::vector<LessonError> out;
  PlayedLesson played;
  played.lesson = file.lesson;
  for (size_t k = 0; k < file.lesson.steps.size(); ++k) {
    TRY(const ShownStep step, play_step(played, k, runs));
    if (!step.faults.empty()) continue;
    std::set<std::string> said;
    TRY(const PresentedLayout layout, presented_layout(file.lesson, step));
    TRY(const auto given, shown_in_pieces(step, layout));
    for (const std::string& each : given)
      out.push_back({file.line_of(k, "hide"),
                     fmt::format("step {}, hide: its picture shows '{}' all the same", k + 1, each)});
    for (const PresentedMoment& at :
         {PresentedMoment{0, Answered::no}, {0.5, Answered::no}, {1, Answered::no}, {1, Answered::yes}}) {
      TRY(const PresentedFrame frame, presented_frame(file.lesson, step, layout, at));
      for (const std::string& fault : frame.faults)
        if (said.insert(fault).second)
          out.push_back({file.line_of(k, "show"), fmt::format("step {}, presented on {:.0f}x{:.0f}: {}",
                                                              k + 1, kWallWidth, kWallHeight, fault)});
    }
  }
  return out;
}

}  // namespace shardscope::inline app_report
