// SPDX-License-Identifier: Apache-2.0
// The level of ideas: what a step of an algorithm does, by what its transfers carried.
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/story/beat_words.h"
#include "engine/story/plan_words.h"
#include "engine/story/program_names.h"

namespace shardscope::inline story {
namespace {

// A transfer step and what it belongs to.
struct StepOfCollective {
  const Story& story;
  int32_t number = 0;
  const Beat& beat;
  std::vector<int32_t> execution;  // beats of its steps
  const Instruction& instruction;
  const TimedCollective* timed = nullptr;  // none of what went by no schedule
  std::vector<MoveGroup> groups;
  std::string phase;

  explicit StepOfCollective(const Story& s, int32_t b)
      : story(s),
        number(b),
        beat(s.beats()[static_cast<size_t>(b)]),
        execution(execution_of(s, b)),
        instruction(instruction_of(s, beat)),
        timed(find_schedule(s.timeline(), beat.instruction)),
        groups(move_groups(s, beat)),
        phase(phase_of(s, b, execution)) {}

  // Steps of its phase: those that add, or those that do not.
  std::vector<int32_t> steps_of_phase() const {
    if (phase.empty()) return execution;
    std::vector<int32_t> out;
    const bool adds = beat_adds(story, beat);
    for (const int32_t b : execution)
      if (beat_adds(story, story.beats()[static_cast<size_t>(b)]) == adds) out.push_back(b);
    return out;
  }
  int64_t ranks() const { return timed == nullptr ? 0 : timed->schedule->ranks(); }
  bool both_ways() const {
    bool up = false;
    bool down = false;
    for (const MoveGroup& g : groups) {
      up = up || g.direction > 0;
      down = down || g.direction < 0;
    }
    return up && down;
  }
  bool halves() const {
    for (const MoveGroup& g : groups)
      for (const MoveGroup& h : groups)
        if (g.other_half_of(h)) return true;
    return false;
  }
  std::string ways() const {
    return halves() ? said(", one half each way") : both_ways() ? said(", both ways") : "";
  }
  int64_t sources() const {
    std::set<int32_t> out;
    for (const int32_t event : beat.events) out.insert(event_of(story, event).device);
    return static_cast<int64_t>(out.size());
  }
  // "each chip", "4 of 8 chips".
  std::string chips() const {
    const int64_t n = sources();
    return n == story.timeline().devices ? said("each chip")
                                         : say("{} of {} chips", n, story.timeline().devices);
  }
  std::string verb(const char* stem) const {
    return said(sources() == story.timeline().devices
                    ? std::string(stem) + (std::string_view(stem) == "pass" ? "es" : "s")
                    : stem);
  }
};

// Whether what a transfer carries came to its source in the step before.
enum class Origin { own, came_last, came_before, mixed };

bool came_in(const Story& story, const Event& e, PieceId piece, const Beat& step) {
  for (const int32_t other : step.events) {
    if (event_of(story, other).peer != e.device) continue;
    for (const Carried& c : story.carried(other))
      if (c.piece >= 0 && contains_boxes(story.piece(c.piece).index, story.piece(piece).index)) return true;
  }
  return false;
}

Origin origin_of(const StepOfCollective& s) {
  bool own = false;
  bool last = false;
  bool before = false;
  const auto at = std::find(s.execution.begin(), s.execution.end(), s.number) - s.execution.begin();
  for (const int32_t event : s.beat.events) {
    const Event& e = event_of(s.story, event);
    for (const Carried& c : s.story.carried(event)) {
      if (c.piece < 0) continue;
      bool found = false;
      for (auto step = at; step-- > 0 && !found;) {
        found = came_in(s.story, e, c.piece,
                        s.story.beats()[static_cast<size_t>(s.execution[static_cast<size_t>(step)])]);
        if (found) (step + 1 == at ? last : before) = true;
      }
      own = own || !found;
    }
  }
  if (!own && last && !before) return Origin::came_last;
  if (own && !last && !before) return Origin::own;
  return own ? Origin::mixed : Origin::came_before;
}

std::string after_steps(const StepOfCollective& s, const std::string& what) {
  const auto steps = static_cast<int64_t>(s.steps_of_phase().size());
  if (s.number == s.steps_of_phase().back()) return say("; now {}", what);
  return say("; after {} {}", counted(steps, "step"), what);
}

std::string gathers(const StepOfCollective& s, const std::string& end) {
  std::string out;
  switch (origin_of(s)) {
    case Origin::own:
      out = say("{} {} its own block", s.chips(), s.verb("send"));
      break;
    case Origin::came_last:
      out = say("{} {} on what it received last", s.chips(), s.verb("pass"));
      break;
    case Origin::came_before:
      out = say("{} {} on what it received before", s.chips(), s.verb("pass"));
      break;
    case Origin::mixed:
      out = say("{} {} what it has so far", s.chips(), s.verb("send"));
      break;
  }
  return out + s.ways() + after_steps(s, end);
}

std::string reduces(const StepOfCollective& s) {
  const bool rooted = s.timed != nullptr && s.timed->schedule->kind() == CollectiveKind::reduce;
  const bool parts = s.phase == "reduce-scatter half" ||
                     (s.timed != nullptr && s.timed->schedule->kind() == CollectiveKind::reduce_scatter);
  std::string out = say("{} {} its sum{} and the receiver adds it to its own", s.chips(), s.verb("send"),
                        parts ? said(" of a part") : "") +
                    s.ways();
  if (rooted || s.phase == "reduce half") return out + after_steps(s, said("the root has the sum"));
  return out + after_steps(s, parts ? said("each chip has the sum of its part") : said("all have the sum"));
}

// By how many places on its axis each source's target is further on, when that is the same for all.
std::optional<int64_t> distance_of(const StepOfCollective& s, int axis) {
  const Mesh& mesh = s.story.program().mesh;
  const int64_t size = mesh.axis_size(axis);
  Span distances;
  for (const int32_t number : s.beat.events) {
    const Event& e = event_of(s.story, number);
    distances.add(
        (mesh.coordinate(DeviceId(e.peer), axis) - mesh.coordinate(DeviceId(e.device), axis) + size) % size);
  }
  return distances.differ() ? std::nullopt : std::optional(distances.least);
}

// "each chip passes half of its block up by 1 along col".
std::string permutes(const StepOfCollective& s) {
  const MoveGroup& first = s.groups[0];
  bool one_axis = first.axes.size() == 1;
  bool halves = true;
  bool whole = true;
  for (const MoveGroup& g : s.groups) {
    one_axis = one_axis && g.axes == first.axes;
    halves = halves && g.parts == 2;
    whole = whole && g.parts == 1;
  }
  const std::string what = halves  ? said("half of its block")
                           : whole ? said("its block")
                                   : said("a part of its block");
  const Mesh& mesh = s.story.program().mesh;
  const auto axis = one_axis ? mesh.axis_index(first.axes[0]) : std::nullopt;
  const auto distance = axis ? distance_of(s, *axis) : std::nullopt;
  if (!distance) return say("{} {} {} to another", s.chips(), s.verb("send"), what);
  const int64_t size = mesh.axis_size(*axis);
  if (2 * *distance == size)
    return say("{} {} {} with the one opposite along {}", s.chips(), s.verb("swap"), what, first.axes[0]);
  const bool up = 2 * *distance < size;
  return say("{} {} {} {} by {} along {}", s.chips(), s.verb("pass"), what, up ? said("up") : said("down"),
             up ? *distance : size - *distance, first.axes[0]);
}

std::string clause_of(const StepOfCollective& s) {
  const int64_t n = s.ranks();
  const std::string all =
      n == 2 ? said("all have both blocks") : say("all have all {} blocks", number_word(n));
  if (beat_adds(s.story, s.beat)) return reduces(s);
  const CollectiveKind kind = s.timed == nullptr ? CollectiveKind::all_to_all : s.timed->schedule->kind();
  switch (kind) {
    case CollectiveKind::all_gather:
      return gathers(s, all);
    case CollectiveKind::all_reduce:
      return gathers(s, said("all have the whole sum"));
    case CollectiveKind::broadcast:
      return gathers(s, said("all have the root's block"));
    case CollectiveKind::permute:
      return permutes(s);
    case CollectiveKind::reduce:
    case CollectiveKind::reduce_scatter:
      return gathers(s, said("each chip has the sum of its part"));
    case CollectiveKind::all_to_all:
      return say("{} {} others the parts meant for them", s.chips(), s.verb("send")) + s.ways() +
             after_steps(s, said("each has its part of every block"));
  }
  return "";
}

// "all-gather of X along col".
std::string name_of(const StepOfCollective& s) {
  std::set<std::string> arrays;
  for (const MoveGroup& g : s.groups)
    if (!g.array.empty()) arrays.insert(g.array);
  if (std::string name = name_by_program(s.story, s.beat.instruction); arrays.empty() && !name.empty())
    arrays.insert(std::move(name));
  std::string out(opcode_text(s.instruction.opcode));
  if (!arrays.empty()) out += said(" of ") + list_words({arrays.begin(), arrays.end()});
  const std::vector<std::string> axes = collective_axes(s.story.program(), s.instruction);
  if (!axes.empty()) out += said(" along ") + list_words(axes);
  return out;
}

// "All-gather of X along col, step 2 of 3: ".
std::string title_of(const StepOfCollective& s) {
  std::string out = name_of(s);
  if (!out.empty()) out[0] = static_cast<char>(out[0] - 'a' + 'A');
  if (!s.phase.empty()) out += ", " + s.phase;
  const std::vector<int32_t> steps = s.steps_of_phase();
  if (steps.size() > 1) {
    const auto at = std::find(steps.begin(), steps.end(), s.number) - steps.begin();
    out += say(", step {} of {}", at + 1, steps.size());
  }
  return out + ": ";
}

std::string computes(const Story& story, const Beat& beat) {
  const Made made = made_by(story, beat);
  const Instruction& i = instruction_of(story, beat);
  const bool all = static_cast<int32_t>(made.devices.size()) == story.timeline().devices;
  std::string out =
      (all ? said("Each chip ") : counted(static_cast<int64_t>(made.devices.size()), "chip") + " ") +
      verb_of(i.opcode, all || made.devices.size() == 1);
  if (i.opcode == Opcode::dot)
    out += all || made.devices.size() == 1 ? said(" the blocks that it holds now")
                                           : said(" the blocks that they hold now");
  for (const SumChange& sum : made.sums) {
    const bool whole = sum.after.least == sum.terms;
    out += whole ? say("; that part of {} is complete", sum.array)
                 : say("; {} has {}{}", sum.array, terms_words(sum.after, sum.terms, sum.parts),
                       sum.parts > 1 ? said(" partial sums") : "");
  }
  return out;
}

// "X along col", of a collective that is under way at a time.
std::string way_of(const Story& story, int32_t instruction, Picoseconds time) {
  for (int32_t b = 1; b < static_cast<int32_t>(story.beats().size()); ++b) {
    const Beat& beat = story.beats()[static_cast<size_t>(b)];
    if (beat.instruction != instruction || beat.end <= time) continue;
    const StepOfCollective step(story, b);
    std::set<std::string> arrays;
    for (const MoveGroup& g : step.groups)
      if (!g.array.empty()) arrays.insert(g.array);
    if (std::string name = name_by_program(story, instruction); arrays.empty() && !name.empty())
      arrays.insert(std::move(name));
    if (arrays.empty()) return said("something");
    const std::vector<std::string> axes = collective_axes(story.program(), step.instruction);
    return list_words({arrays.begin(), arrays.end()}) +
           (axes.empty() ? "" : said(" along ") + list_words(axes));
  }
  return "";
}

// The array that a computation adds to: "Y".
std::string made_by(const Story& story, int32_t instruction) {
  for (const Beat& beat : story.beats()) {
    if (beat.instruction != instruction) continue;
    for (const int32_t event : beat.events)
      for (const PieceId piece : story.made(event))
        return story.arrays()[static_cast<size_t>(story.piece(piece).array)].name;
  }
  return "";
}

// "chips compute Y".
std::string computing_words(const Story& story, const std::set<int32_t>& instructions) {
  std::set<std::string> arrays;
  for (const int32_t instruction : instructions)
    if (std::string name = made_by(story, instruction); !name.empty()) arrays.insert(std::move(name));
  for (const int32_t instruction : instructions)
    if (std::string name = name_by_program(story, instruction); arrays.empty() && !name.empty())
      arrays.insert(std::move(name));
  return arrays.empty() ? said("chips compute")
                        : say("chips compute {}", list_words({arrays.begin(), arrays.end()}));
}

// "; meanwhile X along col and W along row are on their way, and chips compute Y".
std::string meanwhile(const Story& story, const Beat& beat) {
  std::set<std::string> ways;
  std::set<int32_t> computing;
  for (const UnderWay& u : under_way(story, beat)) {
    if (!u.transfers) {
      computing.insert(u.instruction);
      continue;
    }
    if (std::string way = way_of(story, u.instruction, beat.end); !way.empty()) ways.insert(std::move(way));
  }
  const std::string computed = computing.empty() ? "" : computing_words(story, computing);
  if (ways.empty()) return computed.empty() ? "" : say("; meanwhile {}", computed);
  const std::string listed = list_words({ways.begin(), ways.end()});
  return (ways.size() == 1 ? say("; meanwhile {} is on its way", listed)
                           : say("; meanwhile {} are on their way", listed)) +
         (computed.empty() ? "" : say(", and {}", computed));
}

}  // namespace

std::vector<std::string> travels_in(const Story& story) {
  std::vector<std::string> out;
  for (int32_t beat = 1; beat < static_cast<int32_t>(story.beats().size()); ++beat) {
    if (story.beats()[static_cast<size_t>(beat)].transfer_step < 0) continue;
    std::string name = name_of(StepOfCollective(story, beat));
    if (std::ranges::find(out, name) == out.end()) out.push_back(std::move(name));
  }
  return out;
}

std::string idea_of(const Story& story, int32_t number) {
  const Beat& beat = story.beats()[static_cast<size_t>(number)];
  std::string out;
  if (beat.transfer_step < 0) {
    out = computes(story, beat);
  } else {
    const StepOfCollective step(story, number);
    out = title_of(step) + clause_of(step);
  }
  for (const int32_t array : completed_by(story, beat))
    out += say("; {} is complete", story.arrays()[static_cast<size_t>(array)].name);
  return out + meanwhile(story, beat);
}

}  // namespace shardscope::inline story
