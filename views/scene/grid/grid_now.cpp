// SPDX-License-Identifier: Apache-2.0
#include "views/scene/grid/grid_now.h"

#include <algorithm>

#include "engine/base/say.h"

namespace shardscope {
namespace {

constexpr double kAll = 0.999;
constexpr size_t kMostUneven = 64;  // pieces drawn in one block

bool drawable(const StoryArray& a) {
  return !a.is_local() && !a.dims.empty() && a.block_count() > 0 &&
         static_cast<int64_t>(a.owners.size()) == a.block_count();
}

// "4 of 4" in the words of a sum that is not complete: "1 of 4".
std::string all_of(const std::string& unfinished) {
  const size_t at = unfinished.find(" of ");
  if (at == std::string::npos) return "all";
  const std::string whole = unfinished.substr(at + 4);
  return whole.substr(0, whole.find(' ')) + " of " + whole;
}

// "1–2 of 4" of the least and the most.
std::string range_text(const std::string& least, const std::string& most) {
  if (least == most || least.empty() || most.empty()) return most.empty() ? least : most;
  const size_t at = least.find(" of ");
  const size_t to = most.find(" of ");
  if (at == std::string::npos || to == std::string::npos || least.substr(at) != most.substr(to))
    return least + "–" + most;
  return least.substr(0, at) + "–" + most;
}

}  // namespace

double covered(const Piece& piece, const IndexBox& box) {
  double whole = 1;
  for (const IndexRange& r : box) whole *= static_cast<double>(std::max<int64_t>(1, r.size()));
  double out = 0;
  for (const IndexBox& part : piece.index) {
    if (part.size() != box.size()) continue;
    double common = 1;
    for (size_t i = 0; i < box.size(); ++i)
      common *= static_cast<double>(
          std::max<int64_t>(0, std::min(part[i].stop, box[i].stop) - std::max(part[i].start, box[i].start)));
    out += common / whole;
  }
  return out;
}

int64_t term_count(const Piece& piece) {
  int64_t out = 0;
  for (const IndexRange& r : piece.terms) out += r.size();
  return out;
}

GridNow::GridNow(const Story& story, Picoseconds time) : story_(story) {
  const std::vector<StoryArray>& arrays = story.arrays();
  holders_.resize(arrays.size());
  input_ = story.arrays_held(0);
  std::vector<bool> held(arrays.size());
  for (size_t a = 0; a < arrays.size(); ++a) {
    if (drawable(arrays[a])) holders_[a].resize(static_cast<size_t>(arrays[a].block_count()));
  }
  const auto devices = static_cast<int32_t>(story.program().mesh.device_count());
  for (int32_t d = 0; d < devices; ++d) {
    on_device_.push_back(story.held(d, time));
    for (const PieceId id : on_device_.back()) {
      for (const BlockPart& part : story.blocks_of(id)) {
        std::vector<std::vector<BlockHolder>>& blocks = holders_[static_cast<size_t>(part.array)];
        if (part.block < 0 || static_cast<size_t>(part.block) >= blocks.size()) continue;
        std::vector<BlockHolder>& of = blocks[static_cast<size_t>(part.block)];
        if (of.empty() || of.back().device != d || of.back().piece != id) of.push_back({d, id});
        held[static_cast<size_t>(part.array)] = true;
      }
    }
  }
  for (size_t a = 0; a < arrays.size(); ++a) {
    if (drawable(arrays[a]) && (!arrays[a].role.empty() || held[a]))
      shown_.push_back(static_cast<int32_t>(a));
  }
  const auto made = [&](int32_t a) { return arrays[static_cast<size_t>(a)].role.empty(); };
  std::stable_sort(shown_.begin(), shown_.end(), [&](int32_t a, int32_t b) { return made(a) < made(b); });
}

BlockNow GridNow::block(int32_t array, int64_t block, int32_t pointed_device) const {
  const std::vector<BlockHolder>& held = holders(array, block);
  const IndexBox box = story_.arrays()[static_cast<size_t>(array)].block_box(block);
  BlockNow out;
  out.was_input = input_[static_cast<size_t>(array)];
  for (const BlockHolder& h : held) {
    const Piece& piece = story_.piece(h.piece);
    const double part = covered(piece, box);
    if (part <= 0) continue;
    if (out.holders.empty() || out.holders.back().device != h.device) out.holders.push_back({h.device, 0, 0});
    BlockNow::Share& share = out.holders.back();
    share.some = std::min(1.0, share.some + part);
    if (piece.complete) share.whole = std::min(1.0, share.whole + part);
  }
  for (const BlockNow::Share& share : out.holders) out.whole += share.whole > kAll;
  judge_terms(out, held, pointed_device);
  if (out.whole == 0 && out.note.empty() && !out.holders.empty()) out.note = said("in parts");
  return out;
}

// Empty when both are complete.
std::string GridNow::terms_between(PieceId least, PieceId most) const {
  const std::string from = short_terms(story_, least);
  const std::string to = short_terms(story_, most);
  return from.empty() ? "" : range_text(from, to.empty() ? all_of(from) : to);
}

void GridNow::judge_terms(BlockNow& out, const std::vector<BlockHolder>& held, int32_t pointed_device) const {
  PieceId least = -1;
  PieceId most = -1;
  double best = -1;
  const auto fewer = [&](PieceId a, PieceId b) {
    return term_count(story_.piece(a)) < term_count(story_.piece(b));
  };
  for (BlockNow::Share& share : out.holders) {
    std::vector<PieceId> own;
    double sum = share.device == pointed_device ? 1e300 : 0;
    for (const BlockHolder& h : held) {
      if (h.device != share.device || story_.piece(h.piece).terms.empty()) continue;
      own.push_back(h.piece);
      sum += static_cast<double>(term_count(story_.piece(h.piece)));
    }
    if (own.empty() || share.whole > kAll) continue;
    std::stable_sort(own.begin(), own.end(), fewer);
    share.terms = terms_between(own.front(), own.back());
    if (least < 0 || fewer(own.front(), least)) least = own.front();
    if (most < 0 || fewer(most, own.back())) most = own.back();
    if (sum <= best) continue;
    best = sum;
    out.uneven = own;
  }
  if (least >= 0 && out.whole == 0) out.note = terms_between(least, most);
  const bool same = out.uneven.empty() || term_count(story_.piece(out.uneven.front())) ==
                                              term_count(story_.piece(out.uneven.back()));
  if (same || out.whole > 0 || out.uneven.size() > kMostUneven) out.uneven.clear();
}

}  // namespace shardscope
