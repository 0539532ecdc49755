// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "app/report/lesson/lesson_parts.h"
#include "engine/base/units.h"
#include "engine/base/xml.h"

namespace shardscope {
namespace {

constexpr size_t kMostTries = 5;

struct Try {
  std::string words;  // "x = 6"
  Experiment changed;
};

void add_meshes(const Experiment& from, std::vector<Try>& out) {
  if (from.mesh.rank() == 0) return;
  for (const int64_t size : {2, 3, 4, 6, 8}) {
    std::vector<MeshAxis> axes = from.mesh.axes();
    if (axes.front().size == size) continue;
    axes.front().size = size;
    const auto mesh = Mesh::make(axes);
    if (!mesh.ok()) continue;
    Experiment changed = from;
    changed.mesh = *mesh;
    out.push_back({fmt::format("{} = {}", axes.front().name, size), std::move(changed)});
  }
}

void add_problems(const Experiment& from, std::vector<Try>& out) {
  const auto add = [&](std::string words, int64_t MatmulProblem::*size, int64_t times) {
    Experiment changed = from;
    for (const auto each : {&MatmulProblem::m, &MatmulProblem::k, &MatmulProblem::n})
      if (size == nullptr || size == each) changed.problem.*each *= times;
    out.push_back({std::move(words), std::move(changed)});
  };
  add("twice m", &MatmulProblem::m, 2);
  add("twice n", &MatmulProblem::n, 2);
  add("four times n", &MatmulProblem::n, 4);
  add("twice m, k and n", nullptr, 2);
  add("four times m, k and n", nullptr, 4);
}

std::vector<Try> tries_of(const LessonStep& step, const Experiment& from) {
  std::vector<Try> out;
  for (const std::string& change : step.change) {
    if (change == "mesh") add_meshes(from, out);
    if (change == "problem") add_problems(from, out);
  }
  if (out.size() > kMostTries) out.resize(kMostTries);
  return out;
}

// The times of an experiment's runs by name; what cannot be run has none.
using Times = std::vector<std::pair<std::string, std::optional<Picoseconds>>>;
Result<Times> times_of(const LessonExperiment& experiment, LessonRuns& runs) {
  TRY(FactRuns * all, runs.of(experiment));
  Times out;
  for (const std::string& name : all->names()) {
    const auto run = all->find(name, false);
    if (!run.ok() && run.error().kind == ErrorKind::cancelled) return run.error();
    out.emplace_back(name, run.ok() ? std::optional((*run)->run->timeline.total) : std::nullopt);
  }
  return out;
}

std::string row_html(const std::string& words, const Times& times) {
  std::optional<Picoseconds> best;
  for (const auto& [name, time] : times)
    if (time && (!best || *time < *best)) best = time;
  std::string out = "<tr><td>" + xml_escaped(words) + "</td>";
  for (const auto& [name, time] : times) {
    const std::string text = time ? format_picoseconds(*time) : "–";
    out += fmt::format("<td class=\"right\">{}</td>",
                       time && time == best && times.size() > 1 ? "<b>" + text + "</b>" : text);
  }
  return out + "</tr>\n";
}

}  // namespace

Result<std::string> tries_html(const PlayedLesson& played, size_t step, LessonRuns& runs,
                               const std::stop_token& stop) {
  const int32_t place = view_of(played.lesson, step).experiment;
  const auto from = experiment_at(played, step);
  if (place < 0 || !from.ok()) return std::string();
  const LessonExperiment& written = played.lesson.experiments[static_cast<size_t>(place)];
  TRY(const Times now, times_of(written, runs));
  std::string rows = row_html("as it is", now);
  size_t computed = 0;
  for (const Try& each : tries_of(played.lesson.steps[step], *from)) {
    if (stop.stop_requested()) return cancelled();
    const auto changed = changed_to(written, each.changed);
    if (!changed.ok()) continue;
    const auto times = times_of(*changed, runs);
    if (!times.ok() && times.error().kind == ErrorKind::cancelled) return times.error();
    if (!times.ok() || times->size() != now.size()) continue;
    rows += row_html(each.words, *times);
    ++computed;
  }
  if (computed == 0) return std::string();
  std::string head = "<tr><th>change</th>";
  for (const auto& [name, time] : now) head += fmt::format("<th class=\"right\">{}</th>", xml_escaped(name));
  return "<details class=\"tries\"><summary>What comes of it: some changes, computed when this file was "
         "made</summary>\n<div class=\"wide\"><table>\n<thead>" +
         head + "</tr></thead>\n<tbody>\n" + rows + "</tbody></table></div></details>\n";
}

}  // namespace shardscope
