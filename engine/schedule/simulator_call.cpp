// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/schedule/simulator.h"

namespace shardscope::inline scheduler {

Moment& JointCalls::free(int32_t lane) {
  return of_.lanes_[static_cast<size_t>(lane)].free;
}

void JointCalls::join(int32_t w, int32_t device, const Moment& moment) {
  const Work& it = of_.plan_.work(w);
  const size_t group = static_cast<size_t>(it.groups->group_of[static_cast<size_t>(device)]);
  const std::vector<int32_t>& ring = it.groups->members[group];
  joined_.resize(of_.runs_.size());
  Joined& joined = joined_[static_cast<size_t>(of_.first_run_[static_cast<size_t>(w)]) + group];
  joined.ready.no_earlier_than(moment);
  if (++joined.devices < static_cast<int32_t>(ring.size())) return;
  const Moment begins = start(it, ring, joined.ready);
  std::vector<Moment> ends;
  for (const int32_t member : ring) {
    Moment end = begins.after(it.cost);
    if (of_.recorder_.keeps_events()) {
      Event e = event_of(it, EventKind::copy, member, of_.fabric_.copy_lane(), {begins.time, end.time});
      end.event = of_.recorder_.add(e, begins.event, {});
    }
    of_.recorder_.count(end, member, of_.fabric_.copy_lane(), w);
    for (const int32_t lane : {of_.fabric_.copy_lane(), 0}) free(of_.routes_.number(member, lane)) = end;
    of_.spans_[of_.place(w, member)].start = begins.time;
    ends.push_back(end);
  }
  for (const CallMessage& message : it.call->messages)
    send(w, ring, message, begins, ends[static_cast<size_t>(message.rank)]);
  for (size_t r = 0; r < ring.size(); ++r) of_.put_by(LaneRequest::Kind::result, w, ring[r], ends[r]);
}

// Copies of the call begin when the copy lanes and the links that it takes are free.
Moment JointCalls::start(const Work& it, const std::vector<int32_t>& ring, const Moment& ready) {
  Moment start = ready;
  for (const int32_t member : ring) {
    for (const int32_t lane : {of_.fabric_.copy_lane(), 0})
      start.no_earlier_than(free(of_.routes_.number(member, lane)));
  }
  for (const CallMessage& message : it.call->messages) {
    LaneRequest link;
    of_.route(link, ring[static_cast<size_t>(message.rank)], ring[static_cast<size_t>(message.target)], 1);
    start.no_earlier_than(free(link.lane));
  }
  return start;
}

void JointCalls::send(int32_t w, const std::vector<int32_t>& ring, const CallMessage& message,
                      const Moment& start, const Moment& end) {
  const Work& it = of_.plan_.work(w);
  const int32_t source = ring[static_cast<size_t>(message.rank)];
  const int32_t target = ring[static_cast<size_t>(message.target)];
  LaneRequest link;
  of_.route(link, source, target, 1);
  link.source = source;
  const Picoseconds from = start.time + message.start, to = start.time + message.end;
  Moment passed = end;
  passed.time = to;
  if (of_.recorder_.keeps_events()) {
    Event e = event_of(it, EventKind::transfer, source, of_.routes_.lane_of(source, link.lane), {from, to});
    e.relayed = message.relayed;
    e.transfer_step = message.step;
    e.peer = target;
    e.bytes = message.bytes;
    of_.recorder_.add(e, start.event, {});
  }
  of_.recorder_.count(passed, source, of_.routes_.lane_of(source, link.lane), w);
  free(link.lane).no_earlier_than(passed);
  of_.recorder_.of(source).communicates({from, to});
  if (link.next == target) {
    of_.recorder_.totals(target).bytes_received += message.bytes;
    of_.recorder_.of(target).communicates({from, to});
  }
  if (message.relayed) {
    of_.recorder_.totals(source).bytes_relayed += message.bytes;
    return;
  }
  of_.bytes_sent_[static_cast<size_t>(w)] += message.bytes;
  of_.recorder_.totals(source).bytes_sent += message.bytes;
}

}  // namespace shardscope::inline scheduler
