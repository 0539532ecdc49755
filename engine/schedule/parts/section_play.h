// SPDX-License-Identifier: Apache-2.0
// Plays collectives in one section of a mesh, each pattern of beginnings once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "engine/base/numbered.h"
#include "engine/base/result.h"
#include "engine/hardware/fabric.h"
#include "engine/plan/sections.h"
#include "engine/plan/work.h"
#include "engine/run/spans.h"
#include "engine/schedule/play_watch.h"
#include "engine/schedule/recorder.h"

namespace shardscope::inline scheduler {

// What a collective is for one device, times and costs counted from the base of the play.
struct Outcome {
  Moment end;                       // what it makes is there
  Picoseconds start = 0, sent = 0;  // as WorkSpan says them
  int64_t bytes_sent = 0, bytes_received = 0, bytes_relayed = 0;
  int32_t busy = 0;  // a number of SectionPlayer::busy
  auto operator<=>(const Outcome&) const = default;
};

// Collectives that began together on quiet links of a section.
struct SectionPlay {
  int32_t places = 1;               // 1: all are alike
  std::vector<int32_t> outcomes;    // by work · places + place, numbers of SectionPlayer::outcome
  std::vector<int64_t> bytes_sent;  // by work, of all devices
  int64_t events = 0;
  LastEvent last;                // its device being a place, its work one of these
  TimeRange used;                // from the first message that asks for a link to the end of the last
  std::vector<TimeRange> lanes;  // the same by place · lanes + lane; none: from kNever on
  int32_t outcome(size_t work, int32_t place) const {
    return outcomes[work * static_cast<size_t>(places) + static_cast<size_t>(places == 1 ? 0 : place)];
  }
};

// A play depends on when operands are there, not on where the section lies: later by the same, and by the
// same costs, on all its devices, everything is. What operands lie behind the first one, part by part, is the
// pattern under which a play is kept.
class SectionPlayer {
 public:
  struct Machine {
    const Mesh& mesh;
    const Hardware& hardware;
    const HardwareOverrides& overrides;
    const Fabric& fabric;
    bool overlap = true;
  };
  SectionPlayer(const Machine& machine, std::stop_token stop) : machine_(machine), stop_(std::move(stop)) {}

  int32_t sections(const std::vector<int>& axes);  // a number of them
  const Sections& sections_at(int32_t number) const { return *all_[static_cast<size_t>(number)].sections; }
  // A collective as a section has it: schedule, groups by place, bytes. Equal ones have one number.
  int32_t kind(int32_t sections, Work work);

  struct Request {
    int32_t sections = 0, section = 0;
    std::vector<int32_t> kinds;
    std::vector<int32_t> after;  // by work: the one of these whose result is its operand, -1: none
    // Of those after none: by work · places + place; uniform: by work, all places have the same.
    std::vector<Moment> operands;
    bool uniform = false;
  };
  // Null: what is played here would depend on what happens elsewhere at the same time. `base`: from which the
  // play counts.
  Result<const SectionPlay*> play(const Request& request, Moment& base);

  const Outcome& outcome(int32_t number) const { return outcomes_[number]; }
  const std::vector<TimeRange>& busy(int32_t number) const { return busy_[number]; }

 private:
  struct Of {
    std::unique_ptr<Sections> sections;
    std::map<int32_t, std::vector<LinkOverride>> slow;   // by section, of its places
    std::map<int32_t, std::unique_ptr<Fabric>> fabrics;  // of sections with slow links, and -1: of all others
  };
  Result<const Fabric*> fabric_of(Of& of, int32_t section);
  WorkPlan plan_of(const Request& request) const;
  // Nothing: not to be shown.
  Result<std::optional<SectionPlay>> simulate(const Request& request, const Moment& base);
  Result<std::optional<SectionPlay>> simulate(const WorkPlan& plan, const Fabric& fabric, const Symmetry* one,
                                              const PlayStart& from);

  Machine machine_;
  std::stop_token stop_;
  std::vector<Of> all_;
  std::vector<std::pair<int32_t, Work>> kinds_;                       // with their sections
  std::map<std::vector<int64_t>, std::optional<SectionPlay>> plays_;  // by pattern
  Numbered<Outcome> outcomes_;
  Numbered<std::vector<TimeRange>> busy_;
};

}  // namespace shardscope::inline scheduler
