// SPDX-License-Identifier: Apache-2.0
// Plays what devices do alike once for all of them, on any mesh.
//
// A mesh falls apart into devices, each with its compute and copy lanes, and sections, the lines (planes, …)
// along the axes that a collective's groups span, with the links in them. A device goes on by when its
// collectives are done, whichever device it is; a section by when its devices have their operands. So:
//
//   Devices are one class as long as they have the same speed and all that came to them came at the same
//   times by the same costs (Moment). When that ends, and only then, the class is split: a slow device is one
//   of its own from its first product on, those that wait for it from there on. This is colour refinement,
//   refined in time instead of once for all, so that what happens later splits nothing earlier.
//   Collectives that begin together in a section are played there alone (SectionPlayer), once for each
//   pattern of operands, counted from the first: rows that begin alike are played as one, though later ones
//   begin later. What has one of their results as it comes (an all-gather after a reduce-scatter) is played
//   with it. Of a section whose operands are all there at once, along closed axes one device stands for all.
//
// It is the play of all devices, to the picosecond, where
//   - no link is used by two plays at a time, from the first message that asks for it to the end of the last
//     (`admit` looks at each: what queues of links hold is then what the play alone holds);
//   - nothing that comes of a play happens before it is known how the play begins (`now_`), so that a lane
//     has all that it may choose from when it chooses; all that is done takes time.
// Where one of these does not hold, or devices are not in the order of their chips, share ports, or lack a
// link, nothing is told, and all devices are to be played; so it is where nearly all of them come to differ
// (Cannon's waves), as that would take no less time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <stop_token>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/schedule/parts/device_class.h"
#include "engine/schedule/parts/placing.h"
#include "engine/schedule/parts/section_play.h"

namespace shardscope::inline scheduler {

class ClassPlay {
 public:
  // All of it outlives the play.
  ClassPlay(const WorkPlan& plan, const SectionPlayer::Machine& machine, std::stop_token stop);
  // False: nothing is told. Errors: cancelled; it takes longer than WorkPlan::give_up_after.
  Result<bool> run();

  const std::vector<DeviceClass>& classes() const { return classes_; }
  int32_t class_of(int32_t device) const { return class_of_[static_cast<size_t>(device)]; }
  const std::vector<int64_t>& bytes_sent() const { return bytes_sent_; }  // by work, of all devices
  int64_t event_count() const { return event_count_; }
  const Moment& last() const { return last_.end; }  // the event that ends last

 private:
  // A collective: where it is, and who has an operand for it so far.
  struct Collective {
    const Placing* placing = nullptr;
    std::vector<int32_t> kinds;       // by variant
    std::vector<int32_t> operand_of;  // by device: in operands
    std::vector<int32_t> waits;       // by section: devices that have none
    Numbered<Moment> operands;
  };
  struct Complete {
    int32_t sections = 0, section = 0, work = 0;
    auto operator<=>(const Complete&) const = default;
  };
  // What a section came to: of one work of it `at` says which.
  struct Delivery {
    int32_t section = 0;
    const SectionPlay* play = nullptr;
    size_t at = 0;
    Moment base;
  };
  // A span in which a section's links are used by one play.
  struct Use {
    Picoseconds begin = 0, end = 0, latest_end = 0;  // of all so far
    const SectionPlay* play = nullptr;               // of this section; null: of a larger one
    Picoseconds base = 0;
  };
  struct Arrival {  // what a device gets
    int32_t outcome = 0;
    Moment base;
    auto operator<=>(const Arrival&) const = default;
  };

  bool can_be_told() const;
  bool place_collectives();
  void find_followers();
  std::vector<Complete> with_followers(std::vector<Complete> together) const;
  void make_classes();
  void take_follows(int32_t of_class);
  void have(int32_t of_class, const std::vector<DeviceClass::There>& ready);
  Result<bool> play_complete();
  Result<bool> play_section(const std::vector<Complete>& complete);
  SectionPlayer::Request section_request(const std::vector<Complete>& together) const;
  bool admit(const SectionPlayer::Request& request, const SectionPlay& play, Picoseconds base);
  void count(const SectionPlayer::Request& request, const std::vector<Complete>& together,
             const SectionPlay& play, const Moment& base);
  bool deliver(int32_t work, const std::vector<Delivery>& deliveries);
  void split(int32_t of, std::vector<int32_t>& parts);
  bool give(int32_t work, int32_t to, const Arrival& arrival);
  void put_in_calendar(int32_t of_class);
  bool pays() const;

  const WorkPlan& plan_;
  SectionPlayer::Machine machine_;
  std::stop_token stop_;
  SectionPlayer player_;
  Placings placings_;
  int32_t devices_;
  std::vector<Collective> collectives_;  // by work
  // By work: of a collective whose operand is the result of another one in the same sections that one, in
  // whose plays it is; -1: none.
  std::vector<int32_t> follows_;
  std::vector<DeviceClass> classes_;
  std::vector<int32_t> class_of_;                // by device
  using Next = std::pair<Picoseconds, int32_t>;  // a class and when it goes on, maybe
  std::priority_queue<Next, std::vector<Next>, std::greater<>> calendar_;
  Picoseconds now_ = -1;
  std::vector<Complete> complete_;
  std::map<int32_t, std::vector<Delivery>> deliveries_;  // by work
  std::vector<std::vector<std::vector<Use>>> uses_;      // by axis, by section along it
  std::vector<int32_t> line_sections_;                   // by axis: SectionPlayer::sections of it alone
  std::vector<int32_t> arrival_of_;                      // by device: which is delivered now, -1: none
  std::vector<int64_t> bytes_sent_;
  int64_t event_count_ = 0;
  int64_t done_ = 0;  // by classes: what they began or got
  LastEvent last_;
};

}  // namespace shardscope::inline scheduler
