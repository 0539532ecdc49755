// SPDX-License-Identifier: Apache-2.0
#include "engine/story/teller.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "engine/base/check.h"
#include "engine/base/units.h"
#include "engine/program/analysis/analysis.h"
#include "engine/story/shard_tracer.h"

namespace shardscope::inline story {
namespace {

constexpr int64_t kMostStoryEvents = 4'000'000;
// Without events only the beginning and the end are told: of so many values at most, as a guide for a
// picture.
constexpr int64_t kMostUntimedValues = 4'000'000;

Result<void> can_be_told(const Program& program, const Timeline& timeline) {
  const std::string what = "the story of " + program.name;
  const int64_t devices = program.mesh.device_count();
  if (devices > kMostStoryDevices)
    return too_big(
        fmt::format("{} devices, more than the {} whose pieces are all followed", devices, kMostStoryDevices),
        what, "look at a smaller mesh of the same shape");
  if (std::ssize(timeline.events) > kMostStoryEvents)
    return too_big(fmt::format("{} events, more than the {} whose pieces fit in memory",
                               timeline.events.size(), kMostStoryEvents),
                   what, "look at a smaller mesh or at fewer steps");
  // A record may be of anything.
  if (timeline.devices != 0 && timeline.devices != devices)
    return invalid(fmt::format("a program for {} devices, timed on {}", devices, timeline.devices), what);
  const bool totals_only = timeline.events.empty() && timeline.event_count > 0;
  if (totals_only && std::ssize(program.entry_computation().instructions) * devices > kMostUntimedValues)
    return too_big(fmt::format("of its {} events only totals were kept", group_digits(timeline.event_count)),
                   what, "look at a smaller mesh or at fewer steps");
  return {};
}

}  // namespace

StoryTeller::StoryTeller(const Program& program, const Timeline& timeline, TraceState& state)
    : program_(program),
      timeline_(timeline),
      entry_(program.entry_computation()),
      state_(state),
      pool_(state),
      finishes_(program, timeline),
      taken_over_(entry_.instructions.size() * finishes_.devices(), kNever),
      lives_(taken_over_.size(), kNever),
      carried_(timeline.events.size()) {
  story_.program_ = &program;
  story_.timeline_ = &timeline;
  story_.held_.resize(finishes_.devices());
}

Result<Story> StoryTeller::tell() {
  say_beats();
  find_lives();
  say_collectives();
  say_buffers();
  say_waiting_products();
  say_made();
  say_unknown();
  if (state_.budget.stopped()) return cancelled();
  if (pool_.too_big() || state_.budget.spent())
    return too_big("too many pieces to follow", "program " + program_.name,
                   "use fewer slices or larger blocks");
  finish();
  return std::move(story_);
}

void StoryTeller::say_beats() {
  story_.beats_.push_back({});
  story_.beat_of_event_.assign(timeline_.events.size(), -1);
  std::vector<Beat> beats;
  for (size_t i = 0; i < entry_.instructions.size(); ++i) {
    std::vector<int32_t> events = finishes_.events_of(i);
    std::stable_sort(events.begin(), events.end(), [&](int32_t a, int32_t b) {
      return timeline_.events[static_cast<size_t>(a)].transfer_step <
             timeline_.events[static_cast<size_t>(b)].transfer_step;
    });
    for (const int32_t e : events) {
      const Event& event = timeline_.events[static_cast<size_t>(e)];
      const bool next = beats.empty() || beats.back().instruction != event.instruction ||
                        beats.back().transfer_step != event.transfer_step;
      if (next) beats.push_back({event.start, event.start, event.instruction, event.transfer_step, {}});
      Beat& beat = beats.back();
      beat.start = std::min(beat.start, event.start);
      beat.end = std::max(beat.end, finishes_.arrival(e));
      beat.events.push_back(e);
    }
  }
  std::sort(beats.begin(), beats.end(), [](const Beat& a, const Beat& b) {
    return std::tie(a.end, a.instruction, a.transfer_step) < std::tie(b.end, b.instruction, b.transfer_step);
  });
  story_.beats_.insert(story_.beats_.end(), std::make_move_iterator(beats.begin()),
                       std::make_move_iterator(beats.end()));
  for (size_t b = 1; b < story_.beats_.size(); ++b)
    for (const int32_t e : story_.beats_[b].events)
      story_.beat_of_event_[static_cast<size_t>(e)] = static_cast<int32_t>(b);
  for (size_t e = 0; e < timeline_.events.size(); ++e) {
    const int32_t number = static_cast<int32_t>(e);
    story_.arrivals_.push_back(finishes_.arrival(number));
    const int32_t transfer = finishes_.transfer_of(number);
    if (transfer < 0 || transfer == number) continue;
    story_.transfer_of_hop_[number] = transfer;
    story_.beat_of_event_[e] = story_.beat_of_event_[static_cast<size_t>(transfer)];
  }
}

void StoryTeller::hold(size_t device, Picoseconds start, Picoseconds end, std::span<const PieceId> pieces) {
  if (end <= start) return;
  for (const PieceId piece : pieces) story_.held_[device].push_back({start, end, piece});
}

std::vector<PieceId> StoryTeller::pieces_of(size_t instruction, size_t device) {
  const std::span<const PieceId> first = pool_.of(state_.values[instruction][device]);
  std::vector<PieceId> out(first.begin(), first.end());
  const auto number = static_cast<int64_t>(instruction);
  for (auto it = state_.further.lower_bound({number, 0});
       it != state_.further.end() && it->first.first == number; ++it) {
    const std::span<const PieceId> more = pool_.of(it->second[device]);
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

void StoryTeller::say_permute(size_t instruction) {
  const Instruction& i = entry_.instructions[instruction];
  for (const int32_t e : finishes_.events_of(instruction)) {
    const Event& event = timeline_.events[static_cast<size_t>(e)];
    if (event.kind != EventKind::transfer || event.peer < 0) continue;
    CarriedPieces& carried = carried_[static_cast<size_t>(e)];
    for (size_t k = 0; k < i.operands.size(); ++k) {
      const std::span<const PieceId> pieces =
          pool_.of(state_.operand(i, k, static_cast<size_t>(event.device)));
      carried.pieces.insert(carried.pieces.end(), pieces.begin(), pieces.end());
    }
  }
}

void StoryTeller::say_collectives() {
  for (size_t i = 0; i < entry_.instructions.size() && state_.budget.take(); ++i) {
    const Instruction& instruction = entry_.instructions[i];
    if (instruction.opcode == Opcode::collective_permute) {
      say_permute(i);
      continue;
    }
    if (finishes_.events_of(i).empty() || instruction.opcode == Opcode::ragged_all_to_all) continue;
    const int32_t global = program_.global_index(program_.entry, InstructionId(static_cast<int64_t>(i)));
    const TimedCollective* timed = find_schedule(timeline_, global);
    if (timed != nullptr && instruction.operands.size() == 1 && !state_.shape_of(instruction, 0).is_tuple)
      say_collective(i, *timed);
  }
}

int32_t StoryTeller::buffer_of(size_t instruction) const {
  // A view is in the buffer of what it views.
  while (is_free(entry_.instructions[instruction]) && entry_.instructions[instruction].operands.size() == 1)
    instruction = static_cast<size_t>(entry_.instructions[instruction].operands[0].value);
  return static_cast<int32_t>(instruction);
}

size_t StoryTeller::place_of(int32_t global_index) const {
  return static_cast<size_t>(global_index - program_.global_index(program_.entry, InstructionId(0)));
}

void StoryTeller::find_lives() {
  for (const BufferLife& life : timeline_.buffers) {
    const BufferContents* contents = find_contents(timeline_, life.instruction);
    CHECK(contents != nullptr);
    const size_t last = place_of(contents->values.back().instruction);
    lives_[last * finishes_.devices() + static_cast<size_t>(life.device)] = life.end;
  }
}

void StoryTeller::say_buffers() {
  for (const BufferLife& life : timeline_.buffers) {
    if (!state_.budget.take()) return;
    const BufferContents& contents = *find_contents(timeline_, life.instruction);
    const auto d = static_cast<size_t>(life.device);
    std::vector<int32_t>& inside = story_.in_buffer_[life.instruction];
    const bool first = inside.empty();  // devices have the same in it
    for (size_t v = 0; v < contents.values.size(); ++v) {
      const size_t place = place_of(contents.values[v].instruction);
      const bool last = v + 1 == contents.values.size();
      Picoseconds end = contents.kept ? kNever : life.end;
      if (!last) end = finishes_.at(place_of(contents.values[v + 1].instruction), d);
      end = std::min(end, taken_over_[place * finishes_.devices() + d]);
      const std::vector<PieceId> pieces = pieces_of(place, d);
      hold(d, finishes_.at(place, d), end, pieces);
      for (size_t p = 0; first && p < pieces.size(); ++p) inside.push_back(pool_.at(pieces[p]).array);
    }
    if (!first) continue;
    std::sort(inside.begin(), inside.end());
    inside.erase(std::unique(inside.begin(), inside.end()), inside.end());
  }
}

// A product is there before the sum that it goes into, when that still travels.
void StoryTeller::say_waiting_products() {
  for (const BufferContents& contents : timeline_.contents) {
    for (const BufferValue& value : contents.values) {
      if (value.product < 0) continue;
      const size_t dot = place_of(value.product);
      const size_t sum = place_of(value.instruction);
      for (size_t d = 0; d < finishes_.devices(); ++d)
        hold(d, finishes_.at(dot, d), finishes_.at(sum, d), pieces_of(dot, d));
    }
  }
}

void StoryTeller::say_made() {
  for (const Event& event : timeline_.events) {
    story_.first_made_.push_back(static_cast<int32_t>(story_.made_.size()));
    const int32_t place = finishes_.place_of(event);
    if (event.kind == EventKind::transfer || place < 0) continue;
    const std::vector<PieceId> pieces =
        pieces_of(static_cast<size_t>(place), static_cast<size_t>(event.device));
    story_.made_.insert(story_.made_.end(), pieces.begin(), pieces.end());
  }
  story_.first_made_.push_back(static_cast<int32_t>(story_.made_.size()));
}

// Where something unknown begins: of known operands.
void StoryTeller::say_unknown() {
  const auto known = [&](size_t i, size_t d) {
    const Shape& shape = entry_.instructions[i].shape;
    return shape.is_tuple || covers(*state_.values[i][d], shape.dims);
  };
  const auto note = [&](size_t i, std::string text) {
    const int32_t global = program_.global_index(program_.entry, InstructionId(static_cast<int64_t>(i)));
    return StoryNote{global, entry_.instructions[i].name + ": " + std::move(text), false};
  };
  for (size_t i = 0; i < entry_.instructions.size(); ++i) {
    const Instruction& it = entry_.instructions[i];
    for (size_t d = 0; d < finishes_.devices(); ++d) {
      if (known(i, d)) continue;
      const bool first_cause =
          std::all_of(it.operands.begin(), it.operands.end(),
                      [&](InstructionId operand) { return known(static_cast<size_t>(operand.value), d); });
      if (!first_cause) continue;
      const std::string why = trace_hole(it.opcode);
      story_.unknown_.push_back(note(i, why.empty() ? "what it makes of its operands is not followed" : why));
      const InstructionId id(static_cast<int64_t>(i));
      if (std::find(state_.mismatched.begin(), state_.mismatched.end(), id) != state_.mismatched.end()) {
        story_.unknown_.back() =
            note(i, "it multiplies what does not belong together, other k on either side");
        story_.unknown_.back().wrong = true;
      }
      break;
    }
  }
  for (const InstructionId id : state_.added_twice)
    story_.added_twice_.push_back(note(static_cast<size_t>(id.value), "a term is added that was there"));
}

// What event `e` moves as rows of blocks; bytes as equal as elements: what a cut leaves goes to the last.
void StoryTeller::append_carried(size_t e, const std::vector<std::vector<BlockShare>>& blocks) {
  const Event& event = timeline_.events[e];
  if (event.kind != EventKind::transfer || event.relayed) return;
  int64_t whole = 0;
  const size_t from = story_.carried_.size();
  for (const PieceId piece : carried_[e].pieces) {
    for (const BlockShare& share : blocks[static_cast<size_t>(piece)]) {
      story_.carried_.push_back({piece, share.part, 0, carried_[e].adds});
      whole += share.elements;
    }
  }
  if (story_.carried_.size() == from) {
    story_.carried_.push_back({-1, {-1, -1, 1, 1}, event.bytes, carried_[e].adds});
    return;
  }
  whole = std::max<int64_t>(1, whole);
  const auto bytes_before = [&](int64_t n) {
    return event.bytes / whole * n + event.bytes % whole * n / whole;
  };
  int64_t before = 0;
  size_t k = from;
  for (const PieceId piece : carried_[e].pieces) {
    for (const BlockShare& share : blocks[static_cast<size_t>(piece)]) {
      story_.carried_[k++].bytes = bytes_before(before + share.elements) - bytes_before(before);
      before += share.elements;
    }
  }
}

// An output whose parts are known to one device each, and to none as parts of it.
void StoryTeller::say_unknown_outputs() {
  const int32_t root = program_.global_index(program_.entry, entry_.root);
  for (const ArrayInfo& info : outputs_of(program_)) {
    const auto is_known = [&](const StoryArray& array) {
      return !array.role.empty() && array.name == symbol_of(info);
    };
    if (std::any_of(story_.arrays_.begin(), story_.arrays_.end(), is_known)) continue;
    story_.unknown_.push_back(
        {root, symbol_of(info) + ": which part of it a device makes is not followed", false});
  }
}

void StoryTeller::finish() {
  story_.pieces_ = std::move(pool_.pieces());
  story_.arrays_ = story_arrays(state_, story_.pieces_);  // turns pieces of outputs as they are stored
  if (story_.unknown_.empty()) say_unknown_outputs();
  for (const Piece& piece : story_.pieces_) story_.elements_.push_back(elements(piece));
  story_.ranks_ = ranks_of(story_.pieces_);
  const std::vector<std::vector<BlockShare>> blocks = find_blocks(story_.arrays_, story_.pieces_);
  for (const std::vector<BlockShare>& of_piece : blocks) {
    std::vector<BlockPart>& parts = story_.blocks_of_.emplace_back();
    for (const BlockShare& share : of_piece) parts.push_back(share.part);
  }
  for (auto& device : story_.held_)
    std::stable_sort(device.begin(), device.end(),
                     [](const auto& a, const auto& b) { return a.start < b.start; });
  for (size_t e = 0; e < timeline_.events.size(); ++e) {
    story_.first_carried_.push_back(static_cast<int32_t>(story_.carried_.size()));
    append_carried(e, blocks);
  }
  story_.first_carried_.push_back(static_cast<int32_t>(story_.carried_.size()));
}

Result<Story> tell(const Program& program, const Timeline& timeline, const std::stop_token& stop) {
  if (program.computations.empty()) return invalid("there is no program", program.name, "run it first");
  TRY_VOID(can_be_told(program, timeline));
  TRY(TraceState state, trace_shards(program, stop));
  return StoryTeller(program, timeline, state).tell();
}

}  // namespace shardscope::inline story
