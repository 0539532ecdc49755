// SPDX-License-Identifier: Apache-2.0
// Calls of kernels that all devices of a ring make together.
#include <algorithm>

#include "engine/schedule/simulator.h"

namespace shardscope {

void Simulator::join_call(int32_t w, int32_t device, const Moment& moment) {
  const Work& it = plan_.work(w);
  const size_t group = static_cast<size_t>(it.groups->group_of[static_cast<size_t>(device)]);
  const std::vector<int32_t>& ring = it.groups->members[group];
  Joined& joined = joined_[static_cast<size_t>(first_run_[static_cast<size_t>(w)]) + group];
  joined.ready.no_earlier_than(moment);
  if (++joined.devices < static_cast<int32_t>(ring.size())) return;
  const Moment start = call_start(it, ring, joined.ready);
  std::vector<Moment> ends;
  for (const int32_t member : ring) {
    Moment end = start.after(it.cost);
    if (recorder_.keeps_events()) {
      Event e;
      e.start = start.time;
      e.end = end.time;
      e.device = member;
      e.lane = static_cast<int16_t>(fabric_.copy_lane());
      e.kind = EventKind::copy;
      e.instruction = it.global_index;
      e.step = it.step;
      e.bytes = it.bytes;
      end.event = recorder_.add(e, start.event, {});
    }
    recorder_.count(end, member, fabric_.copy_lane(), w);
    lanes_[static_cast<size_t>(routes_.number(member, fabric_.copy_lane()))].free = end;
    lanes_[static_cast<size_t>(routes_.number(member, 0))].free = end;
    spans_[place(w, member)].start = start.time;
    ends.push_back(end);
  }
  for (const CallMessage& message : it.call->messages)
    send(it, w, ring, message, start, ends[static_cast<size_t>(message.rank)]);
  for (size_t r = 0; r < ring.size(); ++r) finish_at(w, ring[r], ends[r]);
}

// Copies of the call begin when the copy lanes and the links that it takes are free.
Moment Simulator::call_start(const Work& it, const std::vector<int32_t>& ring, const Moment& ready) {
  Moment start = ready;
  for (const int32_t member : ring) {
    start.no_earlier_than(lanes_[static_cast<size_t>(routes_.number(member, fabric_.copy_lane()))].free);
    start.no_earlier_than(lanes_[static_cast<size_t>(routes_.number(member, 0))].free);
  }
  for (const CallMessage& message : it.call->messages) {
    LaneRequest link;
    route(link, ring[static_cast<size_t>(message.rank)], ring[static_cast<size_t>(message.target)], 1);
    start.no_earlier_than(lanes_[static_cast<size_t>(link.lane)].free);
  }
  return start;
}

void Simulator::send(const Work& it, int32_t w, const std::vector<int32_t>& ring, const CallMessage& message,
                     const Moment& start, const Moment& end) {
  const int32_t source = ring[static_cast<size_t>(message.rank)];
  const int32_t target = ring[static_cast<size_t>(message.target)];
  LaneRequest link;
  route(link, source, target, 1);
  link.source = source;
  const Picoseconds from = start.time + message.start, to = start.time + message.end;
  Moment passed = end;
  passed.time = to;
  if (recorder_.keeps_events()) {
    Event e;
    e.start = from;
    e.end = to;
    e.relayed = message.relayed;
    e.device = source;
    e.lane = static_cast<int16_t>(routes_.lane_of(source, link.lane));
    e.kind = EventKind::transfer;
    e.instruction = it.global_index;
    e.step = it.step;
    e.transfer_step = message.step;
    e.peer = target;
    e.bytes = message.bytes;
    recorder_.add(e, start.event, {});
  }
  recorder_.count(passed, source, routes_.lane_of(source, link.lane), w);
  LaneState& lane = lanes_[static_cast<size_t>(link.lane)];
  lane.free.no_earlier_than(passed);
  recorder_.communicates(source, from, to);
  if (link.next == target) {
    recorder_.totals(target).bytes_received += message.bytes;
    recorder_.communicates(target, from, to);
  }
  if (message.relayed) {
    recorder_.totals(source).bytes_relayed += message.bytes;
    return;
  }
  bytes_sent_[static_cast<size_t>(w)] += message.bytes;
  recorder_.totals(source).bytes_sent += message.bytes;
}

}  // namespace shardscope
