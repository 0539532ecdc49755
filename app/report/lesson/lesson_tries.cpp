// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/report/lesson/lesson_parts.h"
#include "engine/base/xml.h"
#include "engine/session/lessons/lesson_changes.h"

namespace shardscope::inline app_report {
namespace {

// A step that watches nothing watches the time of each run.
Result<PlayedLesson> watching(const PlayedLesson& played, size_t step, LessonRuns& runs) {
  PlayedLesson out = played;
  LessonStep& tries = out.lesson.steps[step];
  const int32_t place = view_of(out.lesson, step).experiment;
  if (!tries.watch.empty() || place < 0) return out;
  TRY(FactRuns * all, runs.of(out.lesson.experiments[static_cast<size_t>(place)]));
  for (const std::string& name : all->names())
    tries.watch.push_back(fmt::format("{0} = runs.{0}.total", name));
  for (const std::string& name : all->kernel_names())
    tries.watch.push_back(fmt::format("{0} breaks = kernels.{0}.broken", name));
  return out;
}

// A change, or how it was: the watched quantities of every row stand in one column each.
std::string row_html(const std::string& words, const std::vector<WatchedValue>& watched) {
  std::string out = "<tr><td>" + xml_escaped(words) + "</td>";
  for (const WatchedValue& value : watched)
    out += fmt::format("<td class=\"right\">{}</td>", xml_escaped(value.now));
  return out + "</tr>\n";
}

std::string table_html(const std::vector<WatchedValue>& now, const std::string& rows) {
  std::string head = "<tr><th>change</th>";
  for (const WatchedValue& value : now)
    head += fmt::format("<th class=\"right\">{}</th>", xml_escaped(value.name));
  return "<div class=\"wide\"><table>\n<thead>" + head + "</tr></thead>\n<tbody>\n" +
         row_html("as it is", now) + rows + "</tbody></table></div>\n";
}

}  // namespace

Result<std::string> tries_html(const PlayedLesson& asked, size_t step, LessonRuns& runs,
                               const TriedFigure& figure, const std::stop_token& stop) {
  TRY(const PlayedLesson played, watching(asked, step, runs));
  const auto offered = offered_changes(played, step, runs);
  if (!offered.ok()) return std::string();
  TRY(const ShownStep now, play_step(played, step, runs));
  std::string rows, figures;
  size_t row = 0;
  for (const OfferedChange& each : *offered) {
    if (stop.stop_requested()) return cancelled();
    const auto shown = play_step(with_change(played, step, each), step, runs);
    if (!shown.ok() && shown.error().kind == ErrorKind::cancelled) return shown.error();
    if (!shown.ok() || shown->watched.size() != now.watched.size()) continue;
    TRY(const std::string picture, figure(*shown));
    rows += row_html(each.words, shown->watched);
    if (!picture.empty())
      figures +=
          fmt::format("<div class=\"tried\" data-row=\"{}\">\n<p class=\"caption\">With {}:</p>\n{}</div>\n",
                      row, xml_escaped(each.words), picture);
    ++row;
  }
  if (rows.empty()) return std::string();
  return "<details class=\"tries\"><summary>Try it: choose a change and compare, as computed when this file "
         "was made</summary>\n" +
         table_html(now.watched, rows) + figures + "</details>\n";
}

}  // namespace shardscope::inline app_report
