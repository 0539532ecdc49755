// SPDX-License-Identifier: Apache-2.0
#include "engine/cluster/listed_schedule.h"

#include <map>
#include <utility>

namespace shardscope::inline cluster {
namespace {

size_t at(int32_t i) {
  return static_cast<size_t>(i);
}

struct Lists {
  std::vector<std::vector<Transfer>> sent;   // by step · ranks + source
  std::vector<std::vector<int32_t>> chunks;  // by transfer in that order
  std::vector<int32_t> home, goal;           // by chunk
};

class ListedSchedule final : public CollectiveSchedule {
 public:
  ListedSchedule(const Outline& outline, Lists lists)
      : CollectiveSchedule(outline), lists_(std::move(lists)) {
    size_t number = 0;
    for (const std::vector<Transfer>& list : lists_.sent)
      for (const Transfer& t : list)
        chunks_of_.try_emplace(std::tuple(t.step, t.source, t.target, t.chunk, t.count), number++);
  }

  void append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const override {
    const std::vector<Transfer>& list = lists_.sent[at(step) * at(ranks()) + at(source)];
    out.insert(out.end(), list.begin(), list.end());
  }
  int32_t home(int32_t chunk) const override { return lists_.home[at(chunk)]; }
  int32_t goal(int32_t chunk) const override { return lists_.goal[at(chunk)]; }
  void append_chunks(const Transfer& t, std::vector<int32_t>& out) const override {
    const std::vector<int32_t>& chunks =
        lists_.chunks[chunks_of_.at({t.step, t.source, t.target, t.chunk, t.count})];
    out.insert(out.end(), chunks.begin(), chunks.end());
  }

 private:
  Lists lists_;
  std::map<std::tuple<int32_t, int32_t, int32_t, int32_t, int32_t>, size_t> chunks_of_;
};

void put_schedule(const CollectiveSchedule& schedule, PacketWriter& out) {
  out.put(schedule.outline());
  for (int32_t step = 0; step < schedule.steps(); ++step) {
    for (int32_t source = 0; source < schedule.ranks(); ++source) {
      std::vector<Transfer> sent;
      schedule.append_from(step, source, sent);
      out.put_all(sent);
      for (const Transfer& transfer : sent) {
        std::vector<int32_t> chunks;
        schedule.append_chunks(transfer, chunks);
        out.put_all(chunks);
      }
    }
  }
  const bool exchanges = schedule.kind() == CollectiveKind::all_to_all;
  for (int32_t chunk = 0; chunk < schedule.chunks(); ++chunk) {
    out.put(schedule.home(chunk));
    out.put(exchanges ? schedule.goal(chunk) : -1);
  }
}

std::shared_ptr<const CollectiveSchedule> get_schedule(PacketReader& in) {
  const auto outline = in.get<CollectiveSchedule::Outline>();
  Lists lists;
  for (int32_t place = 0; place < outline.steps * outline.ranks; ++place) {
    lists.sent.push_back(in.get_all<Transfer>());
    for (size_t t = 0; t < lists.sent.back().size(); ++t) lists.chunks.push_back(in.get_all<int32_t>());
  }
  for (int32_t chunk = 0; chunk < outline.chunks; ++chunk) {
    lists.home.push_back(in.get<int32_t>());
    lists.goal.push_back(in.get<int32_t>());
  }
  return std::make_shared<const ListedSchedule>(outline, std::move(lists));
}

}  // namespace

void put_schedules(const std::vector<TimedCollective>& schedules, PacketWriter& out) {
  std::map<const CollectiveSchedule*, int64_t> numbers;
  out.put(std::ssize(schedules));
  for (const TimedCollective& timed : schedules) {
    out.put(timed.instruction);
    const auto [known, fresh] = numbers.try_emplace(timed.schedule.get(), std::ssize(numbers));
    out.put(fresh);
    if (fresh)
      put_schedule(*timed.schedule, out);
    else
      out.put(known->second);
  }
}

std::vector<TimedCollective> get_schedules(PacketReader& in) {
  std::vector<std::shared_ptr<const CollectiveSchedule>> known;
  std::vector<TimedCollective> out(static_cast<size_t>(in.get<std::ptrdiff_t>()));
  for (TimedCollective& timed : out) {
    timed.instruction = in.get<int32_t>();
    if (in.get<bool>())
      timed.schedule = known.emplace_back(get_schedule(in));
    else
      timed.schedule = known[static_cast<size_t>(in.get<int64_t>())];
  }
  return out;
}

}  // namespace shardscope::inline cluster
