// SPDX-License-Identifier: Apache-2.0
// The level of moves. Each clause can be read back: tests do.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/story/beat_words.h"

namespace shardscope::inline story {
namespace {

// What the target of an adding transfer has summed of what arrived, when it has: "2 of 4".
std::string sum_at_target(const Story& story, int32_t event, const Carried& c) {
  const Piece& piece = story.piece(c.piece);
  const StoryArray& array = story.arrays()[static_cast<size_t>(piece.array)];
  Span have;
  have.add(count_of(terms_on(story, story.held(event_of(story, event).peer, story.arrival(event)), piece)));
  return have.least > 0 && array.terms > 0 ? terms_words(have, array.terms, array.term_parts) : "";
}

// "(0,0) sends y0.2/4 (1 of 4) to (0,1), which adds it and has 2 of 4".
std::string lead_clause(const Story& story, const MoveGroup& group) {
  const int32_t event = group.events.front();
  const Event& e = event_of(story, event);
  const auto carried = story.carried(event);
  const PieceId first = carried.empty() ? -1 : carried.front().piece;
  const std::string terms = first < 0 ? "" : short_terms(story, first);
  std::string out = say("{} sends {}{} to {}", place_word(story, e.device), name_of_transfer(story, event),
                        terms.empty() ? "" : " (" + terms + ")", place_word(story, e.peer));
  if (!group.adds) return out;
  out += said(", which adds it");
  const std::string sum = first < 0 ? "" : sum_at_target(story, event, carried.front());
  return sum.empty() ? out : out + said(" and has ") + sum;
}

// In what the transfers of a group differ: " with 1–3 blocks, 96 B to 192 B".
std::string differences(const Story& story, const MoveGroup& group) {
  std::vector<std::string> out;
  if (group.blocks.differ()) out.push_back(counted_span(group.blocks, "block"));
  if (group.bytes.differ()) {
    out.push_back(say("{} to {}", format_bytes(static_cast<double>(group.bytes.least)),
                      format_bytes(static_cast<double>(group.bytes.most))));
  }
  if (group.terms.differ()) {
    const Carried first = story.carried(group.events.front()).front();
    const StoryArray& array = story.arrays()[static_cast<size_t>(first.what.array)];
    out.push_back(terms_words(group.terms, array.terms, array.term_parts) + said(" summed"));
  }
  return out.empty() ? "" : said(" with ") + join(out, ", ");
}

std::string along(const MoveGroup& group) {
  return group.axes.empty() ? "" : said(" along ") + list_words(group.axes);
}

std::string others(const Story& story, const MoveGroup& group, const MoveGroup* half) {
  const size_t more = group.events.size() - 1;
  std::string out;
  if (more > 0) {
    out = say("; {} more {} the same{}{}", more, more == 1 ? said("does") : said("do"), along(group),
              differences(story, group));
  }
  if (half == nullptr) return out;
  const size_t count = half->events.size();
  return out + say("{}{} {} the other half the other way{}", more > 0 ? ", " : "; ", count,
                   count == 1 ? said("sends") : said("send"), more > 0 ? "" : along(group));
}

std::string transfer_clauses(const Story& story, const Beat& beat) {
  const std::vector<MoveGroup> groups = move_groups(story, beat);
  std::vector<bool> written(groups.size(), false);
  std::string out;
  for (size_t g = 0; g < groups.size(); ++g) {
    if (written[g]) continue;
    const MoveGroup* half = nullptr;
    for (size_t h = g + 1; h < groups.size() && half == nullptr; ++h) {
      if (written[h] || !groups[h].other_half_of(groups[g])) continue;
      half = &groups[h];
      written[h] = true;
    }
    out += (out.empty() ? "" : "; ") + lead_clause(story, groups[g]) + others(story, groups[g], half);
  }
  return out;
}

// "every device multiplies", "(0,1) and 3 more devices multiply".
std::string who_computes(const Story& story, const Made& made, Opcode opcode) {
  const auto count = static_cast<int64_t>(made.devices.size());
  if (count == story.timeline().devices) {
    return count == 1 ? said("the device ") + verb_of(opcode, true)
                      : said("every device ") + verb_of(opcode, true);
  }
  const std::string first = place_word(story, made.devices.front());
  if (count == 1) return first + " " + verb_of(opcode, true);
  return say("{} and {} {}", first, counted(count - 1, "more device"), verb_of(opcode, false));
}

std::string range_words(const IndexRanges& ranges) {
  std::vector<std::string> out;
  for (const IndexRange& r : ranges)
    out.push_back(r.size() == 1 ? std::to_string(r.start) : fmt::format("{}–{}", r.start, r.stop - 1));
  return list_words(out);
}

// "(0,0) adds k 8–15 of 32 to y0", "(0,0) makes h0".
std::string first_made(const Story& story, const Made& made) {
  if (made.pieces.empty()) return "";
  const std::string who = place_word(story, made.maker);
  std::vector<BlockPart> parts;
  for (const PieceId id : made.pieces) {
    const auto& blocks = story.blocks_of(id);
    parts.insert(parts.end(), blocks.begin(), blocks.end());
  }
  std::vector<std::string> names = names_of(story, parts);
  const Piece& piece = story.piece(made.pieces.front());
  const StoryArray& array = story.arrays()[static_cast<size_t>(piece.array)];
  if (names.size() > 4)
    names = {names[0], names[1], counted(static_cast<int64_t>(names.size()) - 2, "more part")};
  const std::string what = list_words(names);
  if (array.terms == 0) return say(": {} makes {}", who, what);
  if (made.added.empty()) return say(": {} has {} added up", who, what);
  const std::string range = say("k {} of {}", range_words(made.added), array.terms);
  const bool more = made.added != piece.terms;
  return more ? say(": {} adds {} to {}", who, range, what) : say(": {} makes {} ({})", who, what, range);
}

std::string on_devices(const Story& story, int64_t devices) {
  return devices == story.timeline().devices ? (devices == 1 ? "" : said(" on all devices"))
                                             : said(" on ") + counted(devices, "device");
}

std::string sum_clause(const Story& story, const SumChange& sum) {
  if (sum.parts <= 1) return "";
  const auto even = [&](const Span& s) {
    return s.least * sum.parts % sum.terms == 0 && s.most * sum.parts % sum.terms == 0;
  };
  const bool both = even(sum.before) && even(sum.after);
  const int64_t parts = both ? sum.parts : 1;
  return say("; {} goes from {} to {}{}{}", sum.array, terms_words(sum.before, sum.terms, parts),
             terms_words(sum.after, sum.terms, parts), both ? said(" partial sums") : "",
             on_devices(story, sum.devices));
}

std::string compute_clauses(const Story& story, const Beat& beat) {
  const Made made = made_by(story, beat);
  const Instruction& i = instruction_of(story, beat);
  std::string out =
      fmt::format("{} ({})", who_computes(story, made, i.opcode), display_name(i)) + first_made(story, made);
  for (const SumChange& sum : made.sums) out += sum_clause(story, sum);
  return out;
}

std::string completed_clause(const Story& story, const Beat& beat) {
  std::string out;
  for (const int32_t array : completed_by(story, beat))
    out += say("; {} is complete on every owner", story.arrays()[static_cast<size_t>(array)].name);
  return out;
}

std::string meanwhile_clause(const Story& story, const Beat& beat) {
  std::vector<std::string> items;
  bool one = true;
  for (const UnderWay& u : under_way(story, beat)) {
    const std::string what = instruction_name(story, u.instruction);
    one = one && items.empty() && (!u.transfers || u.count == 1);
    items.push_back(u.transfers ? say("{} of {}", counted(u.count, "transfer"), what)
                                : say("{} on {}", what, counted(u.count, "device")));
  }
  return items.empty()
             ? ""
             : say("; meanwhile {} {} under way", list_words(items), one ? said("is") : said("are"));
}

}  // namespace

std::string moves_of(const Story& story, int32_t number) {
  const Beat& beat = story.beats()[static_cast<size_t>(number)];
  std::string out;
  if (beat.transfer_step < 0) {
    out = compute_clauses(story, beat);
  } else {
    const std::string phase = phase_of(story, number, execution_of(story, number));
    out = (phase.empty() ? "" : said(phase) + ": ") + transfer_clauses(story, beat);
  }
  return out + completed_clause(story, beat) + meanwhile_clause(story, beat);
}

}  // namespace shardscope::inline story
