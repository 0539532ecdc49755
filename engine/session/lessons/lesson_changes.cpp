// SPDX-License-Identifier: Apache-2.0
#include "engine/session/lessons/lesson_changes.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <random>
#include <set>

#include "engine/hardware/hardware.h"
#include "engine/request/fields.h"

namespace shardscope {
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
  out.push_back({fmt::format("{} = {}", axes[axis].name, size), std::move(changed)});
}

void add_problem(const Experiment& from, std::string words, int64_t m, int64_t k, int64_t n, Changes& out) {
  Experiment changed = from;
  changed.problem.m *= m;
  changed.problem.k *= k;
  changed.problem.n *= n;
  if (changed.problem != from.problem) out.push_back({std::move(words), std::move(changed)});
}

// By its field, as a form puts it; what the field refuses is no change.
void add_field(const Experiment& from, const char* key, const std::string& value, Changes& out) {
  const Field* field = find_field(key);
  Experiment changed = from;
  if (field == nullptr || !put(*field, changed, value).ok() || changed == from) return;
  out.push_back({fmt::format("{} = {}", key, value), std::move(changed)});
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
  if (kind == "sums") out.push_back({"all sums in f32", with_sums(from, "f32")});
  if (kind == "chip")
    for (const std::string& chip : hardware_preset_names()) add_field(from, "hardware", chip, out);
  if (kind == "collective")
    for (const std::string& value : find_field("collective")->values)
      add_field(from, "collective", value, out);
}

class ChangeChecker {
 public:
  ChangeChecker(const LessonFile& file, LessonRuns& runs, const std::stop_token& stop)
      : file_(file), runs_(runs), stop_(stop) {}

  Result<void> check(size_t step) {
    const auto from = experiment_at({file_.lesson, {}}, step);
    if (!from.ok()) return {};
    const LessonStep& tries = file_.lesson.steps[step];
    const Changes offered = offered_changes(tries, *from);
    bool reached = tries.expect.empty();
    bool changes = tries.watch.empty();
    for (const Changes& all : {offered, random_changes(tries, *from, step + 1, kRandomChanges)})
      for (const OfferedChange& each : all) {
        if (stop_.stop_requested()) return cancelled();
        TRY(const auto shown, play(step, each));
        if (!shown) continue;
        reached = reached || shown->expected.value_or(false);
        changes = changes || std::ranges::any_of(shown->watched, [](const WatchedValue& w) {
                    return w.before && *w.before != w.now;
                  });
      }
    if (!reached) wrong(step, "expect", "no change that the step offers reaches it");
    if (!changes) wrong(step, "watch", "nothing that is watched changes, whatever is tried");
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
    PlayedLesson played{file_.lesson, {}};
    const int32_t place = view_of(played.lesson, tried).experiment;
    played.changed[static_cast<size_t>(place)] = change.changed;
    TRY(ShownStep out, play_step(played, tried, runs_));
    TRY(const bool runs, all_run(played, static_cast<size_t>(place)));
    if (!runs) return std::optional<ShownStep>();
    for (size_t step = 0; step < file_.lesson.steps.size(); ++step) {
      if (view_of(file_.lesson, step).experiment != place) continue;
      TRY(const ShownStep shown, play_step(played, step, runs_));
      if (!shown.holds) continue;
      for (const StepFault& fault : shown.faults)
        wrong(step, fault.key, fmt::format("with {}: {}", change.words, fault.error.text()));
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

std::vector<OfferedChange> offered_changes(const LessonStep& step, const Experiment& from) {
  Changes out;
  for (const std::string& kind : step.change) {
    add_offered(kind, from, out);
    // Towards a goal one goes far.
    if (kind != "problem" || step.expect.empty()) continue;
    for (const int64_t times : {64, 256})
      add_problem(from, fmt::format("{} times m, k and n", times), times, times, times, out);
  }
  return out;
}

std::vector<OfferedChange> random_changes(const LessonStep& step, const Experiment& from, uint64_t seed,
                                          size_t count) {
  constexpr std::array<int64_t, 8> kSizes{1, 2, 3, 4, 5, 6, 7, 8};
  constexpr std::array<int64_t, 5> kTimes{1, 2, 3, 4, 8};
  std::mt19937_64 random(seed);
  const auto one_of = [&](const auto& values) { return values[random() % values.size()]; };
  Changes out;
  for (size_t tries = 0; out.size() < count && tries < 4 * count && !step.change.empty(); ++tries) {
    const std::string kind = one_of(step.change);
    if (kind == "mesh" && from.mesh.rank() > 0) {
      add_mesh(from, random() % static_cast<size_t>(from.mesh.rank()), one_of(kSizes), out);
    } else if (kind == "problem") {
      const int64_t m = one_of(kTimes), k = one_of(kTimes), n = one_of(kTimes);
      add_problem(from, fmt::format("m, k, n times {}, {}, {}", m, k, n), m, k, n, out);
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

}  // namespace shardscope
