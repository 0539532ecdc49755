// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>
#include <utility>

#include "engine/hardware/fabric.h"
#include "engine/plan/plan_summary.h"
#include "engine/program/analysis/written_out.h"
#include "engine/schedule/lane_loads.h"
#include "engine/schedule/loops/written_rounds.h"
#include "engine/schedule/retiming.h"
#include "engine/schedule/schedule.h"

namespace shardscope::inline scheduler {
namespace {

// Each collective of a loop once, by its number in the program with loops.
void list_schedules(const Program& program, const LoopPlan& loops, Timeline& timeline) {
  std::map<std::string, int32_t> numbers;
  int32_t next = 0;
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions) numbers[i.name] = next++;
  for (const Work& work : loops.plan.works) {
    if (work.schedule == nullptr) continue;
    const auto found = numbers.find(loops.program.entry_computation().at(work.instruction).name);
    if (found == numbers.end()) continue;  // a further round
    timeline.schedules.push_back({found->second, work.algorithm, work.bytes, work.groups, work.schedule});
  }
  std::ranges::sort(timeline.schedules, {}, &TimedCollective::instruction);
}

Timeline timeline_of(const Program& program, const RoundsRequest& asked, const Hardware& hardware,
                     RoundsPlayed played) {
  const LoopPlan& loops = asked.loops;
  Timeline out;
  out.devices = asked.fabric.devices();
  out.lanes = asked.fabric.lanes();
  out.total = played.last.end.time;
  out.event_count = played.events;
  out.critical_path = path_to(played.last.end);
  out.totals = std::move(played.devices);
  list_schedules(program, loops, out);
  add_summary({loops.program,
               hardware,
               loops.plan,
               {loops.blocks.begin(), loops.blocks.end()},
               played.bytes_sent,
               out.devices},
              out);
  return out;
}

// By work how often it is played.
std::vector<int64_t> times_of(const LoopPlan& loops) {
  std::vector<int64_t> out(loops.plan.works.size(), 0);
  for (const LoopBlock& block : loops.blocks)
    std::fill(out.begin() + std::ptrdiff_t(block.begin), out.begin() + std::ptrdiff_t(block.end),
              block.times);
  return out;
}

// By what lanes have to do in all.
bool takes_too_long(const LoopPlan& loops, const Fabric& fabric) {
  Routes routes(fabric, nullptr);
  return LaneLoads(loops.plan, fabric, nullptr, routes, times_of(loops)).is_late();
}

int64_t longest_loop(const LoopPlan& loops) {
  return std::ranges::max_element(loops.blocks, {}, &LoopBlock::times)->times;
}

// Where a message takes no time from link to link, what asks at one time is not there at once.
bool messages_take_time(const Hardware& hardware) {
  return hardware.link.latency_s.value_or(0) > 0;
}

// The soonest that tells the same: from a steady state, by lines where rounds fall behind each other, all of
// them one by one.
Result<std::optional<RoundsPlayed>> play(const RoundsRequest& asked, const Hardware& hardware,
                                         const std::stop_token& stop) {
  constexpr int64_t kFew = 24, kMore[] = {96, 384};  // rounds until there is a steady state
  constexpr int64_t kWorthIt = 8;                    // times as many in all
  constexpr int64_t kSoon = 64, kAtAll = 8192;       // rounds one by one before lines are seen
  TRY(auto soon_steady, play_steadily(asked, kFew, stop));
  if (soon_steady) return soon_steady;
  const bool in_full = can_be_played(asked.loops, asked.fabric);
  if (messages_take_time(hardware)) {
    TRY(auto lines, play_as_lines(asked, in_full ? kSoon : kAtAll, stop));
    if (lines) return lines;
  }
  for (const int64_t rounds : kMore) {
    if (longest_loop(asked.loops) < rounds * kWorthIt) break;
    TRY(auto steady, play_steadily(asked, rounds, stop));
    if (steady) return steady;
  }
  if (!in_full) return std::optional<RoundsPlayed>();
  return play_rounds(asked, WrittenRounds(asked.loops, asked.options.enough), stop);
}

// The totals of a program whose long stretches are loops (Strategy::plan), in a time that does not depend on
// how many rounds a loop has, where those come to a steady state or follow each other at paces of their own,
// and that can be shown to be the same; else the rounds are played one by one, but planned once. None: loops
// whose rounds differ or are too many for that, products that end in another order than the program's,
// kernels, works left out.
Result<std::optional<Timeline>> time_loops(const Program& program, const Hardware& hardware,
                                           const ScheduleOptions& options, const std::stop_token& stop) {
  TRY(const Fabric fabric, Fabric::make(program.mesh, hardware, options.overrides));
  if (!options.calls.empty() || !options.untimed.empty()) return std::optional<Timeline>();
  FastestAlgorithms fastest(options.fastest);
  TRY(auto loops, plan_loops(program, hardware, fabric, options, fastest, stop));
  if (!loops) return std::optional<Timeline>();
  TRY_VOID(require_countable(loops->plan, fabric, times_of(*loops)));
  loops->plan.give_up_after = options.enough;
  if (takes_too_long(*loops, fabric)) return std::optional(longer_than(options.enough));
  const std::vector<RoundBuffer> buffers = buffers_of(*loops);
  if (!are_read(*loops, buffers, ReadBy::one_way)) return std::optional<Timeline>();
  const RoundsRequest asked{*loops, fabric, buffers, options};
  auto all = play(asked, hardware, stop);
  if (!all.ok() && all.error().kind == ErrorKind::too_big) return std::optional(longer_than(options.enough));
  TRY(auto played, std::move(all));
  if (!played) return std::optional<Timeline>();
  if (options.progress) options.progress(1);
  return std::optional(timeline_of(program, asked, hardware, *std::move(played)));
}

}  // namespace

Result<Timeline> schedule(const Program& program, const Hardware& hardware, const ScheduleOptions& options,
                          std::stop_token stop) {
  const auto is_loop = [](const Instruction& i) { return i.opcode == Opcode::while_; };
  if (std::ranges::none_of(program.entry_computation().instructions, is_loop))
    return schedule_written_out(program, hardware, options, std::move(stop));
  if (!options.keep_events) {
    TRY(auto timed, time_loops(program, hardware, options, stop));
    if (timed || options.only_by_loops) return timed ? *std::move(timed) : Timeline();
  }
  TRY(const Program flat, written_out(program));
  return schedule_written_out(flat, hardware, options, std::move(stop));
}

}  // namespace shardscope::inline scheduler
