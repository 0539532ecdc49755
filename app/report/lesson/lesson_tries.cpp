// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/report/lesson/lesson_parts.h"
#include "engine/base/xml.h"
#include "engine/session/lessons/lesson_changes.h"

namespace shardscope {
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
  return out;
}

std::string row_html(const std::string& words, const std::vector<WatchedValue>& watched) {
  std::string out = "<tr><td>" + xml_escaped(words) + "</td>";
  for (const WatchedValue& value : watched)
    out += fmt::format("<td class=\"right\">{}</td>", xml_escaped(value.now));
  return out + "</tr>\n";
}

}  // namespace

Result<std::string> tries_html(const PlayedLesson& asked, size_t step, LessonRuns& runs,
                               const std::stop_token& stop) {
  const auto from = experiment_at(asked, step);
  if (!from.ok()) return std::string();
  TRY(PlayedLesson played, watching(asked, step, runs));
  TRY(const ShownStep now, play_step(played, step, runs));
  std::string rows;
  for (const OfferedChange& each : offered_changes(played.lesson.steps[step], *from)) {
    if (stop.stop_requested()) return cancelled();
    played.changed[static_cast<size_t>(now.experiment)] = each.changed;
    const auto shown = play_step(played, step, runs);
    if (!shown.ok() && shown.error().kind == ErrorKind::cancelled) return shown.error();
    if (shown.ok() && shown->watched.size() == now.watched.size())
      rows += row_html(each.words, shown->watched);
  }
  if (rows.empty()) return std::string();
  std::string head = "<tr><th>change</th>";
  for (const WatchedValue& value : now.watched)
    head += fmt::format("<th class=\"right\">{}</th>", xml_escaped(value.name));
  return "<details class=\"tries\"><summary>Try it: choose a change and compare, as computed when this file "
         "was made</summary>\n<div class=\"wide\"><table>\n<thead>" +
         head + "</tr></thead>\n<tbody>\n" + row_html("as it is", now.watched) + rows +
         "</tbody></table></div></details>\n";
}

}  // namespace shardscope
