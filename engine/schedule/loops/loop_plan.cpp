// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/loops/loop_plan.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "engine/program/analysis/local_work.h"
#include "engine/program/analysis/written_out.h"

namespace shardscope {
namespace {

// Rounds that are planned of a loop: three that find it beginning, two that must be alike and stand for all
// in between, two that find it ending.
constexpr int32_t kPlanned = 7;
constexpr int32_t kLike = 3;  // the first of the two
constexpr int64_t kFewestPlanned = 12;

// The last work of those that computes; -1: none.
int32_t last_product(const WorkPlan& plan, const Needs& needs) {
  int32_t last = -1;
  for (const int32_t n : needs)
    if (plan.work(n).kind == WorkKind::compute) last = n;
  return last;
}

// The works that each waits for, joins looked through.
std::vector<Needs> needs_of(const WorkPlan& plan) {
  const size_t works = plan.works.size(), nodes = plan.waits_for.size();
  std::vector<Needs> direct(nodes);
  for (size_t n = 0; n < nodes; ++n)
    for (int32_t r = plan.first_reader[n]; r < plan.first_reader[n + 1]; ++r)
      direct[static_cast<size_t>(plan.readers[static_cast<size_t>(r)])].push_back(static_cast<int32_t>(n));
  std::vector<Needs> out(works);
  for (size_t w = 0; w < works; ++w) {
    std::set<int32_t> seen;
    Needs open = direct[w];
    while (!open.empty()) {
      const int32_t n = open.back();
      open.pop_back();
      if (!seen.insert(n).second || static_cast<size_t>(n) < works) continue;
      const Needs& more = direct[static_cast<size_t>(n)];
      open.insert(open.end(), more.begin(), more.end());
    }
    for (const int32_t n : seen)
      if (static_cast<size_t>(n) < works) out[w].push_back(n);
  }
  return out;
}

// A device's products go one after the other, as its lane serves one block after the other: of several that
// a work waits for the last counts, and those of its block.
void leave_out_earlier_products(LoopPlan& loops) {
  std::vector<size_t> block(loops.plan.works.size(), SIZE_MAX);  // that plays a work
  for (size_t b = 0; b < loops.blocks.size(); ++b)
    for (size_t w = loops.blocks[b].begin; w < loops.blocks[b].end; ++w) block[w] = b;
  for (size_t w = 0; w < loops.needs.size(); ++w) {
    const int32_t last = last_product(loops.plan, loops.needs[w]);
    if (block[w] == SIZE_MAX) continue;
    std::erase_if(loops.needs[w], [&](int32_t n) {
      if (n == last || loops.plan.work(n).kind != WorkKind::compute) return false;
      const bool together = block[static_cast<size_t>(n)] == block[static_cast<size_t>(last)];
      if (together && !loops.blocks[block[w]].repeats()) return false;
      if (together) loops.earlier.insert({n, last});
      return true;
    });
  }
}

// A work's place in each of the rounds that are planned of the loop whose repeated rounds `block` has.
void mark(const LoopBlock& block, int32_t work, std::vector<bool>& marked) {
  const size_t first = block.begin - kLike * block.size(), place = (to_index(work) - first) % block.size();
  for (size_t r = 0; r < kPlanned; ++r) marked[first + r * block.size() + place] = true;
}

// Whether it is of one of the first so many rounds of that loop.
bool is_in_rounds(const LoopBlock& block, int32_t work, size_t rounds) {
  const size_t begin = block.begin - kLike * block.size();
  return to_index(work) >= begin && to_index(work) < begin + rounds * block.size();
}

// Of the products of a loop that a work waits for, those of the rounds that are named.
void find_all_needs(LoopPlan& loops) {
  loops.all_needs = loops.needs;
  loops.is_left.resize(loops.needs.size());
  loops.stands_for_left.resize(loops.needs.size());
  for (const LoopBlock& block : loops.blocks) {
    if (!block.repeats()) continue;
    for (size_t w = block.begin; w < loops.needs.size(); ++w) {
      const bool repeats = w < block.end;
      if (!repeats && w < block.end + block.size()) continue;  // is played by none
      // A round names those of the two before it; what comes after also some of the first, of which then all
      // later ones are meant.
      const size_t end = repeats ? kLike - 2 : kLike;
      const int32_t last = last_product(loops.plan, loops.needs[w]);
      const auto left = [&](int32_t n) {
        const bool is =
            n != last && loops.plan.work(n).kind == WorkKind::compute && is_in_rounds(block, n, end);
        if (is) mark(block, n, loops.is_left);
        if (is && is_in_rounds(block, last, kPlanned)) mark(block, last, loops.stands_for_left);
        if (is) loops.stands_for_left[to_index(last)] = true;
        return is && repeats;
      };
      std::erase_if(loops.all_needs[w], left);
    }
  }
}

bool same_work(const Work& a, const Work& b) {
  const auto costs = [](const Work& w) {
    return std::tuple(w.cost.compute, w.cost.memory, w.cost.latency, w.cost.bandwidth, w.cost.overhead);
  };
  return a.kind == b.kind && costs(a) == costs(b) && a.bytes == b.bytes && a.flops == b.flops &&
         a.padded_flops == b.padded_flops && a.schedule == b.schedule && a.groups == b.groups &&
         a.axis == b.axis && a.algorithm == b.algorithm && a.why == b.why &&
         a.pace.has_value() == b.pace.has_value() && a.alone == b.alone;
}

class Cutter {
 public:
  explicit Cutter(LoopPlan& out) : out_(out) {}

  // Appends the blocks up to and with the alike rounds of one loop; false: it has none.
  bool cut(const SteppedLoop& loop) {
    const auto& works = out_.plan.works;
    size_t begins[kPlanned + 1];
    size_t at = from_;
    while (at < works.size() && works[at].step != loop.step) ++at;
    for (int32_t r = 0; r < kPlanned; ++r) {
      begins[r] = at;
      while (at < works.size() && works[at].step == loop.step + r) ++at;
    }
    begins[kPlanned] = at;
    if (begins[1] == begins[0]) return false;
    for (size_t w = at; w < works.size(); ++w)
      if (works[w].step >= loop.step && works[w].step < loop.step + kPlanned) return false;
    if (!alike(begins) || !ends_cleanly(begins)) return false;
    out_.blocks.push_back({from_, begins[kLike]});
    out_.blocks.push_back(
        {begins[kLike], begins[kLike + 1], loop.rounds - kPlanned + 2, begins[kLike - 1], begins[kLike - 2]});
    from_ = begins[kLike + 2];
    return true;
  }
  void rest() { out_.blocks.push_back({from_, out_.plan.works.size()}); }

 private:
  bool alike(const size_t* begins) const {
    const size_t a = begins[kLike], b = begins[kLike + 1], size = b - a;
    for (int32_t r = 1; r < kPlanned; ++r)
      if (begins[r + 1] - begins[r] != size) return false;
    const int32_t loop = static_cast<int32_t>(begins[0]), reach = static_cast<int32_t>(begins[kLike - 2]);
    for (size_t k = 0; k < size; ++k) {
      if (!same_work(out_.plan.works[a + k], out_.plan.works[b + k])) return false;
      if (out_.plan.works[a + k].synchronises != out_.plan.works[b + k].synchronises) return false;
      Needs moved = that_count(a + k);
      for (int32_t& need : moved) {
        if (need < loop) continue;
        if (need < reach) return false;  // further back than two rounds
        need += static_cast<int32_t>(size);
      }
      if (moved != that_count(b + k)) return false;
    }
    return true;
  }
  // What comes after them waits for nothing of the loop from before them.
  bool ends_cleanly(const size_t* begins) const {
    for (size_t w = begins[kLike + 2]; w < out_.needs.size(); ++w)
      for (const int32_t need : that_count(w))
        if (static_cast<size_t>(need) >= begins[0] && static_cast<size_t>(need) < begins[kLike]) return false;
    return true;
  }

  // Without products before the last.
  Needs that_count(size_t work) const {
    Needs needs = out_.needs[work];
    const int32_t last = last_product(out_.plan, needs);
    std::erase_if(needs, [&](int32_t n) { return n != last && out_.plan.work(n).kind == WorkKind::compute; });
    return needs;
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
      if (!i.called.empty() && i.opcode != Opcode::all_reduce && i.opcode != Opcode::reduce_scatter &&
          i.opcode != Opcode::reduce)
        return std::nullopt;
      continue;
    }
    const auto rounds = known_trip_count(i);
    if (!rounds) return std::nullopt;
    std::set<int32_t> steps;
    for (const CalledComputation& called : i.called) {
      if (called.key != "body") continue;
      for (const Instruction& inside : program.computation(called.computation).instructions) {
        if (inside.opcode == Opcode::while_ || inside.opcode == Opcode::conditional) return std::nullopt;
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
                                           const Fabric& fabric, const ScheduleOptions& options,
                                           const std::stop_token& stop) {
  const auto loops = stepped_loops(program);
  if (!loops) return std::optional<LoopPlan>();
  LoopPlan out;
  TRY(out.program, written_out_shortly(program, kFewestPlanned, kPlanned));
  TRY(out.plan, plan_work(out.program, hardware, fabric, options, stop));
  out.needs = needs_of(out.plan);
  Cutter cutter(out);
  for (const SteppedLoop& loop : *loops)
    if (loop.rounds >= kFewestPlanned && !cutter.cut(loop)) return std::optional<LoopPlan>();
  cutter.rest();
  find_all_needs(out);
  leave_out_earlier_products(out);
  return std::optional(std::move(out));
}

}  // namespace shardscope
