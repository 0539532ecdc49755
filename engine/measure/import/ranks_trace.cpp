// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/ranks_trace.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/measure/import/module_index.h"
#include "engine/measure/import/trace_builder.h"
#include "engine/program/analysis/analysis.h"

namespace shardscope::inline measure {
namespace {

using Kind = WorkEntry::Kind;

// Which transfer of which instruction; the n-th that was sent is the n-th that came.
auto key_of(const WorkEntry& e) {
  return std::tuple(e.instruction, e.step, e.source, e.target);
}

std::string host_words(const std::vector<std::string>& hosts) {
  const std::set<std::string> names(hosts.begin(), hosts.end());
  return fmt::format("{} on {}", counted(hosts.size(), "rank"),
                     join(std::vector<std::string>(names.begin(), names.end()), ", "));
}

class RanksTrace {
 public:
  explicit RanksTrace(const Cluster& cluster)
      : program_(cluster.logged()), index_(ModuleIndex::of(program_)), cluster_(cluster) {
    for (const Computation& c : program_->computations)
      for (const Instruction& i : c.instructions) instructions_.push_back(&i);
  }

  Result<MeasuredTrace> make(const std::string& title, const std::stop_token& stop) {
    for (int64_t d = 0; d < cluster_.division().devices; ++d) {
      const int rank = cluster_.division().rank_of(DeviceId(d));
      TRY(const int16_t device, builder_.device(fmt::format("device {} (rank {}, {})", d, rank,
                                                            cluster_.hosts()[static_cast<size_t>(rank)])));
      devices_.push_back(device);
    }
    TRY(work_, builder_.lane("compute"));
    TRY(collectives_, builder_.lane("collectives"));
    TRY(transfers_, builder_.lane("transfers"));
    for (const WorkEntry& entry : cluster_.log()) {
      if (entry.instruction < 0) continue;
      if (entry.kind == Kind::worked) TRY_VOID(add_work(entry));
      if (entry.kind == Kind::came) TRY_VOID(add_transfer(entry));
    }
    TRY_VOID(add_whole());
    Modules none;
    TRY(Profile profile, builder_.finish(none, stop));
    MeasuredTrace trace = std::move(profile.trace);
    trace.format = "mpi";
    trace.source = host_words(cluster_.hosts());
    trace.title = title;
    trace.devices = static_cast<int32_t>(trace.device_names.size());
    trace.event_count = std::ssize(trace.events);
    trace.notes.emplace_back(
        "Products that are added up as they are made are one: they share its time evenly");
    trace.notes.emplace_back("Ranks of one host share its cores and its memory: a transfer is a copy there");
    return trace;
  }

 private:
  const Instruction& instruction(const WorkEntry& entry) const {
    return *instructions_[static_cast<size_t>(entry.instruction)];
  }
  static ClockTime time(int64_t ns) { return {ns, 0}; }
  static Picoseconds span(const WorkEntry& entry) { return (entry.end - entry.start) * 1000; }

  // The run is the step.
  Result<void> add_whole() {
    const std::vector<WorkEntry>& log = cluster_.log();
    if (log.empty()) return {};
    const int64_t start = std::ranges::min_element(log, {}, &WorkEntry::start)->start;
    const int64_t end = std::ranges::max_element(log, {}, &WorkEntry::end)->end;
    return builder_.add_step(time(start), (end - start) * 1000, devices_.front());
  }

  Result<void> add_work(const WorkEntry& entry) {
    const Instruction& what = instruction(entry);
    ProfiledOperation facts;
    facts.op = what.name;
    index_.join(facts);
    const bool talks = is_collective(what.opcode);
    TRY(const int32_t operation, builder_.operation(facts));
    for (const DeviceId device : cluster_.division().devices_of(entry.rank)) {
      MeasuredEvent event;
      event.device = devices_[static_cast<size_t>(device.value)];
      event.lane = talks ? collectives_ : work_;
      event.operation = operation;
      if (talks) {
        TRY(event.wait, builder_.members(group_words(what, device)));
      }
      TRY_VOID(builder_.add(time(entry.start), span(entry), event));
    }
    return {};
  }

  // The devices that take part in it together with this one.
  std::string group_words(const Instruction& what, DeviceId device) {
    auto [known, fresh] = groups_.try_emplace(&what);
    if (fresh && what.opcode != Opcode::collective_permute) known->second = device_groups(*program_, what);
    for (const std::vector<DeviceId>& group : known->second) {
      if (std::ranges::find(group, device) == group.end()) continue;
      std::vector<std::string> words;
      for (const DeviceId member : group) words.push_back(std::to_string(member.value));
      return join(words, ",");
    }
    return "all";
  }

  Result<void> add_transfer(const WorkEntry& entry) {
    ProfiledOperation facts;
    facts.op = fmt::format("{}: a transfer", instruction(entry).name);
    facts.kind = MeasuredKind::copy;
    facts.opcode = kTransfer;
    facts.bytes = entry.bytes;
    facts.matched = true;
    TRY(const int32_t operation, builder_.operation(facts));
    MeasuredEvent event;
    event.device = devices_[static_cast<size_t>(entry.target)];
    event.lane = transfers_;
    event.operation = operation;
    return builder_.add(time(entry.start), span(entry), event);
  }

  std::shared_ptr<const Program> program_;
  ModuleIndex index_;
  const Cluster& cluster_;
  std::vector<const Instruction*> instructions_;  // by Program::global_index
  std::map<const Instruction*, std::vector<std::vector<DeviceId>>> groups_;
  TraceBuilder builder_;
  std::vector<int16_t> devices_;
  int16_t work_ = 0, collectives_ = 0, transfers_ = 0;
};

class PathWalk {
 public:
  PathWalk(const Program& program, const Cluster& cluster) : log_(cluster.log()) {
    std::vector<char> talks;
    for (const Computation& c : program.computations)
      for (const Instruction& i : c.instructions) talks.push_back(is_collective(i.opcode) ? 1 : 0);
    std::map<Key, std::vector<const WorkEntry*>> sent;
    for (const WorkEntry& e : log_)
      if (e.kind == Kind::sent) sent[key_of(e)].push_back(&e);
    std::map<Key, size_t> taken;
    for (const WorkEntry& e : log_) {
      start_ = begun_ ? std::min(start_, e.start) : e.start;
      begun_ = true;
      if (e.kind == Kind::sent || e.instruction < 0) continue;
      if (e.kind == Kind::worked && talks[static_cast<size_t>(e.instruction)] != 0) continue;
      Link link{&e, e.start, e.rank};
      if (e.kind == Kind::came) {
        const auto& from = sent[key_of(e)];
        const size_t place = taken[key_of(e)]++;
        if (place < from.size() && from[place]->start > e.start)
          link = {&e, from[place]->start, from[place]->rank};
      }
      by_rank_[e.rank].push_back(link);
    }
    for (auto& [rank, links] : by_rank_)
      std::ranges::stable_sort(links, {}, [](const Link& link) { return link.entry->end; });
  }

  MeasuredPath walk(const Division& division) const {
    MeasuredPath out;
    const Link* at = nullptr;
    for (const auto& [rank, links] : by_rank_)
      if (!links.empty() && (at == nullptr || links.back().entry->end > at->entry->end)) at = &links.back();
    if (at == nullptr) return out;
    const auto seconds = [](int64_t ns) { return static_cast<double>(std::max<int64_t>(ns, 0)) * 1e-9; };
    out.total_s = seconds(at->entry->end - start_);
    const std::vector<DeviceId> here = division.devices_of(at->entry->rank);
    out.device = at->entry->kind == Kind::came ? at->entry->target : here.front().value;
    for (size_t steps = 0; at != nullptr && steps <= log_.size(); ++steps) {
      ++out.events;
      const int64_t ready = std::min(at->ready, at->entry->end);
      (at->entry->kind == Kind::worked ? out.work_s : out.transfer_s) += seconds(at->entry->end - ready);
      const Link* const before = last_before(at->rank, ready, at);
      out.between_s += seconds(ready - (before != nullptr ? before->entry->end : start_));
      at = before;
    }
    return out;
  }

 private:
  using Key = decltype(key_of(std::declval<const WorkEntry&>()));
  // An event, when it could begin, and on whose account it began then.
  struct Link {
    const WorkEntry* entry;
    int64_t ready;
    int rank;
  };

  // The last event of a rank that was over by `time`.
  const Link* last_before(int rank, int64_t time, const Link* than) const {
    const auto found = by_rank_.find(rank);
    if (found == by_rank_.end()) return nullptr;
    const std::vector<Link>& links = found->second;
    auto it = std::ranges::upper_bound(links, time, {}, [](const Link& link) { return link.entry->end; });
    while (it != links.begin()) {
      --it;
      if (&*it != than && it->ready < time) return &*it;
    }
    return nullptr;
  }

  const std::vector<WorkEntry>& log_;
  std::map<int, std::vector<Link>> by_rank_;  // by end
  int64_t start_ = 0;
  bool begun_ = false;
};

}  // namespace

Result<MeasuredTrace> ranks_trace(const Cluster& cluster, const std::string& title,
                                  const std::stop_token& stop) {
  CHECK(cluster.logged() != nullptr);
  return RanksTrace(cluster).make(title, stop);
}

MeasuredPath measured_path(const Cluster& cluster) {
  CHECK(cluster.logged() != nullptr);
  return PathWalk(*cluster.logged(), cluster).walk(cluster.division());
}

}  // namespace shardscope::inline measure
