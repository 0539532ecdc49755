// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/loops/loop_schedule.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/hardware/fabric.h"
#include "engine/program/analysis/written_out.h"
#include "engine/schedule/calibrated_range.h"
#include "engine/schedule/lane_loads.h"
#include "engine/schedule/loops/loop_player.h"
#include "engine/schedule/loops/repeated_sum.h"
#include "engine/schedule/loops/steady_rounds.h"
#include "engine/schedule/loops/written_rounds.h"
#include "engine/schedule/retiming.h"

namespace shardscope {
namespace {

std::optional<int64_t> peak_of(const LoopPlan& loops, const LoopTotals& played,
                               const std::vector<RoundBuffer>& buffers, size_t device) {
  const size_t devices = played.devices.size();
  std::vector<Series> changes = played.memory[device];
  const auto span = [&](int32_t work) -> const WorkSpan& {
    return played.spans[to_index(work) * devices + device];
  };
  for (const RoundBuffer& b : buffers) {
    if (b.maker < 0) {
      changes.push_back({0, 0, b.bytes, 0, 1});
      continue;
    }
    const auto block = loops.block_of(b.maker);
    if (block == loops.blocks.end() || block->repeats()) continue;
    if (!is_held_by(b, loops, device)) continue;
    changes.push_back({span(b.maker).start, 0, b.bytes, 0, 1});
    Picoseconds end = span(b.maker).over();
    for (const int32_t reader : b.readers) end = std::max(end, span(reader).over());
    if (!b.kept) changes.push_back({end, 0, -b.bytes, 0, 1});
  }
  return most_at_once(std::move(changes));
}

// None: they cannot be summed in closed form.
std::optional<RoundsPlayed> summed(const LoopPlan& loops, const LoopTotals& played,
                                   const std::vector<RoundBuffer>& buffers) {
  RoundsPlayed out{played.devices, played.bytes_sent, played.events, played.last};
  for (size_t d = 0; d < out.devices.size(); ++d) {
    DeviceTotals& t = out.devices[d];
    std::vector<Series> any = played.computing[d];
    any.insert(any.end(), played.sending[d].begin(), played.sending[d].end());
    const auto busy = covered_time(std::move(any)), comm = covered_time(played.sending[d]);
    const auto peak = peak_of(loops, played, buffers, d);
    if (!busy || !comm || !peak) return std::nullopt;
    t.comm = *comm;
    t.exposed = *busy - t.compute;
    t.idle = out.last.time - *busy;
    t.peak_bytes = *peak;
  }
  return out;
}

// `sum` after the numbers that each of these works adds, in the order in which they are played.
template <class Of>
double over_works(const LoopPlan& loops, double sum, const Of& of) {
  for (const LoopBlock& block : loops.blocks)
    sum = repeated_sum(sum, block.times, [&](double s) {
      for (size_t w = block.begin; w < block.end; ++w) s += of(w);
      return s;
    });
  return sum;
}

void sum_collectives(const LoopPlan& loops, const RoundsPlayed& played, Timeline& timeline) {
  constexpr size_t kNone = SIZE_MAX;
  auto& out = timeline.collectives;
  std::vector<size_t> summary(loops.plan.works.size(), kNone);
  for (const LoopBlock& block : loops.blocks) {
    for (size_t w = block.begin; w < block.end; ++w) {
      const Work& work = loops.plan.works[w];
      if (work.kind != WorkKind::collective) continue;
      const std::string opcode(opcode_text(loops.program.entry_computation().at(work.instruction).opcode));
      const auto it = std::ranges::find_if(out, [&](const CollectiveSummary& s) {
        return s.opcode == opcode && s.axis == work.axis && s.algorithm == work.algorithm;
      });
      summary[w] = to_index(it - out.begin());
      if (it == out.end()) out.push_back({opcode, work.axis, 0, 0, work.algorithm, 0, work.why});
      out[summary[w]].count += block.times;
      out[summary[w]].steps += work.steps() * block.times;
    }
  }
  const auto devices = static_cast<double>(timeline.devices);
  for (size_t of = 0; of < out.size(); ++of)
    out[of].bytes_sent_per_device = over_works(loops, 0, [&](size_t w) {
      return summary[w] == of ? static_cast<double>(played.bytes_sent[w]) / devices : 0.0;
    });
}

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

Timeline timeline_of(const Program& program, const LoopPlan& loops, RoundsPlayed played,
                     const Fabric& fabric) {
  Timeline out;
  out.devices = fabric.devices();
  out.lanes = fabric.lanes();
  out.total = played.last.time;
  out.event_count = played.events;
  out.critical_path = path_to(played.last);
  sum_collectives(loops, played, out);
  list_schedules(program, loops, out);
  out.totals = std::move(played.devices);
  const double flops = over_works(loops, 0, [&](size_t w) { return loops.plan.works[w].flops; });
  const double padded = over_works(loops, 0, [&](size_t w) { return loops.plan.works[w].padded_flops; });
  if (padded > 0) out.mxu_utilisation = flops / padded;
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
bool takes_longer_than(Picoseconds enough, const LoopPlan& loops, const Fabric& fabric) {
  if (enough == std::numeric_limits<Picoseconds>::max()) return false;
  WorkPlan plan = loops.plan;
  plan.give_up_after = enough;
  Routes routes(fabric, nullptr);
  return LaneLoads(plan, fabric, nullptr, routes, times_of(loops)).is_late();
}

int64_t longest_loop(const LoopPlan& loops) {
  return std::ranges::max_element(loops.blocks, {}, &LoopBlock::times)->times;
}

bool chips_are_alike(const Fabric& fabric) {
  if (fabric.link_classes() > 1) return false;
  for (int32_t d = 0; d < fabric.devices(); ++d)
    if (fabric.speed(d) != 1) return false;
  return true;
}

// In a time that does not depend on how many rounds there are; none where that cannot be shown to be the
// same.
Result<std::optional<RoundsPlayed>> play_as_lines(const RoundsRequest& asked, int64_t most_played,
                                                  const std::stop_token& stop) {
  const auto& [loops, fabric, buffers, options] = asked;
  const auto paced = [](const Work& work) { return work.pace.has_value(); };
  // What has zero cost is served by no lane, after all of the blocks before.
  const auto at_once = [](const Work& work) {
    return work.kind == WorkKind::compute && work.cost.total() == 0;
  };
  // Beside a slow chip or link products of rounds overtake each other, of which works wait for the last only.
  // What rounds make is summed where they read it themselves.
  if (!chips_are_alike(fabric) || !stay_in_their_rounds(loops, buffers)) return std::optional<RoundsPlayed>();
  if (!options.overlap || fabric.has_pair_links() || std::ranges::any_of(loops.plan.works, paced) ||
      std::ranges::any_of(loops.plan.works, at_once))
    return std::optional<RoundsPlayed>();
  LoopPlayer player(loops, fabric, options.overlap, buffers, stop);
  TRY(const bool played, player.run(most_played));
  if (!played) return std::optional<RoundsPlayed>();
  return summed(loops, player.totals(), buffers);
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
  TRY(auto played, play_steadily(asked, kFew, stop));
  if (played) return played;
  const bool in_full = can_be_played(asked.loops, asked.fabric);
  if (messages_take_time(hardware)) {
    TRY(played, play_as_lines(asked, in_full ? kSoon : kAtAll, stop));
    if (played) return played;
  }
  for (const int64_t rounds : kMore) {
    if (longest_loop(asked.loops) < rounds * kWorthIt) break;
    TRY(played, play_steadily(asked, rounds, stop));
    if (played) return played;
  }
  if (!in_full) return played;
  return play_rounds(asked, WrittenRounds(asked.loops, asked.options.enough), stop);
}

}  // namespace

Result<std::optional<Timeline>> schedule_loops(const Program& program, const Hardware& hardware,
                                               const ScheduleOptions& options, const std::stop_token& stop) {
  TRY(const Fabric fabric, Fabric::make(program.mesh, hardware, options.overrides));
  if (!options.calls.empty() || !options.untimed.empty()) return std::optional<Timeline>();
  TRY(const auto loops, plan_loops(program, hardware, fabric, options, stop));
  if (!loops) return std::optional<Timeline>();
  TRY_VOID(require_countable(loops->plan, fabric, times_of(*loops)));
  if (takes_longer_than(options.enough, *loops, fabric)) return std::optional(longer_than(options.enough));
  const std::vector<RoundBuffer> buffers = buffers_of(*loops);
  if (!are_read_in_one_way(*loops, buffers)) return std::optional<Timeline>();
  const RoundsRequest asked{*loops, fabric, buffers, options};
  auto all = play(asked, hardware, stop);
  if (!all.ok() && all.error().kind == ErrorKind::too_big) return std::optional(longer_than(options.enough));
  TRY(auto played, std::move(all));
  if (!played) return std::optional<Timeline>();
  Timeline out = timeline_of(program, *loops, *std::move(played), fabric);
  out.assumptions = mesh_assumptions(program.mesh, hardware);
  out.assumptions.insert(out.assumptions.end(), loops->plan.assumptions.begin(),
                         loops->plan.assumptions.end());
  for (std::string& said : outside_calibration(hardware, loops->plan))
    out.assumptions.push_back(std::move(said));
  if (options.progress) options.progress(1);
  return std::optional(std::move(out));
}

Result<Timeline> schedule(const Program& program, const Hardware& hardware, const ScheduleOptions& options,
                          std::stop_token stop) {
  const auto is_loop = [](const Instruction& i) { return i.opcode == Opcode::while_; };
  if (std::ranges::none_of(program.entry_computation().instructions, is_loop))
    return schedule_written_out(program, hardware, options, std::move(stop));
  if (!options.keep_events) {
    TRY(auto by_loops, schedule_loops(program, hardware, options, stop));
    if (by_loops) return *std::move(by_loops);
  }
  TRY(const Program flat, written_out(program));
  return schedule_written_out(flat, hardware, options, std::move(stop));
}

}  // namespace shardscope
