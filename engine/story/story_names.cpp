// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "engine/base/text.h"
#include "engine/story/story.h"

namespace shardscope {
namespace {

const StoryArray& array_of(const Story& story, const BlockPart& part) {
  return story.arrays()[static_cast<size_t>(part.array)];
}

// Names with runs of three and more whole blocks drawn together: "a0–a3".
std::string joined_names(const Story& story, const std::vector<BlockPart>& parts, NameForm form) {
  std::string out;
  for (size_t i = 0; i < parts.size();) {
    size_t last = i;
    while (last + 1 < parts.size() && parts[i].parts == 1 && parts[last + 1].parts == 1 &&
           parts[last + 1].array == parts[i].array && parts[last + 1].block == parts[last].block + 1)
      ++last;
    if (last < i + 2) last = i;
    out += (out.empty() ? "" : " ") + name_of(story, parts[i], form);
    if (last > i) out += "–" + name_of(story, parts[last], form);
    i = last + 1;
  }
  return out;
}

}  // namespace

std::string name_of(const Story& story, const BlockPart& part, NameForm form) {
  if (part.array < 0) return "";
  const std::string block = array_of(story, part).block_name(part.block);
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
  for (const Carried& carried : story.carried(event))
    if (carried.piece >= 0) parts.push_back(carried.what);
  if (!parts.empty()) return joined_names(story, parts, form);
  const Event& e = story.timeline().events[static_cast<size_t>(event)];
  if (e.kind != EventKind::transfer) return "";
  const Instruction& i = story.program().by_global_index(e.instruction);
  if (i.opcode == Opcode::ragged_all_to_all)
    return fmt::format("{} row{}", e.chunk_count, e.chunk_count == 1 ? "" : "s");
  return "part of " + i.name;
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

// Parts that make a block whole are the block.
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

std::string holdings_text(const Story& story, int32_t device, Picoseconds time) {
  std::vector<std::string> words;
  std::vector<BlockPart> whole;
  const auto flush = [&] {
    put_together(whole);
    if (!whole.empty()) words.push_back(joined_names(story, whole, NameForm::small));
    whole.clear();
  };
  for (const PieceId id : story.held(device, time)) {
    const std::vector<BlockPart>& parts = story.blocks_of(id);
    if (!whole.empty() && !parts.empty() && whole.front().array != parts.front().array) flush();
    if (story.piece(id).complete) {
      whole.insert(whole.end(), parts.begin(), parts.end());
      continue;
    }
    flush();
    words.push_back(joined_names(story, parts, NameForm::small) + " (" + short_terms(story, id) + ")");
  }
  flush();
  return join(words, ", ");
}

}  // namespace shardscope
