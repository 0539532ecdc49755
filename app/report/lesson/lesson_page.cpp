// SPDX-License-Identifier: Apache-2.0
#include "app/report/lesson/lesson_page.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>

#include "app/report/lesson/compared_runs.h"
#include "app/report/lesson/lesson_films.h"
#include "app/report/lesson/lesson_parts.h"
#include "engine/base/say.h"
#include "engine/base/xml.h"
#include "engine/lesson/given_away.h"
#include "engine/report/page/markdown_html.h"
#include "engine/report/page/page_frame.h"
#include "engine/session/lessons/played_lesson.h"
#include "views/draw/paint.h"

namespace shardscope::inline app_report {
namespace {

constexpr int32_t kTriedBeats = 8, kTriedSteps = 3;
constexpr size_t kRoomForTries = 600'000;  // bytes of a page that has a megabyte at most

// What a step hides, and the answer of its question.
using Reading = std::function<std::string(const std::string&)>;
Reading reading_of(const ShownStep& s) {
  if (s.question) return [&q = *s.question](const std::string& text) { return covered(q, text); };
  if (s.hide.empty()) return {};
  return [&hide = s.hide](const std::string& text) { return covered(hide, text); };
}

void cover(const Reading& reading, PlayedPicture& picture) {
  picture.light.rewrite(reading);
  picture.dark.rewrite(reading);
  picture.tips.clear();
}

class PageWriter {
 public:
  PageWriter(const LessonFile& file, const std::stop_token& stop)
      : file_(file), played_{file.lesson, {}, {}}, runs_(stop), stop_(stop) {}

  Result<std::string> write() {
    const Lesson& lesson = file_.lesson;
    std::string out = page_head({lesson.title}) +
                      fmt::format("<p>{}{}{}.</p>\n", counted(lesson.minutes, "minute"),
                                  lesson.audience.empty() ? "" : ", for ", xml_escaped(lesson.audience));
    TRY_VOID(collect_beats());
    for (size_t step = 0; step < lesson.steps.size(); ++step) {
      if (stop_.stop_requested()) return cancelled();
      TRY(const std::string section, step_html(step));
      out += section;
      written_ = out.size();
    }
    return out + page_.tables() +
           page_foot("Every number here is computed; times are simulated on a model of the chip.");
  }

 private:
  Result<ShownStep> shown(size_t step) {
    TRY(ShownStep out, play_step(played_, step, runs_));
    if (out.faults.empty()) return out;
    const StepFault& fault = out.faults.front();
    return invalid(fmt::format("step {}, {}: {}", step + 1, fault.key, fault.error.text()),
                   fmt::format("{}:{}", file_.name, file_.line_of(step, fault.key)),
                   "shardscope lesson check finds all of it");
  }

  // Which moments of each run or kernel are played: those that steps name are among them.
  Result<void> collect_beats() {
    for (size_t step = 0; step < file_.lesson.steps.size(); ++step) {
      TRY(const ShownStep s, shown(step));
      if (!s.shown.run && !s.kernel) continue;
      ShownFilms& films = films_of(s);
      const bool numbers = std::ranges::find(s.views, "numerics") != s.views.end();
      if (s.kernel) {
        s.chooses ? films.take_end(s.kernel, 0) : films.take(s.kernel);
      } else if (!films.run.run || (numbers && !films.run.run->numerics.checked)) {
        TRY(FactRuns * all, runs_.of(file_.lesson.experiments[static_cast<size_t>(s.experiment)]));
        TRY(const NamedRun* named, all->find(s.shown.name, numbers));
        films.take(*named);
      }
      films.add_beats({films.ended(s.before), films.ended(s.beat)});
    }
    return {};
  }

  ShownFilms& films_of(const ShownStep& s) {
    std::string kernel = s.kernel ? s.kernel->name : "";
    if (s.chooses) kernel += fmt::format(" chosen after {}", s.begun);  // each such step ends elsewhere
    return films_[{s.experiment, s.kernel ? kernel : s.shown.name}];
  }

  Result<int32_t> film(ShownFilms& films, const PlayedView& view) {
    const auto known = films.films.find(view.id);
    if (known != films.films.end()) return known->second;
    const int32_t film = page_.add_film(view.id, title_of_view(view.id));
    films.films[view.id] = film;
    for (const int32_t beat : films.beats) {
      if (stop_.stop_requested()) return cancelled();
      TRY(const PlayedPicture picture, films.picture(view, beat, {}));
      page_.add_picture(film, picture);
    }
    return film;
  }

  static std::string compared_html(const ShownStep& s) {
    const auto height = static_cast<float>(60 + 96 * s.compared.size());
    const Scene scene = ComparedRuns(s.compared)
                            .picture(s.question ? TogetherSays::plans : TogetherSays::times,
                                     {900, height, light_theme(), measure_text});
    return "<figure>" + to_svg(scene) + "</figure>\n";
  }

  Result<std::string> figure_html(const ShownStep& s) {
    ShownFilms& films = films_of(s);
    PlayedFigure figure;
    for (const int32_t beat : films.beats) figure.beats.push_back(films.words(beat));
    figure.first = films.place_of(s.beat);
    figure.before = s.before < s.beat ? films.place_of(s.before) : -1;
    figure.lists = false;
    const Reading reading = reading_of(s);
    if (reading) {
      const PlayedBeat now = films.words(s.beat);
      figure.asked = PlayedBeat{now.number, reading(now.name), reading(now.sentence)};
    }
    std::string texts;
    for (const std::string& id : s.views) {
      if (id == kComparedView && !s.compared.empty()) {
        texts += compared_html(s);
        continue;
      }
      if (!films.plays(id)) {
        texts += films.text_view(id);
        continue;
      }
      const PlayedView view = films.size_of(id);
      TRY(const int32_t film_place, film(films, view));
      figure.films.push_back(film_place);
      TRY(PlayedPicture still, films.picture(view, s.beat, s.pointed));
      if (reading) cover(reading, still);
      figure.stills.push_back(std::move(still));
    }
    if (figure.films.empty()) return texts;
    return texts + page_.figure(figure);
  }

  // A step under a change that it offers: its first picture, played through.
  Result<std::string> tried_figure(const ShownStep& s) {
    const bool shows = s.kernel != nullptr || (s.shown.run && !s.views.empty());
    if (!shows || !s.faults.empty() || written_ + page_.tables().size() > kRoomForTries) return std::string();
    const std::string view_id = s.kernel ? "kernel" : s.views.front();
    ShownFilms films;
    s.kernel ? films.take_end(s.kernel, kTriedSteps) : films.take(s.shown, kTriedBeats);
    films.add_beats({films.ended(s.beat)});
    if (!films.plays(view_id)) return films.text_view(view_id);
    PlayedFigure figure;
    for (const int32_t beat : films.beats) figure.beats.push_back(films.words(beat));
    figure.first = films.place_of(s.beat);
    figure.lists = false;
    const PlayedView view = films.size_of(view_id);
    TRY(const int32_t film_place, film(films, view));
    figure.films.push_back(film_place);
    TRY(PlayedPicture still, films.picture(view, s.beat, {}));
    figure.stills.push_back(std::move(still));
    std::string out = page_.figure(figure);
    written_ += out.size();
    return out;
  }

  Result<std::string> step_html(size_t step) {
    TRY(const ShownStep s, shown(step));
    std::string out = fmt::format("<section class=\"step\" id=\"step-{0}\">\n<h2>{0} of {1}</h2>\n", step + 1,
                                  file_.lesson.steps.size());
    if (!s.say.empty()) out += "<div class=\"text\">" + markdown_html(s.say) + "</div>\n";
    if (!s.attempt.empty()) {
      const auto tried = [this](const ShownStep& shown) { return tried_figure(shown); };
      TRY(const std::string tries, tries_html(played_, step, runs_, tried, stop_));
      out += "<div class=\"text try\">" + markdown_html(s.attempt) + "</div>\n" + tries;
    }
    if (s.question) out += question_html(*s.question, step);
    if (s.shown.run || s.kernel) {
      TRY(const std::string figure, figure_html(s));
      out += figure;
    }
    return out + "</section>\n";
  }

  const LessonFile& file_;
  PlayedLesson played_;
  LessonRuns runs_;
  std::stop_token stop_;
  PlayedPage page_;
  size_t written_ = 0;                                           // bytes of steps
  std::map<std::pair<int32_t, std::string>, ShownFilms> films_;  // by experiment and name
};

}  // namespace

Result<std::string> lesson_page(const LessonFile& file, const std::stop_token& stop) {
  return PageWriter(file, stop).write();
}

}  // namespace shardscope::inline app_report
