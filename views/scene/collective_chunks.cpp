// SPDX-License-Identifier: Apache-2.0
#include "views/scene/collective_chunks.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/collectives/opcode_kind.h"
#include "views/scene/event_text.h"

namespace shardscope {
namespace {

constexpr int64_t kMostBlocks = 4096;  // beyond, blocks are called by their number alone

// The collectives whose chunks are followed while they arrive.
std::optional<CollectiveKind> chunked_kind(Opcode opcode) {
  const auto kind = collective_kind(opcode);
  const bool chunked = kind == CollectiveKind::all_gather || kind == CollectiveKind::reduce_scatter ||
                       kind == CollectiveKind::all_reduce;
  return chunked ? kind : std::nullopt;
}

// An axis that does not wrap makes a ring the line form, whose shards are not halved.
GroupTopology topology_of(const ViewInput& input, const Instruction& collective) {
  GroupTopology topology;
  const Topology chips = input.run.hardware.topology;
  topology.all_pairs = chips == Topology::full || chips == Topology::switch_;
  const Mesh& mesh = input.run.program.mesh;
  for (const std::string& axis : collective_axes(input.run.program, collective)) {
    for (const MeshAxis& a : mesh.axes())
      topology.wraps = topology.wraps && (a.name != axis || (a.wrap && chips != Topology::line));
  }
  return topology;
}

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
  if (!found || found->operands.empty()) return std::nullopt;
  const auto kind = chunked_kind(found->opcode);
  const auto algorithm = parse_collective_algorithm(found->algorithm.empty() ? "auto" : found->algorithm);
  if (!kind || !algorithm.ok()) return std::nullopt;
  CollectiveChunks out(input, *found);
  out.kind_ = *kind;
  out.groups_ = device_groups(input.run.program, *found);
  if (out.groups_.empty() || out.groups_.front().empty()) return std::nullopt;
  const auto lowered =
      lower(*kind, *algorithm, static_cast<int32_t>(out.groups_.front().size()), topology_of(input, *found));
  if (!lowered.ok() || (*lowered)->chunks() < 1) return std::nullopt;
  out.schedule_ = *lowered;
  return out;
}

const std::vector<DeviceId>* CollectiveChunks::group_of(int32_t device) const {
  for (const std::vector<DeviceId>& group : groups_) {
    if (std::find(group.begin(), group.end(), DeviceId(device)) != group.end()) return &group;
  }
  return nullptr;
}

int32_t CollectiveChunks::owner(int32_t device, int64_t chunk) const {
  const std::vector<DeviceId>* group = group_of(device);
  if (!group || chunk < 0) return device;
  const auto ranks = static_cast<int64_t>(group->size());
  return static_cast<int32_t>((*group)[static_cast<size_t>(chunk % chunks() * ranks / chunks())].value);
}

std::vector<HeldPiece> CollectiveChunks::pieces(int32_t device, int64_t chunk) const {
  const std::vector<DeviceId>* group = group_of(device);
  if (!group || !input_.holdings || chunk < 0) return {};
  chunk %= chunks();
  const auto ranks = static_cast<int64_t>(group->size());
  const int64_t per_rank = std::max<int64_t>(1, chunks() / ranks);
  const DeviceId from = reduces() ? DeviceId(device) : DeviceId(owner(device, chunk));
  std::vector<HeldPiece> out = input_.holdings->at(i_.operands[0], from);
  for (HeldPiece& piece : out) {
    if (reduces()) {
      const size_t along = kind_ == CollectiveKind::reduce_scatter && !i_.dimensions.empty()
                               ? static_cast<size_t>(i_.dimensions[0])
                               : 0;
      piece.box = cut(piece.box, along, chunk / per_rank, ranks);
    }
    piece.box = cut(piece.box, 0, chunk % per_rank, per_rank);
  }
  return out;
}

bool CollectiveChunks::adds(int32_t transfer_step) const {
  if (!reduces() || transfer_step < 0 || transfer_step >= schedule_->steps()) return false;
  std::vector<Transfer> transfers;
  schedule_->append_step(transfer_step, transfers);
  return !transfers.empty() && transfers.front().adds;
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

Carried CarriedBlocks::of(const Event& e) {
  Carried out{e.chunk >= 0 ? std::to_string(e.chunk) : "", block_text(e), e.device, ArrayRole::lhs};
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
