// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <utility>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/story/piece_pool.h"
#include "engine/story/story.h"

namespace shardscope::inline story {
namespace {

const StoryArray& array_of(const Story& story, const BlockPart& part) {
  return story.arrays()[static_cast<size_t>(part.array)];
}

// Whether b is named right after a: the next block, or the next part of one.
bool follows(const BlockPart& a, const BlockPart& b) {
  if (a.array != b.array || a.parts != b.parts) return false;
  return a.parts == 1 ? b.block == a.block + 1 : b.block == a.block && b.part == a.part + 1;
}

// Names with runs of three and more drawn together: "a0–a3".
std::vector<std::string> drawn_together(const Story& story, const std::vector<BlockPart>& parts,
                                        NameForm form) {
  std::vector<std::string> out;
  for (size_t i = 0; i < parts.size();) {
    size_t last = i;
    while (last + 1 < parts.size() && follows(parts[last], parts[last + 1])) ++last;
    if (last < i + 2) last = i;
    out.push_back(name_of(story, parts[i], form));
    if (last > i) out.back() += "–" + name_of(story, parts[last], form);
    i = last + 1;
  }
  return out;
}

// The short form says only which part it is: it serves where all are parts of as many.
NameForm form_of(const std::vector<BlockPart>& parts) {
  int32_t of = 1;
  for (const BlockPart& part : parts) {
    if (part.parts == 1) continue;
    if (of != 1 && of != part.parts) return NameForm::full;
    of = part.parts;
  }
  return NameForm::small;
}

}  // namespace

std::string name_of(const Story& story, const BlockPart& part, NameForm form) {
  if (part.array < 0) return "";
  std::string block = array_of(story, part).block_name(part.block);
  if (part.parts == 1) return block;
  switch (form) {
    case NameForm::full:
      return fmt::format("{}.{}/{}", block, part.part, part.parts);
    case NameForm::small:
      return fmt::format("{}.{}", block, part.part);
    case NameForm::words:
      return fmt::format("part {} of {} of {}", part.part, part.parts, block);
  }
  return block;
}

std::string name_of_transfer(const Story& story, int32_t event, NameForm form) {
  std::vector<BlockPart> parts;
  event = story.transfer_of(event);
  for (const Carried& carried : story.carried(event))
    if (carried.piece >= 0) parts.push_back(carried.what);
  if (!parts.empty()) return join(drawn_together(story, parts, form), " ");
  const Event& e = story.timeline().events[static_cast<size_t>(event)];
  if (e.kind != EventKind::transfer) return "";
  const Instruction& i = story.program().by_global_index(e.instruction);
  if (i.opcode == Opcode::ragged_all_to_all) return counted(e.chunk_count, "row");
  return "part of " + value_name(i);
}

std::string short_terms(const Story& story, PieceId id) {
  const Piece& piece = story.piece(id);
  if (piece.complete) return "";
  const StoryArray& array = story.arrays()[static_cast<size_t>(piece.array)];
  int64_t covered = 0;
  for (const IndexRange& range : piece.terms) covered += range.size();
  const int64_t each = array.terms / std::max<int64_t>(1, array.term_parts);
  if (array.term_parts <= 64 && each > 0 && covered % each == 0)
    return fmt::format("{} of {}", covered / each, array.term_parts);
  return fmt::format("{} of {} terms", covered, array.terms);
}

std::string long_terms(const Story& story, PieceId id) {
  const Piece& piece = story.piece(id);
  if (piece.terms.empty()) return "";
  std::vector<std::string> ranges;
  for (const IndexRange& r : piece.terms)
    ranges.push_back(r.size() == 1 ? std::to_string(r.start) : fmt::format("{}–{}", r.start, r.stop - 1));
  std::string text = ranges.back();
  ranges.pop_back();
  if (!ranges.empty()) text = join(ranges, ", ") + " and " + text;
  return fmt::format("k {} of {}", text, story.arrays()[static_cast<size_t>(piece.array)].terms);
}

namespace {

// Parts that make a block whole are the block, and what is in a whole block is not named again.
void put_together(std::vector<BlockPart>& parts) {
  std::sort(parts.begin(), parts.end(), [](const BlockPart& a, const BlockPart& b) {
    return std::tie(a.array, a.block, a.parts, a.part) < std::tie(b.array, b.block, b.parts, b.part);
  });
  std::vector<BlockPart> out;
  for (size_t i = 0; i < parts.size();) {
    size_t end = i;
    while (end < parts.size() && parts[end].array == parts[i].array && parts[end].block == parts[i].block &&
           parts[end].parts == parts[i].parts)
      ++end;
    const bool inside = !out.empty() && out.back().array == parts[i].array &&
                        out.back().block == parts[i].block && out.back().parts == 1;
    if (inside) {
      i = end;
      continue;
    }
    if (end - i == static_cast<size_t>(parts[i].parts))
      out.push_back({parts[i].array, parts[i].block, 1, 1});
    else
      out.insert(out.end(), parts.begin() + static_cast<std::ptrdiff_t>(i),
                 parts.begin() + static_cast<std::ptrdiff_t>(end));
    i = end;
  }
  parts = std::move(out);
}

}  // namespace

namespace {

// Whether boxes that do not overlap have every element of a block.
bool make_whole(const std::vector<IndexBox>& boxes, const IndexBox& block) {
  int64_t missing = elements(block);
  for (size_t i = 0; i < boxes.size(); ++i) {
    const int64_t inside = common_elements(boxes[i], block);
    missing -= inside;
    for (size_t k = 0; k < i && inside > 0; ++k)
      if (common_elements(boxes[i], boxes[k]) > 0) return false;
  }
  return missing == 0;
}

// Parts of a block that are not alike, as a half and two quarters, may make it whole too.
void put_unlike_together(const Story& story, const std::vector<IndexBox>& held,
                         std::vector<BlockPart>& parts) {
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    const BlockPart& one = parts[i];
    const BlockPart& next = parts[i + 1];
    if (one.array != next.array || one.block != next.block || one.parts == next.parts) continue;
    if (!make_whole(held, array_of(story, one).block_box(one.block))) continue;
    parts[i] = {one.array, one.block, 1, 1};
  }
  put_together(parts);
}

}  // namespace

std::vector<std::string> names_of(const Story& story, std::vector<BlockPart> parts, NameForm form) {
  put_together(parts);
  return drawn_together(story, parts, form);
}

namespace {

// Of one array, and as far.
bool are_alike(const Piece& a, const Piece& b) {
  return a.array == b.array && a.complete == b.complete && (a.complete || a.terms == b.terms);
}

}  // namespace

std::vector<HeldNames> held_names(const Story& story, const std::vector<PieceId>& pieces) {
  // By array, whole pieces before sums in the making, those by how far they are.
  struct Alike {
    std::vector<BlockPart> parts;
    std::vector<IndexBox> boxes;
    PieceId example = -1;
  };
  std::map<std::tuple<int32_t, bool, std::vector<IndexRange>>, Alike> alike;
  Alike* last = nullptr;
  for (const PieceId id : pieces) {
    const Piece& piece = story.piece(id);
    if (last == nullptr || !are_alike(story.piece(last->example), piece)) {
      last = &alike[{piece.array, !piece.complete, piece.complete ? std::vector<IndexRange>() : piece.terms}];
      last->example = id;
    }
    const std::vector<BlockPart>& more = story.blocks_of(id);
    last->parts.insert(last->parts.end(), more.begin(), more.end());
    last->boxes.insert(last->boxes.end(), piece.index.begin(), piece.index.end());
  }
  std::vector<BlockPart> all;
  for (auto& [key, held] : alike) {
    put_together(held.parts);
    put_unlike_together(story, held.boxes, held.parts);
    all.insert(all.end(), held.parts.begin(), held.parts.end());
  }
  const NameForm form = form_of(all);
  std::vector<HeldNames> out;
  for (const auto& [key, held] : alike)
    out.push_back({drawn_together(story, held.parts, form), short_terms(story, held.example)});
  return out;
}

std::string holdings_text(const std::vector<HeldNames>& held) {
  std::vector<std::string> words;
  for (const HeldNames& names : held)
    words.push_back(join(names.names, " ") + (names.terms.empty() ? "" : " (" + names.terms + ")"));
  return join(words, ", ");
}

std::string holdings_text(const Story& story, int32_t device, Picoseconds time) {
  return holdings_text(held_names(story, story.held(device, time)));
}

}  // namespace shardscope::inline story
