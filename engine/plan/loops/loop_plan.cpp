// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/loops/loop_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/plan/loops/loop_needs.h"
#include "engine/program/analysis/local_work.h"
#include "engine/program/analysis/written_out.h"

namespace shardscope::inline planner {
namespace {

constexpr int64_t kFewestRounds = kPlannedRounds + 2;  // of a loop that is not planned in full

// Where the planned rounds of a loop begin, and where the last of them ends, from a work on.
std::vector<size_t> rounds_of(const WorkPlan& plan, const SteppedLoop& loop, size_t from) {
  const std::vector<Work>& works = plan.works;
  std::vector<size_t> begins;
  size_t at = from;
  while (at < works.size() && works[at].step != loop.step) ++at;
  for (int32_t r = 0; r < kPlannedRounds; ++r) {
    begins.push_back(at);
    while (at < works.size() && works[at].step == loop.step + r) ++at;
  }
  begins.push_back(at);
  return begins;
}

class Cutter {
 public:
  explicit Cutter(LoopPlan& out) : out_(out) {}

  // Appends the blocks up to and with the alike rounds of one loop; false: it has none.
  bool cut(const SteppedLoop& loop) {
    const auto& works = out_.plan.works;
    const std::vector<size_t> begins = rounds_of(out_.plan, loop, from_);
    if (begins[1] == begins[0]) return false;
    for (size_t w = begins.back(); w < works.size(); ++w)
      if (works[w].step >= loop.step && works[w].step < loop.step + kPlannedRounds) return false;
    if (!have_one_size(begins)) return false;
    LoopBlock round{{begins[kFirstLike], 0, loop.rounds - kPlannedRounds + kReach}};
    round.end = round.begin + begins[1] - begins[0];
    for (int32_t r = 1; r < kReach; ++r)
      if (!is_like(round.behind(r - 1), round, r)) return false;
    leave_out_implied(out_, begins[0], round);
    if (!ends_cleanly(begins[0], round)) return false;
    out_.blocks.push_back({{from_, round.begin}});
    out_.blocks.push_back(round);
    from_ = round.rest();
    return true;
  }
  void rest() { out_.blocks.push_back({{from_, out_.plan.works.size()}}); }

 private:
  static bool have_one_size(const std::vector<size_t>& begins) {
    for (size_t r = 1; r + 1 < begins.size(); ++r)
      if (begins[r + 1] - begins[r] != begins[1] - begins[0]) return false;
    return true;
  }
  // The round that begins at `a` and the one behind it, which is so many behind the first of them.
  bool is_like(size_t a, const LoopBlock& first, int32_t behind) const {
    const size_t b = first.behind(behind), loop = first.loop();
    for (size_t k = 0; k < first.size(); ++k) {
      const Work &one = out_.plan.works[a + k], &other = out_.plan.works[b + k];
      if (one.task() != other.task() || one.synchronises != other.synchronises) return false;
      Needs moved = that_count(out_, a + k);
      for (int32_t& need : moved) {
        if (to_index(need) < loop) continue;
        if (to_index(need) < first.before(kReach - behind + 1)) return false;  // further back
        need += static_cast<int32_t>(first.size());
      }
      if (moved != that_count(out_, b + k)) return false;
    }
    return true;
  }
  // What comes after them waits for nothing of the loop from before them.
  bool ends_cleanly(size_t loop, const LoopBlock& round) const {
    for (size_t w = round.rest(); w < out_.needs.size(); ++w)
      for (const int32_t need : that_count(out_, w))
        if (to_index(need) >= loop && to_index(need) < round.begin) return false;
    return true;
  }

  LoopPlan& out_;
  size_t from_ = 0;
};

}  // namespace

std::optional<std::vector<SteppedLoop>> stepped_loops(const Program& program) {
  std::vector<SteppedLoop> out;
  int64_t free = 0;  // the first step that no loop before has
  for (const Instruction& i : program.entry_computation().instructions) {
    if (i.opcode != Opcode::while_) {
      if (!i.called.empty() && !has(i.opcode, Trait::sums) && i.opcode != Opcode::reduce) return std::nullopt;
      continue;
    }
    const auto rounds = known_trip_count(i);
    if (!rounds) return std::nullopt;
    std::set<int32_t> steps;
    for (const CalledComputation& called : i.called) {
      if (called.key != "body") continue;
      for (const Instruction& inside : program.computation(called.computation).instructions) {
        // Loops and branches.
        if (has(inside.opcode, Trait::part) && !has(inside.opcode, Trait::inlined)) return std::nullopt;
        if (inside.provenance->step >= 0) steps.insert(inside.provenance->step);
      }
    }
    if (steps.size() != 1 || *steps.begin() < free) return std::nullopt;
    out.push_back({*steps.begin(), *rounds});
    free = *steps.begin() + *rounds;
  }
  return out;
}

Result<Program> written_out_shortly(const Program& program, int64_t long_from, int64_t rounds) {
  DataDecisions few{[](const Computation&) { return 0.0; }};
  few.rounds = [long_from, rounds](const Instruction& loop, bool) {
    const auto known = known_trip_count(loop);
    return known && *known >= long_from ? std::optional(rounds) : known;
  };
  return written_out(program, &few);
}

Result<std::optional<LoopPlan>> plan_loops(const Program& program, const Hardware& hardware,
                                           const Fabric& fabric, const PlanOptions& options,
                                           AlgorithmChooser& fastest, const std::stop_token& stop) {
  const auto loops = stepped_loops(program);
  if (!loops) return std::optional<LoopPlan>();
  LoopPlan out;
  TRY(out.program, written_out_shortly(program, kFewestRounds, kPlannedRounds));
  TRY(out.plan, plan_work(out.program, hardware, fabric, options, fastest, stop));
  out.needs = needs_of(out.plan);
  Cutter cutter(out);
  for (const SteppedLoop& loop : *loops)
    if (loop.rounds >= kFewestRounds && !cutter.cut(loop)) return std::optional<LoopPlan>();
  cutter.rest();
  leave_out_earlier_products(out);
  return std::optional(std::move(out));
}

}  // namespace shardscope::inline planner
