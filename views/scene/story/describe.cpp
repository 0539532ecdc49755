// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "views/scene/core/pen.h"
#include "views/scene/story/event_text.h"
#include "views/scene/story/now.h"

namespace shardscope::inline views {
namespace {

constexpr size_t kMostRows = 6;        // of what one transfer carries
constexpr size_t kMostNames = 8;       // of devices in a line
constexpr int32_t kMostHolders = 256;  // devices that are asked what they hold

// "X[0:128, 256:512]"; several boxes with " and ".
std::string index_text(const StoryArray& array, const std::vector<IndexBox>& boxes) {
  std::vector<std::string> out;
  for (size_t i = 0; i < boxes.size() && i < 3; ++i) {
    std::vector<std::string> ranges;
    for (const IndexRange& r : boxes[i]) ranges.push_back(fmt::format("{}:{}", r.start, r.stop));
    out.push_back(array.name + "[" + join(ranges, ", ") + "]");
  }
  std::string text = join(out, said(" and "));
  if (boxes.size() > out.size()) text += said(" and ") + counted(boxes.size() - out.size(), "more part");
  return text;
}

// "part 1 of 2 of y0 = Y[0:64, 0:128], k 0–7 of 32: the target adds it".
std::string carried_text(const Story& story, const Carried& carried) {
  if (carried.piece < 0) return said("what it carries is not known");
  const Piece& piece = story.piece(carried.piece);
  const StoryArray& array = story.arrays()[static_cast<size_t>(piece.array)];
  std::string text = name_of(story, carried.what, NameForm::words);
  if (text.empty()) text = array.name;
  if (!piece.index.empty() && !piece.index.front().empty()) text += " = " + index_text(array, piece.index);
  if (const std::string terms = long_terms(story, carried.piece); !piece.complete && !terms.empty())
    text += ", " + terms;
  return text + (carried.adds ? said(": the target adds it to what it holds") : "");
}

std::vector<std::string> carried_lines(const ViewInput& input, int32_t event) {
  std::vector<std::string> lines;
  if (!input.story) return lines;
  const auto carried = input.story->carried(input.story->transfer_of(event));
  for (size_t i = 0; i < carried.size() && i < kMostRows; ++i)
    lines.push_back(carried_text(*input.story, carried[i]));
  if (carried.size() > kMostRows) lines.push_back(say("and {} more", carried.size() - kMostRows));
  return lines;
}

std::vector<std::string> describe_event(const ViewInput& input, int32_t number) {
  const auto e = find_event(input, number);
  if (!e) return {};
  std::vector<std::string> lines{event_name(input, number)};
  lines.push_back(say("{} to {}", format_picoseconds(e->start), format_picoseconds(e->end)));
  const double seconds = to_seconds(e->end - e->start);
  if (is_transfer(*e)) {
    for (std::string& line : carried_lines(input, number)) lines.push_back(std::move(line));
    if (seconds > 0)
      lines.push_back(fmt::format("{} = {} / {}", format_rate(static_cast<double>(e->bytes) / seconds, "B/s"),
                                  format_bytes(static_cast<double>(e->bytes)), format_seconds(seconds)));
    if (e->relayed) lines.push_back(said("a further hop of this transfer"));
  } else {
    lines.push_back(say("reads and writes {}", format_bytes(static_cast<double>(e->bytes))));
    if (e->flops > 0 && seconds > 0) {
      lines.push_back(fmt::format("{} = {} / {}", format_rate(e->flops / seconds, "FLOP/s"),
                                  format_rate(e->flops, "FLOP"), format_seconds(seconds)));
    }
  }
  const Instruction* found = find_instruction(input.run.program, e->instruction);
  if (found && !found->provenance->op_name.empty()) lines.push_back(found->provenance->op_name);
  if (find_event(input, e->cause)) lines.push_back(said("waited for ") + event_name(input, e->cause));
  return lines;
}

std::vector<std::string> describe_device(const ViewInput& input, int32_t device, Picoseconds now) {
  std::vector<std::string> lines{said("device ") + device_name(input.run.mesh, device)};
  const auto& totals = input.run.timeline.totals;
  if (device < 0 || static_cast<size_t>(device) >= totals.size()) return lines;
  if (input.story && input.story->timeline().devices <= kMostStoryDevices) {
    const std::string held = holdings_text(*input.story, device, now);
    lines.push_back(held.empty() ? said("holds nothing yet") : said("holds ") + held);
  }
  const DeviceTotals& t = totals[static_cast<size_t>(device)];
  lines.push_back(say("compute {}, communication {}, exposed {}, idle {}", format_picoseconds(t.compute),
                      format_picoseconds(t.comm), format_picoseconds(t.exposed), format_picoseconds(t.idle)));
  lines.push_back(say("sent {}, received {}, peak memory {}", format_bytes(static_cast<double>(t.bytes_sent)),
                      format_bytes(static_cast<double>(t.bytes_received)),
                      format_bytes(static_cast<double>(t.peak_bytes))));
  return lines;
}

// "(0,0), (0,1) and 6 more".
std::string some_of(const std::vector<std::string>& names) {
  const std::vector<std::string> first(names.begin(), names.begin() + std::min(names.size(), kMostNames));
  return join(first, ", ") +
         (names.size() > kMostNames ? say(" and {} more", names.size() - kMostNames) : "");
}

// "(0,1) (2 of 4)": what a device has of a block; empty: nothing.
std::string held_of(const ViewInput& input, const ItemId& block, int32_t device, Picoseconds now) {
  const Story& story = *input.story;
  std::vector<std::string> notes;
  bool any = false;
  for (const PieceId id : story.held(device, now)) {
    for (const BlockPart& part : story.blocks_of(id)) {
      if (part.array != block.lane || part.block != block.index) continue;
      any = true;
      std::string note = part.parts > 1 ? say("part {} of {}", part.part, part.parts) : "";
      const std::string terms = short_terms(story, id);
      if (!terms.empty()) note += (note.empty() ? "" : ": ") + terms;
      if (!note.empty()) notes.push_back(note);
    }
  }
  if (!any) return "";
  return device_name(input.run.mesh, device) + (notes.empty() ? "" : " (" + join(notes, "; ") + ")");
}

std::vector<std::string> describe_block(const ViewInput& input, const ItemId& item, Picoseconds now) {
  if (!input.story || item.lane < 0 || static_cast<size_t>(item.lane) >= input.story->arrays().size())
    return {};
  const StoryArray& array = input.story->arrays()[static_cast<size_t>(item.lane)];
  if (item.index < 0 || item.index >= array.block_count()) return {};
  std::vector<std::string> lines{say("block {} of {}", array.block_name(item.index), array.name),
                                 index_text(array, {array.block_box(item.index)})};
  const auto names_of = [&](const std::vector<int32_t>& devices) {
    std::vector<std::string> names;
    for (const int32_t d : devices) names.push_back(device_name(input.run.mesh, d));
    return names;
  };
  if (static_cast<size_t>(item.index) < array.owners.size()) {
    const std::vector<int32_t>& owners = array.owners[static_cast<size_t>(item.index)];
    lines.push_back(
        say("{} by its sharding: {}", owners.size() == 1 ? "owner" : "owners", some_of(names_of(owners))));
  }
  const int32_t devices = input.trace.devices();
  if (devices > kMostHolders) return lines;
  std::vector<std::string> holders;
  for (int32_t d = 0; d < devices; ++d) {
    if (std::string held = held_of(input, item, d, now); !held.empty()) holders.push_back(std::move(held));
  }
  lines.push_back(holders.empty() ? said("now on no device") : said("now on ") + some_of(holders));
  return lines;
}

std::vector<std::string> describe_beat(const ViewInput& input, int32_t beat) {
  if (!input.story || beat < 0 || static_cast<size_t>(beat) >= input.story->beats().size()) return {};
  const Beat& b = input.story->beats()[static_cast<size_t>(beat)];
  return {beat_name(*input.story, beat, beat),
          say("{} to {}", format_picoseconds(b.start), format_picoseconds(b.end)),
          sentence_of(input, beat, SentenceLevel::idea)};
}

std::vector<std::string> describe_instruction(const ViewInput& input, int32_t instruction) {
  const Instruction* found = find_instruction(input.run.program, instruction);
  if (!found) return {};
  std::vector<std::string> lines{found->name + " = " + found->shape.text() + " " +
                                 std::string(opcode_text(found->opcode))};
  if (!found->provenance->op_name.empty()) lines.push_back(found->provenance->op_name);
  return lines;
}

}  // namespace

std::vector<std::string> describe(const ViewInput& input, const ItemId& item, Picoseconds now) {
  switch (item.kind) {
    case ItemId::Kind::none:
    case ItemId::Kind::handle:
    case ItemId::Kind::candidate:
      return {};
    case ItemId::Kind::event:
    case ItemId::Kind::chunk:
      return describe_event(input, item.event);
    case ItemId::Kind::event_group:
      return {say("device {}, {}: {} events merged, too short to draw apart; zoom in to see them",
                  device_name(input.run.mesh, item.device), lane_name(input, item.lane),
                  group_digits(std::max(item.index, 0)))};
    case ItemId::Kind::device:
      return describe_device(input, item.device, now);
    case ItemId::Kind::block:
      return describe_block(input, item, now);
    case ItemId::Kind::link:
      return {say("link {} → {}, {}", device_name(input.run.mesh, item.device),
                  device_name(input.run.mesh, item.index), lane_name(input, item.lane))};
    case ItemId::Kind::step:
      return describe_beat(input, item.index);
    case ItemId::Kind::instruction:
      return describe_instruction(input, item.instruction);
    case ItemId::Kind::buffer: {
      std::vector<std::string> lines = describe_device(input, item.device, now);
      if (item.instruction >= 0)
        lines.insert(lines.begin(), said("buffer of ") + instruction_name(input, item.instruction));
      return lines;
    }
  }
  return {};
}

}  // namespace shardscope::inline views
