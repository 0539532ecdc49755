// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/collective_chunks.h"

#include <algorithm>
#include <fmt/format.h>

#include "views/scene/story/event_text.h"

namespace shardscope {
namespace {

constexpr int64_t kMostBlocks = 4096;  // beyond, blocks are called by their number alone

// Part `place` of `parts` of a box along one dimension.
IndexBox cut(IndexBox box, size_t dimension, int64_t place, int64_t parts) {
  if (dimension >= box.size() || parts <= 1) return box;
  const int64_t size = box[dimension].size();
  const int64_t start = box[dimension].start;
  box[dimension] = {start + size * place / parts, start + size * (place + 1) / parts};
  return box;
}

int64_t volume(const IndexBox& box) {
  int64_t out = 1;
  for (const IndexRange& r : box) out *= std::max<int64_t>(0, r.size());
  return out;
}

int64_t common(const IndexBox& a, const IndexBox& b) {
  int64_t out = 1;
  for (size_t i = 0; i < a.size(); ++i)
    out *= std::max<int64_t>(0, std::min(a[i].stop, b[i].stop) - std::max(a[i].start, b[i].start));
  return out;
}

std::string share_text(int64_t part, int64_t whole) {
  if (part >= whole) return "";
  if (2 * part == whole) return "half of ";
  return part > 0 && whole % part == 0 ? fmt::format("1/{} of ", whole / part) : "part of ";
}

}  // namespace

std::optional<CollectiveChunks> CollectiveChunks::make(const ViewInput& input, int32_t global_index) {
  const Instruction* found = find_instruction(input.run.program, global_index);
  const TimedCollective* timed = find_schedule(input.run.timeline, global_index);
  if (!found || found->operands.empty() || !timed || timed->schedule->chunks() < 1) return std::nullopt;
  const CollectiveKind kind = timed->schedule->kind();
  if (kind == CollectiveKind::permute || found->opcode == Opcode::ragged_all_to_all) return std::nullopt;
  CollectiveChunks out(input, *found, *timed);
  if (kind == CollectiveKind::all_gather || kind == CollectiveKind::reduce_scatter) {
    std::vector<int32_t> of_rank(static_cast<size_t>(timed->schedule->ranks()), 0);
    for (int32_t c = 0; c < timed->schedule->chunks(); ++c)
      out.part_.push_back(of_rank[static_cast<size_t>(timed->schedule->home(c))]++);
  }
  return out;
}

int32_t CollectiveChunks::group_of(int32_t device) const {
  return timed_.groups->group_of[static_cast<size_t>(device)];
}

int32_t CollectiveChunks::owner(int32_t device, int64_t chunk) const {
  const int32_t group = group_of(device);
  if (group < 0 || chunk < 0) return device;
  const bool rooted = kind() == CollectiveKind::broadcast || kind() == CollectiveKind::reduce;
  const int32_t rank = rooted ? 0 : schedule().home(static_cast<int32_t>(chunk % chunks()));
  return timed_.groups->members[static_cast<size_t>(group)][static_cast<size_t>(rank)];
}

int64_t CollectiveChunks::parts() const {
  if (kind() == CollectiveKind::all_to_all) return chunks() / schedule().ranks() / schedule().ranks();
  return part_.empty() ? chunks() : chunks() / schedule().ranks();
}

int64_t CollectiveChunks::part(int64_t chunk) const {
  return part_.empty() ? chunk % parts() : part_[static_cast<size_t>(chunk)];
}

std::vector<HeldPiece> CollectiveChunks::pieces(int32_t device, int64_t chunk) const {
  if (group_of(device) < 0 || !input_.holdings || chunk < 0) return {};
  chunk %= chunks();
  const int64_t ranks = schedule().ranks();
  const int32_t home = schedule().home(static_cast<int32_t>(chunk));
  const auto along = static_cast<size_t>(i_.dimensions.empty() ? 0 : i_.dimensions[0]);
  const DeviceId from = reduces() ? DeviceId(device) : DeviceId(owner(device, chunk));
  std::vector<HeldPiece> out = input_.holdings->at(i_.operands[0], from);
  for (HeldPiece& piece : out) {
    if (kind() == CollectiveKind::reduce_scatter) piece.box = cut(piece.box, along, home, ranks);
    if (kind() == CollectiveKind::all_to_all)
      piece.box = cut(piece.box, along, (home + chunk / parts() % ranks) % ranks, ranks);
    piece.box = cut(piece.box, 0, part(chunk), parts());
  }
  return out;
}

bool CollectiveChunks::adds(const Event& transfer) const {
  const int32_t step = transfer.transfer_step;
  if (group_of(transfer.device) < 0 || !reduces() || step < 0 || step >= schedule().steps()) return false;
  const auto rank = [&](int32_t device) { return timed_.groups->rank_of[static_cast<size_t>(device)]; };
  std::vector<Transfer> transfers;
  schedule().append_from(step, rank(transfer.device), transfers);
  for (const Transfer& t : transfers) {
    if (t.target == rank(transfer.peer) && t.chunk == transfer.chunk) return t.adds;
  }
  return false;
}

CarriedBlocks::CarriedBlocks(const ViewInput& input) : input_(input) {
  if (!input.run.program.computations.empty()) arrays_ = blocked_arrays(input.run.program);
  for (const BlockedArray& a : arrays_) {
    std::vector<IndexBox>& boxes = boxes_.emplace_back();
    for (int64_t b = 0; b < a.block_count() && a.block_count() <= kMostBlocks; ++b) boxes.push_back(a.box(b));
  }
}

std::vector<HeldPiece> CarriedBlocks::pieces_of(const Event& e, int32_t* owner) {
  const Program& program = input_.run.program;
  const Instruction* found = find_instruction(program, e.instruction);
  if (!found || found->operands.empty()) return {};
  if (found->opcode == Opcode::collective_permute) {
    const int32_t place = e.instruction - program.global_index(program.entry, InstructionId(0));
    if (!input_.holdings || place < 0) return {};
    return input_.holdings->at(found->operands[0], DeviceId(e.device));
  }
  auto at = chunks_.find(e.instruction);
  if (at == chunks_.end())
    at = chunks_.emplace(e.instruction, CollectiveChunks::make(input_, e.instruction)).first;
  if (!at->second || e.chunk < 0) return {};
  *owner = at->second->owner(e.device, e.chunk);
  std::vector<HeldPiece> out;
  for (int32_t n = 0; n < std::max(1, e.chunk_count); ++n) {
    for (const HeldPiece& piece : at->second->pieces(e.device, e.chunk + n)) out.push_back(piece);
  }
  return out;
}

CarriedWords CarriedBlocks::of(const Event& e) {
  CarriedWords out{e.chunk >= 0 ? std::to_string(e.chunk) : "", block_text(e), e.device, ArrayRole::lhs};
  const Instruction* found = find_instruction(input_.run.program, e.instruction);
  if (found && found->opcode == Opcode::ragged_all_to_all) {
    out.label = std::to_string(e.chunk_count);
    out.text = fmt::format("{} row{}", e.chunk_count, e.chunk_count == 1 ? "" : "s");
    return out;
  }
  const std::vector<HeldPiece> pieces = pieces_of(e, &out.owner);
  for (size_t i = 0; i < arrays_.size(); ++i) {
    const BlockedArray& a = arrays_[i];
    std::vector<int64_t> touched;
    int64_t part = 0;
    int64_t whole = 0;
    for (size_t b = 0; b < boxes_[i].size(); ++b) {
      const IndexBox& box = boxes_[i][b];
      int64_t covered = 0;
      for (const HeldPiece& p : pieces) {
        if (p.array == a.info->role && p.box.size() == box.size()) covered += common(p.box, box);
      }
      if (covered == 0) continue;
      touched.push_back(static_cast<int64_t>(b));
      part += covered;
      whole += volume(box);
    }
    if (touched.empty()) continue;
    out.array = a.info->role;
    out.label = block_names(a, touched);
    out.text = share_text(part, whole) + out.label;
    const std::vector<int32_t>& owners = a.owners[static_cast<size_t>(touched.front())];
    // A block that a member of the collective owns wears its colour; sums wear that of their block's first
    // owner.
    if (std::find(owners.begin(), owners.end(), out.owner) == owners.end()) out.owner = owners.front();
    break;
  }
  return out;
}

std::string block_names(const BlockedArray& array, const std::vector<int64_t>& blocks) {
  std::string out;
  for (size_t i = 0; i < blocks.size();) {
    size_t last = i;
    while (last + 1 < blocks.size() && blocks[last + 1] == blocks[last] + 1) ++last;
    if (last < i + 2) last = i;
    out += (out.empty() ? "" : " ") + array.block_name(blocks[i]);
    if (last > i) out += "–" + array.block_name(blocks[last]);
    i = last + 1;
  }
  return out;
}

}  // namespace shardscope
