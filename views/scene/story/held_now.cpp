// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/held_now.h"

#include <algorithm>

#include "engine/base/say.h"
#include "views/scene/core/pen.h"

namespace shardscope::inline views {
namespace {

constexpr double kAll = 0.999;
constexpr size_t kMostUneven = 64;  // pieces drawn in one block
constexpr size_t kMostListed = 16;  // devices that a block's words name

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

// How much of `box` the piece covers, 0 to 1.
double part_covered(const Piece& piece, const IndexBox& box) {
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

}  // namespace

int64_t term_count(const Piece& piece) {
  int64_t out = 0;
  for (const IndexRange& r : piece.terms) out += r.size();
  return out;
}

std::string title_of(const StoryArray& array) {
  return array.name + (array.transposed ? "ᵀ" : "");
}

HeldNow::HeldNow(const Story& story, Picoseconds time)
    : story_(story),
      time_(time),
      steady_(story.steady(time)),
      devices_(static_cast<size_t>(story.program().mesh.device_count())) {}

bool HeldNow::tells(const Story& story, Picoseconds time) const {
  return &story == &story_ && steady_.start <= time && time < steady_.end;
}

const std::vector<PieceId>& HeldNow::pieces_on(int32_t device) const {
  Device& of = devices_[static_cast<size_t>(device)];
  if (!of.pieces) of.pieces = story_.held(device, time_);
  return *of.pieces;
}

const std::vector<HeldNames>& HeldNow::names_on(int32_t device) const {
  Device& of = devices_[static_cast<size_t>(device)];
  if (!of.names) of.names = held_names(story_, pieces_on(device));
  return *of.names;
}

const std::string& HeldNow::holdings(int32_t device) const {
  Device& of = devices_[static_cast<size_t>(device)];
  if (!of.text) of.text = holdings_text(names_on(device));
  return *of.text;
}

const std::vector<HeldItem>& HeldNow::items(int32_t device) const {
  Device& of = devices_[static_cast<size_t>(device)];
  if (!of.items) of.items = held_items(names_on(device));
  return *of.items;
}

HeldNow::Blocks& HeldNow::blocks() const {
  if (!blocks_) hold_blocks(blocks_.emplace());
  return *blocks_;
}

void HeldNow::hold_blocks(Blocks& out) const {
  const std::vector<StoryArray>& arrays = story_.arrays();
  out.of.resize(arrays.size());
  out.input = story_.arrays_held(0);
  std::vector<bool> held(arrays.size());
  for (size_t a = 0; a < arrays.size(); ++a) {
    if (drawable(arrays[a])) out.of[a].resize(static_cast<size_t>(arrays[a].block_count()));
  }
  for (int32_t d = 0; d < static_cast<int32_t>(devices_.size()); ++d) {
    for (const PieceId id : pieces_on(d)) {
      for (const BlockPart& part : story_.blocks_of(id)) {
        std::vector<Block>& blocks = out.of[static_cast<size_t>(part.array)];
        if (part.block < 0 || static_cast<size_t>(part.block) >= blocks.size()) continue;
        std::vector<BlockHolder>& of = blocks[static_cast<size_t>(part.block)].held;
        if (of.empty() || of.back().device != d || of.back().piece != id) of.push_back({d, id});
        held[static_cast<size_t>(part.array)] = true;
      }
    }
  }
  for (size_t a = 0; a < arrays.size(); ++a) {
    if (drawable(arrays[a]) && (!arrays[a].role.empty() || held[a]))
      out.shown.push_back(static_cast<int32_t>(a));
  }
  const auto made = [&](int32_t a) { return arrays[static_cast<size_t>(a)].role.empty(); };
  std::stable_sort(out.shown.begin(), out.shown.end(),
                   [&](int32_t a, int32_t b) { return made(a) < made(b); });
}

int64_t HeldNow::block_count(int32_t array) const {
  return std::ssize(blocks().of[static_cast<size_t>(array)]);
}

HeldNow::Block& HeldNow::at(int32_t array, int64_t block) const {
  return blocks().of[static_cast<size_t>(array)][static_cast<size_t>(block)];
}

const std::vector<BlockHolder>& HeldNow::holders(int32_t array, int64_t block) const {
  return at(array, block).held;
}

HeldNow::BlockSaid& HeldNow::said_of(int32_t array, int64_t block) const {
  Block& of = at(array, block);
  if (of.said != nullptr) return *of.said;
  of.said = std::make_unique<BlockSaid>();
  BlockNow& out = of.said->now;
  const IndexBox box = story_.arrays()[static_cast<size_t>(array)].block_box(block);
  out.was_input = blocks().input[static_cast<size_t>(array)];
  for (const BlockHolder& h : of.held) {
    const Piece& piece = story_.piece(h.piece);
    const double part = part_covered(piece, box);
    if (part <= 0) continue;
    if (out.holders.empty() || out.holders.back().device != h.device) out.holders.push_back({h.device, 0, 0});
    BlockNow::Share& share = out.holders.back();
    share.some = std::min(1.0, share.some + part);
    if (piece.complete) share.whole = std::min(1.0, share.whole + part);
  }
  for (const BlockNow::Share& share : out.holders) out.whole += share.whole > kAll;
  judge_terms(out, of.held);
  if (out.whole == 0 && out.note.empty() && !out.holders.empty()) out.note = said("in parts");
  return *of.said;
}

const BlockNow& HeldNow::block(int32_t array, int64_t block) const {
  return said_of(array, block).now;
}

const std::string& HeldNow::block_words(int32_t array, int64_t block) const {
  BlockSaid& of = said_of(array, block);
  if (!of.words.empty()) return of.words;
  std::string who;
  for (size_t i = 0; i < of.now.holders.size() && i < kMostListed; ++i) {
    const BlockNow::Share& holder = of.now.holders[i];
    who += (i > 0 ? ", " : "") + device_name(story_.program().mesh, holder.device);
    if (!holder.terms.empty())
      who += " (" + holder.terms + ")";
    else if (holder.some < kAll)
      who += say(" ({} of it)", format_percent(holder.some));
  }
  if (of.now.holders.size() > kMostListed) who += say(" and {} more", of.now.holders.size() - kMostListed);
  const std::string none = of.now.was_input ? said("no longer held") : said("not there yet");
  const StoryArray& a = story_.arrays()[static_cast<size_t>(array)];
  of.words = say("block {} of {}, {}", a.block_name(block), title_of(a),
                 who.empty() ? none : said("held by ") + who);
  return of.words;
}

// Empty when both are complete.
std::string HeldNow::terms_between(PieceId least, PieceId most) const {
  const std::string from = short_terms(story_, least);
  const std::string to = short_terms(story_, most);
  return from.empty() ? "" : range_text(from, to.empty() ? all_of(from) : to);
}

// Those of a device, furthest behind first.
std::vector<PieceId> HeldNow::sums_of(const std::vector<BlockHolder>& held, int32_t device) const {
  std::vector<PieceId> own;
  const auto from = std::lower_bound(held.begin(), held.end(), device,
                                     [](const BlockHolder& h, int32_t d) { return h.device < d; });
  for (auto h = from; h != held.end() && h->device == device; ++h) {
    if (!story_.piece(h->piece).terms.empty()) own.push_back(h->piece);
  }
  std::stable_sort(own.begin(), own.end(), [&](PieceId a, PieceId b) {
    return term_count(story_.piece(a)) < term_count(story_.piece(b));
  });
  return own;
}

void HeldNow::judge_terms(BlockNow& out, const std::vector<BlockHolder>& held) const {
  PieceId least = -1;
  PieceId most = -1;
  int64_t best = -1;
  const auto count = [&](PieceId id) { return term_count(story_.piece(id)); };
  for (BlockNow::Share& share : out.holders) {
    if (share.whole > kAll) continue;
    const std::vector<PieceId> own = sums_of(held, share.device);
    if (own.empty()) continue;
    int64_t sum = 0;
    for (const PieceId id : own) sum += count(id);
    share.terms = terms_between(own.front(), own.back());
    if (least < 0 || count(own.front()) < count(least)) least = own.front();
    if (most < 0 || count(most) < count(own.back())) most = own.back();
    if (sum <= best) continue;
    best = sum;
    out.furthest = share.device;
  }
  if (least >= 0 && out.whole == 0) out.note = terms_between(least, most);
}

std::vector<PieceId> HeldNow::uneven(int32_t array, int64_t block, int32_t device) const {
  const BlockNow& now = said_of(array, block).now;
  if (now.whole > 0 || now.furthest < 0) return {};
  const std::vector<BlockHolder>& held = at(array, block).held;
  const auto share = std::find_if(now.holders.begin(), now.holders.end(),
                                  [&](const BlockNow::Share& s) { return s.device == device; });
  std::vector<PieceId> own;
  if (share != now.holders.end()) own = sums_of(held, device);
  if (own.empty()) own = sums_of(held, now.furthest);
  const bool same = term_count(story_.piece(own.front())) == term_count(story_.piece(own.back()));
  if (same || own.size() > kMostUneven) own.clear();
  return own;
}

}  // namespace shardscope::inline views
