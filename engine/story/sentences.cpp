// SPDX-License-Identifier: Apache-2.0
#include "engine/story/sentences.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "engine/base/check.h"
#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/story/beat_words.h"

namespace shardscope::inline story {
namespace {

// Where an instruction with a global index stands, and its line without its place in the text.
std::string line_of(const Program& program, int32_t global_index) {
  int32_t first = 0;
  for (const Computation& c : program.computations) {
    const auto count = static_cast<int32_t>(c.instructions.size());
    if (global_index < first + count) {
      std::string line = print_instruction(program, c, InstructionId(global_index - first));
      line.erase(0, line.find_first_not_of(' '));
      return line;
    }
    first += count;
  }
  CHECK(false, global_index);
  return "";
}

std::string parameter_lines(const Program& program) {
  std::string out;
  const Computation& entry = program.entry_computation();
  for (const InstructionId id : parameter_ids(entry)) {
    const std::string line = line_of(program, program.global_index(program.entry, id));
    out += (out.empty() ? "" : "; ") + line;
  }
  return out.empty() ? "no parameters" : out;
}

}  // namespace

const char* name(SentenceLevel level) {
  switch (level) {
    case SentenceLevel::idea:
      return "idea";
    case SentenceLevel::moves:
      return "moves";
    case SentenceLevel::program:
      return "program";
  }
  return "";
}

std::vector<SentenceLevel> sentence_levels() {
  return {SentenceLevel::idea, SentenceLevel::moves, SentenceLevel::program};
}

const std::string& Sentences::at(SentenceLevel level) const {
  return level == SentenceLevel::idea ? idea : level == SentenceLevel::moves ? moves : program;
}

Sentences sentences(const Story& story, int32_t beat) {
  CHECK(beat >= 0 && static_cast<size_t>(beat) < story.beats().size(), beat);
  const int32_t instruction = story.beats()[static_cast<size_t>(beat)].instruction;
  if (instruction < 0) return {idea_before(story), moves_before(story), parameter_lines(story.program())};
  return {idea_of(story, beat), moves_of(story, beat), line_of(story.program(), instruction)};
}

// Beat 0: the inputs as placed, told from what devices hold, not from names of shardings.
namespace {

// Where the shards of an array lie before anything ran.
struct Placement {
  std::string array;
  std::vector<int64_t> counts;  // blocks per dimension
  int64_t blocks = 1;
  bool local = false;
  std::string addend;                 // of what the devices' arrays add up to: "1 of 4"
  Span copies;                        // devices that hold a block
  Span per_device;                    // blocks that a device holds
  std::vector<std::string> on_first;  // names of those on device 0
};

std::vector<Placement> placements(const Story& story) {
  const Picoseconds start = story.moment_of(0);
  std::map<int32_t, std::map<int64_t, int64_t>> copies;     // by array, by block
  std::map<int32_t, std::map<int32_t, int64_t>> of_device;  // by array, by device
  std::map<int32_t, std::vector<std::string>> names;
  std::map<int32_t, std::string> addends;
  for (int32_t d = 0; d < story.timeline().devices; ++d) {
    for (const PieceId id : story.held(d, start)) {
      const Piece& piece = story.piece(id);
      const StoryArray& array = story.arrays()[static_cast<size_t>(piece.array)];
      if (array.role.empty() && !array.is_local()) continue;
      for (const BlockPart& part : story.blocks_of(id)) {
        ++copies[piece.array][part.block];
        ++of_device[piece.array][d];
        if (d == 0) names[piece.array].push_back(name_of(story, part));
      }
      if (!piece.complete) addends[piece.array] = short_terms(story, id);
      if (story.blocks_of(id).empty()) {
        ++copies[piece.array][-1];
        ++of_device[piece.array][d];
        if (d == 0) names[piece.array].push_back(array.name);
      }
    }
  }
  std::vector<Placement> out;
  for (const auto& [number, blocks] : copies) {
    const StoryArray& array = story.arrays()[static_cast<size_t>(number)];
    const bool known = !array.is_local();
    const std::string name = common_name(array);
    auto at =
        std::find_if(out.begin(), out.end(), [&](const Placement& p) { return p.local && p.array == name; });
    if (known || at == out.end()) {
      out.push_back(
          {name, array.counts, known ? array.block_count() : 1, !known, addends[number], {}, {}, {}});
      at = out.end() - 1;
    }
    for (const auto& [block, count] : blocks) at->copies.add(count);
    for (const auto& [device, count] : of_device[number]) at->per_device.add(count);
    if (known && static_cast<int64_t>(of_device[number].size()) < story.timeline().devices)
      at->per_device.add(0);
    at->on_first.insert(at->on_first.end(), names[number].begin(), names[number].end());
  }
  return out;
}

// "X is cut into 8 blocks (2×4), each on 1 device".
std::string placement_words(const Story& story, const Placement& p) {
  if (p.local) return fmt::format("every device has {} of its own", p.array);
  if (!p.addend.empty())
    return fmt::format("{} is still to be summed, every device has its own part of it ({})", p.array,
                       p.addend);
  const bool everywhere = !p.copies.differ() && p.copies.least == story.timeline().devices;
  if (p.blocks == 1) {
    return everywhere ? fmt::format("{} is whole on every device", p.array)
                      : fmt::format("{} is whole on {}", p.array, counted(p.copies.most, "device"));
  }
  return fmt::format("{} is cut into {} blocks ({}), each on {}", p.array, p.blocks, join(p.counts, "×"),
                     counted_span(p.copies, "device"));
}

}  // namespace

std::string moves_before(const Story& story) {
  std::vector<std::string> clauses;
  std::vector<std::string> each;
  std::vector<std::string> first;
  for (const Placement& p : placements(story)) {
    clauses.push_back(placement_words(story, p));
    if (!p.local && p.addend.empty()) {
      each.push_back(fmt::format("{} of {}", counted_span(p.per_device, "block"), p.array));
    }
    if (p.addend.empty()) first.insert(first.end(), p.on_first.begin(), p.on_first.end());
  }
  if (clauses.empty()) return "Before: no device holds anything";
  std::string out = "Before: " + join(clauses, "; ");
  if (!each.empty()) out += "; every device holds " + list_words(each);
  if (!first.empty()) out += fmt::format("; {} holds {}", place_word(story, 0), join(first, ", "));
  return out;
}

std::string idea_before(const Story& story) {
  std::vector<std::string> cut;
  std::vector<std::string> whole;
  std::vector<std::string> own;
  std::vector<std::string> summed;
  for (const Placement& p : placements(story)) {
    const bool sum = !p.addend.empty();
    (p.local ? own : sum ? summed : p.blocks > 1 ? cut : whole).push_back(p.array);
  }
  std::vector<std::string> clauses;
  const auto say = [&](const std::vector<std::string>& arrays, const char* one, const char* several) {
    if (!arrays.empty()) clauses.push_back(list_words(arrays) + (arrays.size() == 1 ? one : several));
  };
  say(cut, " is sharded over the chips", " are sharded over the chips");
  say(whole, " is whole", " are whole");
  say(own, " is each chip's own", " are each chip's own");
  if (!summed.empty()) clauses.push_back("each chip has its own part of the sum " + list_words(summed));
  return clauses.empty() ? "Before: nothing is there yet"
                         : "Before: " + list_words(clauses) + "; nothing is computed yet";
}

}  // namespace shardscope::inline story
