// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/collectives/schedule.h"
#include "engine/schedule/events/moment.h"

namespace shardscope::inline scheduler {

// Steps of a collective that all ranks of some groups begin at one time, with messages of one size: as long
// as no link of theirs is wanted by anybody else, a step is played in one loop over its messages, and nothing
// is kept of a single one but its event. Every message of a step is followed by one of the next that waits
// for it alone.
struct Lockstep {
  struct Message {
    int32_t device = 0, next = 0;  // from and to, over one link,
    int32_t lane = 0;              // which is this
    int32_t run = 0, rank = 0;     // of the collective; the rank that sends it
    int32_t slot = 0;              // which of what that sends
    int32_t chunk = 0;
    int64_t cause = -1;  // the event (EventRef) by which it is ready
  };
  int32_t work = 0, step = 0;
  int64_t bytes = 0;              // of a message
  Moment ready;                   // the messages wait since then
  bool goes_straight = true;      // each is at its target after its link
  std::vector<Message> messages;  // in the order in which they ask for their links
};

// How the messages of a rank in a step of a symmetric schedule go on: by what rank 0 sends.
class LockstepPattern {
 public:
  struct Sent {
    int32_t distance = 0;  // in ranks, to the target; >= 0
    int8_t direction = 0;
    int32_t chunk = 0;
    int32_t after = 0;  // the slot of the message that follows it
  };
  // Whether a schedule may be played so at all.
  static bool suits(const CollectiveSchedule& schedule, const std::vector<int32_t>& axes);
  // Reads `step` and the one after it; false: not all messages are of one size or followed one by one.
  bool read(const CollectiveSchedule& schedule, int32_t step);
  // By slot: what goes in the step, and in the one after it.
  const std::vector<Sent>& now() const { return now_; }
  const std::vector<Sent>& then() const { return then_; }
  int32_t count() const { return count_; }  // chunks of a message of the step

 private:
  bool follow(const CollectiveSchedule& schedule, int32_t step);

  std::vector<Sent> now_, then_;
  int32_t count_ = 0;
  std::vector<Transfer> sent_, next_, come_;
};

class CollectiveRun;
class Simulator;

// The locksteps of a simulation, which keeps lanes, calendar and collectives under way.
class Locksteps {
 public:
  // `allowed`: every device is played, and all links are alike.
  Locksteps(Simulator& of, bool allowed) : of_(of), allowed_(allowed) {}
  // Plays what asks when it is nothing but a step of a collective that all ranks of some groups begin; or
  // what happens, when it is nothing but the next step.
  bool begins();
  bool goes_on();
  // The messages of a lockstep ask one by one, from where they stand.
  void end(int32_t number);

 private:
  bool all_begin();
  void take_up(Lockstep& it, const Moment& ready);
  bool links_are_idle(const Lockstep& it);
  bool play(Lockstep& it);
  int64_t record(const Lockstep& it, const Lockstep::Message& message, Picoseconds end);
  void go_on(int32_t number);
  static bool waits_at(const CollectiveRun& run, int32_t step);
  static void resume(CollectiveRun& run, int32_t step, const Moment& latest);

  Simulator& of_;
  bool allowed_;
  std::vector<Lockstep> all_;
  std::vector<int32_t> spare_;
  LockstepPattern pattern_;
  std::vector<int32_t> asked_of_run_;
};

}  // namespace shardscope::inline scheduler
