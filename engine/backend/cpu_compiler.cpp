// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/cpu_compiler.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/backend/computation_rewrite.h"
#include "engine/backend/cpu_arithmetic.h"
#include "engine/backend/cpu_fusions.h"
#include "engine/backend/cpu_loops.h"
#include "engine/backend/cpu_plain_form.h"
#include "engine/backend/cpu_pooling.h"
#include "engine/backend/cpu_reductions.h"
#include "engine/backend/cpu_types.h"
#include "engine/backend/equal_work.h"
#include "engine/backend/fuse.h"
#include "engine/backend/loop_rewrite.h"
#include "engine/program/memory/combined_sums.h"

namespace shardscope::inline backend {
namespace {

// Whatever can be done is, before what depends on it: XLA's BFScheduler, for machines of many cores. Sums of
// devices that become one are done together.
class Broad {
 public:
  Broad(const Program& program, const Computation& c)
      : readers_(followers_of(c)),
        together_(combined_sums(program, c, LaidOutFor::cpu)),
        waits_(readers_.size(), 0) {
    find_ranks(c);
    for (auto& of : readers_) std::ranges::sort(of, {}, [&](size_t k) { return ranks_[k]; });
    for (const auto& of : readers_)
      for (const size_t reader : of) ++waits_[reader];
    for (size_t k = 0; k < together_.size(); ++k)
      if (together_[k] >= 0) groups_[together_[k]].push_back(k);
    for (const auto& [number, group] : groups_) missing_[number] = group.size();
  }

  std::vector<size_t> order() {
    std::vector<size_t> first(waits_.size());
    for (size_t k = 0; k < first.size(); ++k) first[ranks_[k]] = k;
    for (const size_t k : first)
      if (waits_[k] == 0) ready(k);
    for (size_t next = 0; next < order_.size(); ++next)
      for (const size_t reader : readers_[order_[next]])
        if (--waits_[reader] == 0) ready(reader);
    // Two groups that wait for each other: as it stands.
    if (order_.size() < waits_.size()) {
      order_.resize(waits_.size());
      std::iota(order_.begin(), order_.end(), size_t{0});
    }
    return std::move(order_);
  }

 private:
  // The place of each in an order in which what the result needs comes first, the first operand before the
  // others: XLA's order of instructions, by which those that can be done at once are.
  void find_ranks(const Computation& c) {
    constexpr size_t kUnseen = std::numeric_limits<size_t>::max(), kOpen = kUnseen - 1;
    ranks_.assign(readers_.size(), kUnseen);
    size_t next = 0;
    std::vector<size_t> open;
    for (size_t k = 0; k < ranks_.size(); ++k) {
      if (!readers_[k].empty()) continue;
      open.push_back(k);
      while (!open.empty()) {
        const size_t at = open.back();
        if (ranks_[at] == kUnseen) {
          ranks_[at] = kOpen;
          std::vector<size_t> needed;
          each_needed(c.instructions[at], [&](size_t before) { needed.push_back(before); });
          std::erase_if(needed, [&](size_t before) { return ranks_[before] != kUnseen; });
          open.insert(open.end(), needed.rbegin(), needed.rend());
          continue;
        }
        open.pop_back();
        if (ranks_[at] == kOpen) ranks_[at] = next++;
      }
    }
  }

  void ready(size_t k) {
    if (together_[k] < 0) {
      order_.push_back(k);
    } else if (--missing_[together_[k]] == 0) {
      const std::vector<size_t>& group = groups_[together_[k]];
      order_.insert(order_.end(), group.begin(), group.end());
    }
  }

  ReadersOf readers_;
  const std::vector<int32_t> together_;  // by place: group; -1: alone
  std::vector<size_t> waits_, order_, ranks_;
  std::map<int32_t, std::vector<size_t>> groups_;
  std::map<int32_t, size_t> missing_;
};

}  // namespace

Result<Program> as_on_cpus(const Program& program, const WidenedTypes& widened, const std::stop_token& stop) {
  Program out = program;
  const std::vector<bool> runs = executed_computations(program);
  FreshNames fresh(program);
  for (size_t c = 0; c < runs.size(); ++c) {
    if (!runs[c]) continue;
    if (stop.stop_requested()) return cancelled();
    Computation& computation = out.computations[c];
    computation = in_plain_arithmetic(computation, program.mesh.device_count() > 1, fresh);
    computation = in_plain_form(program, computation, fresh);
    computation = in_wide_types(program, computation, widened, fresh);
    computation = pooled_by_places(computation, fresh);
    computation = reduced_in_steps(program, computation, fresh);
    computation = without_equal_work(program, computation);
    drop_unread(computation);
  }
  compute_once_for_all_rounds(out, fresh, stop);
  for (size_t c = 0; c < runs.size(); ++c)
    if (runs[c]) out.computations[c] = without_equal_work(program, out.computations[c]);
  TRY(Program fused, fused_by(out, [&](const Computation& computation) {
        return plan_cpu_fusions(out, computation, stop);
      }));
  const std::vector<bool> run = executed_computations(fused);
  for (size_t c = 0; c < run.size(); ++c)
    if (run[c]) reorder(fused.computations[c], Broad(fused, fused.computations[c]).order());
  return fused;
}

}  // namespace shardscope::inline backend
