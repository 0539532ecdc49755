// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/loops/loop_schedule.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/hardware/fabric.h"
#include "engine/schedule/calibrated_range.h"
#include "engine/schedule/lane_loads.h"
#include "engine/schedule/loops/loop_player.h"
#include "engine/schedule/loops/repeated_sum.h"
#include "engine/schedule/memory.h"

namespace shardscope {
namespace {

// A buffer of the plan's program by the works that make and read it; maker -1: it is there from the start.
using PlannedBuffer = RoundBuffer;

// The works that read the value of an instruction, through views.
class Readers {
 public:
  explicit Readers(const LoopPlan& loops) : loops_(loops) {
    const auto& all = loops.program.entry_computation().instructions;
    users_.resize(all.size());
    for (size_t k = 0; k < all.size(); ++k)
      for (const InstructionId operand : all[k].operands) users_[to_index(operand.value)].push_back(k);
  }
  Needs of(size_t instruction) const {
    std::set<int32_t> works;
    std::set<size_t> seen;
    std::vector<size_t> open{instruction};
    while (!open.empty()) {
      const size_t at = open.back();
      open.pop_back();
      for (const size_t user : users_[at]) {
        const int32_t work = loops_.plan.work_of[user];
        if (work >= 0) works.insert(work);
        if (work < 0 && seen.insert(user).second) open.push_back(user);
      }
    }
    return {works.begin(), works.end()};
  }

 private:
  const LoopPlan& loops_;
  std::vector<std::vector<size_t>> users_;
};

std::vector<PlannedBuffer> buffers_of(const LoopPlan& loops) {
  const Readers readers(loops);
  const Program& program = loops.program;
  const int32_t first = program.global_index(program.entry, InstructionId(0));
  std::vector<PlannedBuffer> out;
  for (const BufferContents& b : plan_buffers(program, loops.plan.fused_add)) {
    const Instruction& maker = program.entry_computation().instructions[to_index(b.maker() - first)];
    PlannedBuffer buffer{loops.plan.work_of[to_index(b.maker() - first)], maker.shape.bytes(), b.kept,
                         maker.rooted,
                         b.kept ? Needs() : readers.of(to_index(b.values.back().instruction - first))};
    out.push_back(std::move(buffer));
  }
  return out;
}

// The block that plays a work; of the second of two alike rounds, which stands for none, the end.
std::vector<LoopBlock>::const_iterator block_of(const LoopPlan& loops, int32_t work) {
  return std::ranges::find_if(
      loops.blocks, [&](const LoopBlock& b) { return to_index(work) >= b.begin && to_index(work) < b.end; });
}

// Whether what rounds make is read in its round, or kept; and what else there is, outside of them.
bool stay_in_their_rounds(const LoopPlan& loops, const std::vector<PlannedBuffer>& buffers) {
  const auto repeats = [&](int32_t work) {
    const auto block = block_of(loops, work);
    return block == loops.blocks.end() || block->repeats();
  };
  return std::ranges::all_of(buffers, [&](const PlannedBuffer& b) {
    if (b.kept || b.maker < 0) return true;
    const bool in_round = repeats(b.maker);
    const auto block = block_of(loops, b.maker);
    if (block == loops.blocks.end()) return true;  // as in the round before it
    return std::ranges::all_of(b.readers, [&](int32_t reader) {
      return in_round ? block_of(loops, reader) == block : !repeats(reader);
    });
  });
}

std::optional<int64_t> peak_of(const LoopPlan& loops, const LoopTotals& played,
                               const std::vector<PlannedBuffer>& buffers, size_t device) {
  const size_t devices = played.devices.size();
  std::vector<Series> changes = played.memory[device];
  const auto span = [&](int32_t work) -> const WorkSpan& {
    return played.spans[to_index(work) * devices + device];
  };
  for (const PlannedBuffer& b : buffers) {
    if (b.maker < 0) {
      changes.push_back({0, 0, b.bytes, 0, 1});
      continue;
    }
    const auto block = block_of(loops, b.maker);
    if (block == loops.blocks.end() || block->repeats()) continue;
    if (b.rooted && loops.plan.work(b.maker).groups->rank_of[device] > 0) continue;
    changes.push_back({span(b.maker).start, 0, b.bytes, 0, 1});
    Picoseconds end = span(b.maker).over();
    for (const int32_t reader : b.readers) end = std::max(end, span(reader).over());
    if (!b.kept) changes.push_back({end, 0, -b.bytes, 0, 1});
  }
  return most_at_once(std::move(changes));
}

// False: they cannot be summed in closed form.
bool sum_devices(const LoopPlan& loops, const LoopTotals& played, const std::vector<PlannedBuffer>& buffers,
                 Timeline& timeline) {
  timeline.totals = played.devices;
  for (size_t d = 0; d < timeline.totals.size(); ++d) {
    DeviceTotals& t = timeline.totals[d];
    std::vector<Series> any = played.computing[d];
    any.insert(any.end(), played.sending[d].begin(), played.sending[d].end());
    const auto busy = covered_time(std::move(any)), comm = covered_time(played.sending[d]);
    const auto peak = peak_of(loops, played, buffers, d);
    if (!busy || !comm || !peak) return false;
    t.comm = *comm;
    t.exposed = *busy - t.compute;
    t.idle = timeline.total - *busy;
    t.peak_bytes = *peak;
  }
  return true;
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

void sum_collectives(const LoopPlan& loops, const LoopTotals& played, Timeline& timeline) {
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

std::optional<Timeline> timeline_of(const Program& program, const LoopPlan& loops, const LoopTotals& played,
                                    const std::vector<PlannedBuffer>& buffers, const Fabric& fabric) {
  Timeline out;
  out.devices = fabric.devices();
  out.lanes = fabric.lanes();
  out.total = played.last.time;
  out.event_count = played.events;
  if (!sum_devices(loops, played, buffers, out)) return std::nullopt;
  out.critical_path = path_to(played.last);
  sum_collectives(loops, played, out);
  list_schedules(program, loops, out);
  const double flops = over_works(loops, 0, [&](size_t w) { return loops.plan.works[w].flops; });
  const double padded = over_works(loops, 0, [&](size_t w) { return loops.plan.works[w].padded_flops; });
  if (padded > 0) out.mxu_utilisation = flops / padded;
  return out;
}

// By what lanes have to do in all.
bool takes_longer_than(Picoseconds enough, const LoopPlan& loops, const Fabric& fabric) {
  if (enough == std::numeric_limits<Picoseconds>::max()) return false;
  WorkPlan plan = loops.plan;
  plan.give_up_after = enough;
  std::vector<int64_t> times(plan.works.size(), 0);
  for (const LoopBlock& block : loops.blocks)
    std::fill(times.begin() + std::ptrdiff_t(block.begin), times.begin() + std::ptrdiff_t(block.end),
              block.times);
  Routes routes(fabric, nullptr);
  return LaneLoads(plan, fabric, nullptr, routes, times).is_late();
}

}  // namespace

Result<std::optional<Timeline>> schedule_loops(const Program& program, const Hardware& hardware,
                                               const ScheduleOptions& options, const std::stop_token& stop,
                                               Picoseconds enough) {
  TRY(const Fabric fabric, Fabric::make(program.mesh, hardware, options.overrides));
  const auto paced = [](const Work& work) { return work.pace.has_value(); };
  // Where a message takes no time from link to link, what asks at one time is not there at once.
  if (hardware.link.latency_s.value_or(0) <= 0) return std::optional<Timeline>();
  if (!options.overlap || !options.calls.empty() || !options.untimed.empty() || fabric.has_pair_links())
    return std::optional<Timeline>();
  TRY(const auto loops, plan_loops(program, hardware, fabric, options, stop));
  if (!loops || std::ranges::any_of(loops->plan.works, paced)) return std::optional<Timeline>();
  if (takes_longer_than(enough, *loops, fabric)) {
    Timeline longer;
    longer.total = enough + 1;
    return std::optional(std::move(longer));
  }
  const std::vector<PlannedBuffer> buffers = buffers_of(*loops);
  if (!stay_in_their_rounds(*loops, buffers)) return std::optional<Timeline>();
  LoopPlayer player(*loops, fabric, options.overlap, buffers, stop);
  TRY(const bool played, player.run());
  if (!played) return std::optional<Timeline>();
  std::optional<Timeline> timeline = timeline_of(program, *loops, player.totals(), buffers, fabric);
  if (!timeline) return timeline;
  Timeline& out = *timeline;
  out.assumptions = mesh_assumptions(program.mesh, hardware);
  out.assumptions.insert(out.assumptions.end(), loops->plan.assumptions.begin(),
                         loops->plan.assumptions.end());
  for (std::string& said : outside_calibration(hardware, loops->plan))
    out.assumptions.push_back(std::move(said));
  if (options.progress) options.progress(1);
  return timeline;
}

}  // namespace shardscope
