// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/overlap.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "engine/backend/async_collectives.h"
#include "engine/backend/collective_links.h"
#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/analysis/async_pairs.h"

namespace shardscope::inline backend {
namespace {

constexpr size_t kMostNamed = 3;             // in a sentence
constexpr size_t kMostBeside = 256;          // named in a row
constexpr int64_t kMostLooks = 200'000'000;  // at instructions, for all sentences together

bool is_plain_collective(const Instruction& i) {
  return is_collective(i.opcode) && !is_start(i);
}

class OverlapFinder {
 public:
  OverlapFinder(const Program& program, ComputationId id, const Hardware& hardware,
                const std::vector<Picoseconds>& times, const ScheduledBy& by)
      : program_(program),
        c_(program.computation(id)),
        first_(static_cast<size_t>(program.global_index(id, InstructionId(0)))),
        hardware_(hardware),
        times_(times),
        by_(by) {
    for (size_t k = 0; k < c_.instructions.size(); ++k) {
      if (ends_start(at(k)) && !at(k).operands.empty())
        end_of_[static_cast<size_t>(at(k).operands.front().value)] = k;
      if (!is_work(k)) continue;
      work_.push_back(k);
      work_time_.push_back(work_time_.back() + time(k));
    }
    take_under_way();
  }

  Result<void> find(int64_t& looks, const std::stop_token& stop, std::vector<CollectiveOverlap>& out) const {
    for (size_t k = 0; k < c_.instructions.size(); ++k) {
      const auto end = end_of_.find(k);
      const bool pair = end != end_of_.end() && is_collective(plain_opcode(k));
      if (!pair && !is_plain_collective(at(k))) continue;
      if (stop.stop_requested()) return cancelled();
      CollectiveOverlap& row = out.emplace_back();
      row.name = at(k).name;
      row.asynchronous = pair;
      row.time = time(k);
      row.link = words_of(link_of(program_, at(k), hardware_), hardware_);
      if (pair) {
        say_hidden(k, end->second, row);
      } else {
        looks += static_cast<int64_t>(c_.instructions.size());
        row.words = looks > kMostLooks ? said("nothing runs beside it") : why_not(k);
      }
    }
    return {};
  }

 private:
  const Instruction& at(size_t k) const { return c_.instructions[k]; }
  Opcode plain_opcode(size_t k) const { return is_start(at(k)) ? started_opcode(at(k)) : at(k).opcode; }
  Picoseconds time(size_t k) const { return times_.empty() ? 0 : times_[first_ + k]; }
  bool is_work(size_t k) const {
    return !is_free(at(k)) && !is_start(at(k)) && !ends_start(at(k)) && !is_plain_collective(at(k));
  }

  // "fusion.2, dot.3 and 4 more".
  std::string names(std::span<const size_t> places) const {
    std::vector<std::string> out;
    for (const size_t k : places)
      if (out.size() < kMostNamed) out.push_back(at(k).name);
    const std::string listed = join(out, ", ");
    return places.size() <= kMostNamed ? listed : say("{} and {} more", listed, places.size() - kMostNamed);
  }

  void say_hidden(size_t start, size_t end, CollectiveOverlap& row) const {
    const auto first = std::ranges::lower_bound(work_, start), last = std::ranges::lower_bound(work_, end);
    const std::span<const size_t> beside(first, last);
    const Picoseconds work = work_time_[static_cast<size_t>(last - work_.begin())] -
                             work_time_[static_cast<size_t>(first - work_.begin())];
    for (const size_t k : beside.first(std::min(beside.size(), kMostBeside)))
      row.beside.push_back(at(k).name);
    row.hidden = std::min(work, row.time);
    const std::string who = names(beside);
    if (times_.empty())
      row.words = say("runs beside {}", who);
    else if (work >= row.time)
      row.words = say("hidden: its {} pass behind {} ({})", format_picoseconds(row.time), who,
                      format_picoseconds(work));
    else
      row.words = say("hidden for {} of its {}, behind {}", format_picoseconds(work),
                      format_picoseconds(row.time), who);
  }

  // Whether each is needed for the k-th, or waits for it.
  std::vector<bool> bound_to(size_t k) const {
    std::vector<bool> needed(c_.instructions.size()), waits(c_.instructions.size());
    needed[k] = waits[k] = true;
    for (size_t n = k + 1; n-- > 0;)
      if (needed[n]) each_needed(at(n), [&](size_t before) { needed[before] = true; });
    for (size_t n = k + 1; n < needed.size(); ++n)
      each_needed(at(n), [&](size_t before) { waits[n] = waits[n] || waits[before]; });
    for (size_t n = 0; n < needed.size(); ++n) needed[n] = needed[n] || waits[n];
    return needed;
  }

  // By place the first collective in whose time it runs.
  void take_under_way() {
    under_way_.resize(c_.instructions.size());
    std::set<size_t> open;
    for (size_t k = 0; k < under_way_.size(); ++k) {
      if (ends_start(at(k)) && !at(k).operands.empty()) {
        const auto start = static_cast<size_t>(at(k).operands.front().value);
        if (end_of_.at(start) == k) open.erase(start);
      }
      if (!open.empty()) under_way_[k] = *open.begin();
      if (end_of_.contains(k)) open.insert(k);
    }
  }

  std::string why_not(size_t k) const {
    const std::vector<bool> bound = bound_to(k);
    std::vector<size_t> free;
    std::optional<size_t> taken_by;
    for (size_t n = 0; n < bound.size(); ++n) {
      if (bound[n] || !is_work(n)) continue;
      if (const auto other = by_.latency_hiding ? under_way_[n] : std::nullopt)
        taken_by = other;
      else
        free.push_back(n);
    }
    if (!free.empty() && !by_.latency_hiding && by_.can_be_asked)
      return say(
          "not hidden: {} could run beside it, but stands elsewhere; --xla-flag "
          "xla_gpu_enable_latency_hiding_scheduler=true moves it",
          names(free));
    if (!free.empty()) return say("not hidden: {} could run beside it, but is elsewhere", names(free));
    if (taken_by)
      return say("not hidden: what could run beside it runs beside {}, and {} under way at once",
                 at(*taken_by).name, in_flight_words());
    const auto reader = first_reader(k);
    return reader ? say("not hidden: {} waits for it, and all other work is needed for it or waits too",
                        at(*reader).name)
                  : said("not hidden: all other work is needed for it");
  }

  std::string in_flight_words() const {
    return say_count("{} collective is", "{} collectives are", by_.in_flight);
  }

  // The first work that reads it, through what is free.
  std::optional<size_t> first_reader(size_t k) const {
    std::vector<bool> same(c_.instructions.size());
    same[k] = true;
    for (size_t n = k + 1; n < same.size(); ++n) {
      const bool reads = std::ranges::any_of(
          at(n).operands, [&](InstructionId id) { return same[static_cast<size_t>(id.value)]; });
      if (reads && !is_free(at(n))) return n;
      same[n] = reads;
    }
    return std::nullopt;
  }

  const Program& program_;
  const Computation& c_;
  size_t first_;  // the number of its first instruction
  const Hardware& hardware_;
  const std::vector<Picoseconds>& times_;
  const ScheduledBy& by_;
  std::map<size_t, size_t> end_of_;                 // by start
  std::vector<size_t> work_;                        // places
  std::vector<Picoseconds> work_time_{0};           // of all work before each of these
  std::vector<std::optional<size_t>> under_way_{};  // by place: in whose time it is; none: in nobody's
};

}  // namespace

Result<std::vector<CollectiveOverlap>> collective_overlaps(const Program& program, const Hardware& hardware,
                                                           const std::vector<Picoseconds>& times,
                                                           const ScheduledBy& by,
                                                           const std::stop_token& stop) {
  std::vector<CollectiveOverlap> out;
  int64_t looks = 0;
  const std::vector<bool> runs = executed_computations(program);
  for (size_t c = 0; c < runs.size(); ++c) {
    if (stop.stop_requested()) return cancelled();
    if (!runs[c] || program.computations[c].instructions.empty()) continue;
    const OverlapFinder finder(program, ComputationId(static_cast<int64_t>(c)), hardware, times, by);
    TRY_VOID(finder.find(looks, stop, out));
  }
  return out;
}

}  // namespace shardscope::inline backend
