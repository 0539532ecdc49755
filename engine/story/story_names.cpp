// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <utility>

#include "engine/base/text.h"
#include "engine/story/story.h"

namespace shardscope {
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
std::string joined_names(const Story& story, const std::vector<BlockPart>& parts, NameForm form) {
  std::string out;
  for (size_t i = 0; i < parts.size();) {
    size_t last = i;
    while (last + 1 < parts.size() && follows(parts[last], parts[last + 1])) ++last;
    if (last < i + 2) last = i;
    out += (out.empty() ? "" : " ") + name_of(story, parts[i], form);
    if (last > i) out += "–" + name_of(story, parts[last], form);
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
  event = story.transfer_of(event);
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
  // By array, whole pieces before sums in the making, those by how far they are.
  std::map<std::tuple<int32_t, bool, std::vector<IndexRange>>, std::pair<std::vector<BlockPart>, PieceId>>
      alike;
  for (const PieceId id : story.held(device, time)) {
    const Piece& piece = story.piece(id);
    auto& [parts, example] =
        alike[{piece.array, !piece.complete, piece.complete ? std::vector<IndexRange>() : piece.terms}];
    const std::vector<BlockPart>& more = story.blocks_of(id);
    parts.insert(parts.end(), more.begin(), more.end());
    example = id;
  }
  std::vector<BlockPart> all;
  for (auto& [key, held] : alike) {
    put_together(held.first);
    all.insert(all.end(), held.first.begin(), held.first.end());
  }
  const NameForm form = form_of(all);
  std::vector<std::string> words;
  for (const auto& [key, held] : alike) {
    const std::string terms = short_terms(story, held.second);
    words.push_back(joined_names(story, held.first, form) + (terms.empty() ? "" : " (" + terms + ")"));
  }
  return join(words, ", ");
}

}  // namespace shardscope
