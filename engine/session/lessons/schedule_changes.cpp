// SPDX-License-Identifier: Apache-2.0
#include "engine/session/lessons/schedule_changes.h"

#include <fmt/format.h>
#include <random>

#include "engine/base/say.h"
#include "engine/kernels/machine/schedule.h"

namespace shardscope::inline session {
namespace {

constexpr uint64_t kOfferedSeeds = 5;  // one of each policy

Result<ShownStep> begun(const PlayedLesson& played, size_t step, LessonRuns& runs) {
  PlayedLesson without = played;
  without.schedule.reset();
  TRY(ShownStep out, play_step(without, step, runs));
  if (!out.chooses) return invalid("this step shows no kernel whose schedule can be chosen");
  return out;
}

OfferedChange change_to(size_t step, std::string words, std::vector<kernels::Action> choices) {
  OfferedChange out{std::move(words), {}, {}, std::string(kScheduleChange)};
  out.schedule = PlayedSchedule{step, std::move(choices)};
  return out;
}

std::vector<kernels::Action> choices_of(const ShownStep& shown, const kernels::Schedule& schedule) {
  return kernels::run_schedule(shown.kernel->replay->program(), nullptr, nullptr, schedule).choices;
}

}  // namespace

Result<std::vector<OfferedChange>> offered_schedules(const PlayedLesson& played, size_t step,
                                                     LessonRuns& runs) {
  TRY(const ShownStep shown, begun(played, step, runs));
  if (shown.kernel->replay->next_moves(shown.begun).size() < 2)
    return invalid("there is nothing to choose: one thing alone can happen next");
  std::vector<OfferedChange> out;
  if (shown.kernel->shortest)
    out.push_back(
        change_to(step, said("the shortest schedule that breaks it"), shown.kernel->shortest->choices));
  for (uint64_t seed = 0; seed < kOfferedSeeds; ++seed) {
    const kernels::Schedule schedule = kernels::schedule_of(seed);
    out.push_back(
        change_to(step, say("schedule {}, {}", seed, name(schedule.policy)), choices_of(shown, schedule)));
  }
  return out;
}

Result<std::vector<OfferedChange>> random_schedules(const PlayedLesson& played, size_t step, uint64_t seed,
                                                    size_t count, LessonRuns& runs) {
  TRY(const ShownStep shown, begun(played, step, runs));
  std::mt19937_64 random(seed);
  std::vector<OfferedChange> out;
  while (out.size() < count) {
    const uint64_t which = kOfferedSeeds + random() % 1000;
    std::vector<kernels::Action> choices = choices_of(shown, kernels::schedule_of(which));
    choices.resize(random() % (choices.size() + 1));
    out.push_back(change_to(step, fmt::format("{} steps of schedule {}", choices.size(), which), choices));
  }
  return out;
}

}  // namespace shardscope::inline session
