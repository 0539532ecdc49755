// SPDX-License-Identifier: Apache-2.0
#include "engine/session/lessons/lesson_changes.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <random>
#include <set>

#include "engine/base/text.h"
#include "engine/hardware/hardware.h"
#include "engine/lesson/given_away.h"
#include "engine/request/fields.h"
#include "engine/session/lessons/lesson_module.h"
#include "engine/session/lessons/schedule_changes.h"

namespace shardscope::inline session {
namespace {

constexpr size_t kRandomChanges = 20;

using Changes = std::vector<OfferedChange>;

void add_mesh(const Experiment& from, size_t axis, int64_t size, Changes& out) {
  std::vector<MeshAxis> axes = from.mesh.axes();
  if (axis >= axes.size() || axes[axis].size == size) return;
  axes[axis].size = size;
  auto mesh = Mesh::make(axes);
  if (!mesh.ok()) return;
  Experiment changed = from;
  changed.mesh = *std::move(mesh);
  changed.overrides = {};
  out.push_back({fmt::format("{} = {}", axes[axis].name, size), std::move(changed), {}, "mesh"});
}

void add_problem(const Experiment& from, std::string words, int64_t m, int64_t k, int64_t n, Changes& out) {
  Experiment changed = from;
  changed.problem.m *= m;
  changed.problem.k *= k;
  changed.problem.n *= n;
  if (changed.problem != from.problem) out.push_back({std::move(words), std::move(changed), {}, "problem"});
}

// By its field, as a form puts it; what the field refuses is no change.
void add_field(const Experiment& from, const char* key, const std::string& value, Changes& out) {
  const Field* field = find_field(key);
  Experiment changed = from;
  if (field == nullptr || !put(*field, changed, value).ok() || changed == from) return;
  out.push_back({fmt::format("{} = {}", key, value), std::move(changed), {}, {}});
}

void add_offered(const std::string& kind, const Experiment& from, Changes& out) {
  if (kind == "mesh")
    for (const int64_t size : {2, 3, 4, 6, 8}) add_mesh(from, 0, size, out);
  if (kind == "problem") {
    add_problem(from, "twice m", 2, 1, 1, out);
    add_problem(from, "twice n", 1, 1, 2, out);
    add_problem(from, "four times n", 1, 1, 4, out);
    for (const int64_t times : {4, 16})
      add_problem(from, fmt::format("{} times m, k and n", times), times, times, times, out);
  }
  if (kind == "sums") out.push_back({"all sums in f32", with_sums(from, "f32"), {}, {}});
  if (kind == "chip")
    for (const std::string& chip : hardware_preset_names()) add_field(from, "hardware", chip, out);
  if (kind == "collective")
    for (const std::string& value : find_field("collective")->values)
      add_field(from, "collective", value, out);
  for (OfferedChange& each : out) each.kind = kind;
}

// The module's parameters with one of them sharded otherwise.
OfferedChange with_spec(std::vector<ParameterSpec> specs, size_t parameter, const std::string& spec) {
  specs[parameter].spec = spec;
  OfferedChange out{written_spec(specs[parameter]), {}, {}, "sharding"};
  for (const ParameterSpec& each : specs) out.shardings.push_back(written_spec(each));
  return out;
}

size_t axes_in(const std::string& spec) {
  return static_cast<size_t>(std::ranges::count(spec, '\'')) / 2;
}

// Each parameter over one axis more or less.
Result<Changes> offered_specs(const LessonExperiment& experiment) {
  TRY(const auto specs, parameter_specs(experiment));
  Changes out;
  for (size_t p = 0; p < specs.size(); ++p) {
    TRY(const auto choices, spec_choices(experiment, specs[p].rank));
    for (const std::string& spec : choices)
      if (spec != specs[p].spec && axes_in(spec) < 2) out.push_back(with_spec(specs, p, spec));
  }
  return out;
}

Result<Changes> random_specs(const LessonExperiment& experiment, uint64_t seed, size_t count) {
  TRY(auto specs, parameter_specs(experiment));
  std::mt19937_64 random(seed);
  Changes out;
  while (out.size() < count) {
    std::vector<std::string> words;
    for (ParameterSpec& each : specs) {
      TRY(const auto choices, spec_choices(experiment, each.rank));
      each.spec = choices[random() % choices.size()];
      words.push_back(written_spec(each));
    }
    out.push_back({join(words, ", "), {}, words, "sharding"});
  }
  return out;
}

// The module's experiment that a step shows, as it is now; null: it shows none.
Result<const LessonExperiment*> module_at(const Lesson& lesson, size_t step) {
  const int32_t place = view_of(lesson, step).experiment;
  if (place < 0) return invalid("this step shows no experiment");
  const LessonExperiment& experiment = lesson.experiments[static_cast<size_t>(place)];
  return experiment.module.empty() ? nullptr : &experiment;
}

class ChangeChecker {
 public:
  ChangeChecker(const LessonFile& file, LessonRuns& runs, const std::stop_token& stop)
      : file_(file), runs_(runs), stop_(stop) {}

  Result<void> check(size_t step) {
    const PlayedLesson played{file_.lesson, {}, {}};
    const LessonStep& tries = file_.lesson.steps[step];
    const auto offered = offered_changes(played, step, runs_);
    if (!offered.ok()) {
      wrong(step, "change", offered.error().text());
      return {};
    }
    TRY(const Changes others, random_changes(played, step, step + 1, kRandomChanges, runs_));
    bool reached = tries.expect.empty();
    std::set<std::string> moves;
    if (tries.watch.empty()) wrong(step, "watch", "nothing is watched, so nobody sees what the change does");
    for (const Changes& all : {*offered, others})
      for (const OfferedChange& each : all) {
        if (stop_.stop_requested()) return cancelled();
        TRY(const auto shown, play(step, each));
        if (!shown) continue;
        reached = reached || shown->expected.value_or(false);
        if (std::ranges::any_of(shown->watched,
                                [](const WatchedValue& w) { return w.before && *w.before != w.now; }))
          moves.insert(each.kind);
      }
    if (!reached) wrong(step, "expect", "no change that the step offers reaches it");
    for (const std::string& kind : tries.change)
      if (!moves.contains(kind) && kind != "strategy" && !tries.watch.empty())
        wrong(step, "watch", fmt::format("nothing that is watched changes with the {}", kind));
    return {};
  }

  std::vector<LessonError> take() { return std::move(errors_); }

 private:
  void wrong(size_t step, std::string_view key, const std::string& what) {
    LessonError error{file_.line_of(step, key), fmt::format("step {}, {}: {}", step + 1, key, what)};
    if (said_.insert(error.message).second) errors_.push_back(std::move(error));
  }

  // The whole lesson with the change; the step that lets try it. None: the change cannot be run.
  Result<std::optional<ShownStep>> play(size_t tried, const OfferedChange& change) {
    const PlayedLesson played = with_change({file_.lesson, {}, {}}, tried, change);
    const int32_t place = view_of(played.lesson, tried).experiment;
    TRY(ShownStep out, play_step(played, tried, runs_));
    TRY(const bool runs, all_run(played, static_cast<size_t>(place)));
    if (!runs) return std::optional<ShownStep>();
    for (size_t step = 0; step < file_.lesson.steps.size(); ++step) {
      if (view_of(file_.lesson, step).experiment != place) continue;
      TRY(const ShownStep shown, play_step(played, step, runs_));
      if (!shown.holds) continue;
      for (const StepFault& fault : shown.faults)
        wrong(step, fault.key, fmt::format("with {}: {}", change.words, fault.error.text()));
      if (shown.question && gives_away(*shown.question, shown.ask))
        wrong(step, "ask", fmt::format("with {} the answer stands in the question", change.words));
    }
    return std::optional(std::move(out));
  }

  Result<bool> all_run(const PlayedLesson& played, size_t place) {
    const auto lesson = as_changed(played);
    if (!lesson.ok()) return false;
    TRY(FactRuns * runs, runs_.of(lesson->experiments[place]));
    for (const std::string& name : runs->names()) {
      const auto run = runs->find(name, false);
      if (run.ok() && (*run)->story != nullptr) continue;
      if (run.ok()) return false;  // too large to be told
      if (run.error().kind == ErrorKind::cancelled) return run.error();
      return false;
    }
    return true;
  }

  const LessonFile& file_;
  LessonRuns& runs_;
  std::stop_token stop_;
  std::vector<LessonError> errors_;
  std::set<std::string> said_;
};

}  // namespace

Experiment with_sums(const Experiment& from, const std::string& type) {
  Experiment out = from;
  for (const auto& [key, value] :
       {std::pair("accumulate", type), std::pair("sum-dtype", type == "f32" ? type : std::string("result"))})
    (void)put(*find_field(key), out, value);
  return out;
}

PlayedLesson with_change(PlayedLesson played, size_t step, const OfferedChange& change) {
  const auto place = static_cast<size_t>(std::max(0, view_of(played.lesson, step).experiment));
  if (change.schedule) {
    played.schedule = change.schedule;
  } else if (change.shardings.empty()) {
    played.changed[place] = change.changed;
  } else {
    played.shardings[place] = change.shardings;
  }
  return played;
}

Result<Changes> offered_changes(const PlayedLesson& played, size_t step, LessonRuns& runs) {
  const LessonStep& tries = played.lesson.steps[step];
  if (chooses_schedule(tries)) return offered_schedules(played, step, runs);
  TRY(const LessonExperiment* module, module_at(played.lesson, step));
  if (module != nullptr) return offered_specs(*module);
  TRY(const Experiment from, experiment_at(played, step));
  Changes out;
  for (const std::string& kind : tries.change) {
    Changes of_kind;
    add_offered(kind, from, of_kind);
    // Towards a goal one goes far.
    if (kind == "problem" && !tries.expect.empty())
      for (const int64_t times : {64, 256})
        add_problem(from, fmt::format("{} times m, k and n", times), times, times, times, of_kind);
    out.insert(out.end(), of_kind.begin(), of_kind.end());
  }
  return out;
}

Result<Changes> random_changes(const PlayedLesson& played, size_t step, uint64_t seed, size_t count,
                               LessonRuns& runs) {
  constexpr std::array<int64_t, 8> kSizes{1, 2, 3, 4, 5, 6, 7, 8};
  constexpr std::array<int64_t, 5> kTimes{1, 2, 3, 4, 8};
  const LessonStep& tries = played.lesson.steps[step];
  if (chooses_schedule(tries)) return random_schedules(played, step, seed, count, runs);
  TRY(const LessonExperiment* module, module_at(played.lesson, step));
  if (module != nullptr) return random_specs(*module, seed, count);
  TRY(const Experiment from, experiment_at(played, step));
  std::mt19937_64 random(seed);
  const auto one_of = [&](const auto& values) { return values[random() % values.size()]; };
  Changes out;
  for (size_t k = 0; out.size() < count && k < 4 * count && !tries.change.empty(); ++k) {
    const std::string kind = one_of(tries.change);
    if (kind == "mesh" && from.mesh.rank() > 0) {
      add_mesh(from, random() % static_cast<size_t>(from.mesh.rank()), one_of(kSizes), out);
    } else if (kind == "problem") {
      const int64_t m = one_of(kTimes), l = one_of(kTimes), n = one_of(kTimes);
      add_problem(from, fmt::format("m, k, n times {}, {}, {}", m, l, n), m, l, n, out);
    } else {
      Changes all;
      add_offered(kind, from, all);
      if (!all.empty()) out.push_back(one_of(all));
    }
  }
  return out;
}

Result<std::vector<LessonError>> check_changes(const LessonFile& file, LessonRuns& runs,
                                               const std::stop_token& stop) {
  ChangeChecker checker(file, runs, stop);
  for (size_t step = 0; step < file.lesson.steps.size(); ++step)
    if (!file.lesson.steps[step].change.empty()) TRY_VOID(checker.check(step));
  return checker.take();
}

}  // namespace shardscope::inline session
