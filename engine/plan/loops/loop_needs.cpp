// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/loops/loop_needs.h"

#include <algorithm>
#include <set>
#include <utility>

namespace shardscope::inline planner {
namespace {

// The last work of those that computes; -1: none.
int32_t last_product(const WorkPlan& plan, const Needs& needs) {
  int32_t last = -1;
  for (const int32_t n : needs)
    if (plan.work(n).kind == WorkKind::compute) last = n;
  return last;
}

// A work's place in each of the rounds that are planned of the loop whose repeated rounds `block` has.
void mark(const LoopBlock& block, int32_t work, std::vector<bool>& marked) {
  const size_t first = block.loop();
  const size_t place = (to_index(work) - first) % block.size();
  for (int32_t r = 0; r < kPlannedRounds; ++r) marked[first + to_index(r) * block.size() + place] = true;
}

// Whether a device has what a collective makes no sooner than its own part in it: what a permute or a
// broadcast brings needs nothing of its receiver.
bool waits_for_own_part(const Work& work) {
  if (work.kind != WorkKind::collective) return true;
  if (work.schedule == nullptr) return false;
  const CollectiveKind kind = work.schedule->kind();
  return kind != CollectiveKind::permute && kind != CollectiveKind::broadcast;
}

// All that is done before what a work waits for is.
std::vector<bool> done_before(const LoopPlan& loops, size_t work) {
  std::vector<bool> out(loops.needs.size());
  Needs open = loops.needs[work];
  while (!open.empty()) {
    const int32_t n = open.back();
    open.pop_back();
    if (!waits_for_own_part(loops.plan.work(n))) continue;
    for (const int32_t before : loops.needs[to_index(n)]) {
      if (out[to_index(before)]) continue;
      out[to_index(before)] = true;
      open.push_back(before);
    }
  }
  return out;
}

}  // namespace

std::vector<Needs> needs_of(const WorkPlan& plan) {
  const size_t works = plan.works.size(), nodes = plan.waits_for.size();
  std::vector<Needs> out(nodes);
  for (size_t n = 0; n < nodes; ++n)
    for (int32_t r = plan.first_reader[n]; r < plan.first_reader[n + 1]; ++r)
      out[to_index(plan.readers[to_index(r)])].push_back(static_cast<int32_t>(n));
  // Joins wait for works and earlier joins.
  const auto look_through = [&](size_t node) {
    std::set<int32_t> seen;
    for (const int32_t n : out[node]) {
      if (to_index(n) < works) seen.insert(n);
      if (to_index(n) >= works) seen.insert(out[to_index(n)].begin(), out[to_index(n)].end());
    }
    out[node] = {seen.begin(), seen.end()};
  };
  for (size_t n = works; n < nodes; ++n) look_through(n);
  for (size_t w = 0; w < works; ++w) look_through(w);
  out.resize(works);
  return out;
}

Needs that_count(const LoopPlan& loops, size_t work) {
  Needs needs = loops.needs[work];
  const int32_t last = last_product(loops.plan, needs);
  std::erase_if(needs, [&](int32_t n) { return n != last && loops.plan.work(n).kind == WorkKind::compute; });
  return needs;
}

void leave_out_implied(LoopPlan& loops, size_t loop, const LoopBlock& round) {
  const auto of_many_rounds = [&](int32_t n) {
    return to_index(n) >= loop && to_index(n) < round.end && loops.plan.work(n).kind != WorkKind::compute;
  };
  for (size_t w = round.rest(); w < loops.needs.size(); ++w) {
    Needs& needs = loops.needs[w];
    if (std::ranges::none_of(needs, of_many_rounds)) continue;
    const std::vector<bool> before = done_before(loops, w);
    if (std::ranges::all_of(needs, [&](int32_t n) { return !of_many_rounds(n) || before[to_index(n)]; }))
      std::erase_if(needs, [&](int32_t n) { return before[to_index(n)] && of_many_rounds(n); });
  }
}

void leave_out_earlier_products(LoopPlan& loops) {
  loops.is_left.resize(loops.needs.size());
  loops.stands_for_left.resize(loops.needs.size());
  for (const LoopBlock& block : loops.blocks) {
    if (!block.repeats()) continue;
    for (size_t w = block.begin; w < loops.needs.size(); ++w) {
      const bool repeats = w < block.end;
      if (!repeats && w < block.rest()) continue;  // is played by none
      // A round names those of the few before it; what comes after also some of the first, of which then all
      // later ones are meant.
      const int32_t end = repeats ? 1 : kFirstLike;
      const int32_t last = last_product(loops.plan, loops.needs[w]);
      const auto left = [&](int32_t n) {
        const bool is =
            n != last && loops.plan.work(n).kind == WorkKind::compute && block.has_in_rounds(n, end);
        if (is) mark(block, n, loops.is_left);
        if (is && block.has_in_rounds(last, kPlannedRounds)) mark(block, last, loops.stands_for_left);
        if (is) loops.stands_for_left[to_index(last)] = true;
        return is;
      };
      std::erase_if(loops.needs[w], left);
    }
  }
}

}  // namespace shardscope::inline planner
