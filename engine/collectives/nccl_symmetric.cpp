// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/nccl_symmetric.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/units.h"

namespace shardscope::inline collectives {
namespace {

using Kind = CollectiveKind;

constexpr double kGiBPerUs = (1 << 30) / 1e6;
constexpr int32_t kMostBlocks = 64;

// LL: words that carry a flag, so that no barrier is needed, for 9 times the bytes. Multicast: the switch
// copies and adds.
struct Kernel {
  Kind kind;
  const char *name, *does;
  bool ll, multicast, adds_in_switch;
};
constexpr Kernel kKernels[] = {
    {Kind::all_reduce, "AllReduce_AGxLL_R", "one-shot", true, false, false},
    {Kind::all_reduce, "AllReduce_AGxLLMC_R", "one-shot by multicast", true, true, false},
    {Kind::all_reduce, "AllReduce_RSxLD_AGxST", "two-shot", false, false, false},
    {Kind::all_reduce, "AllReduce_RSxLDMC_AGxSTMC", "two-shot by multicast", false, true, true},
    {Kind::all_gather, "AllGather_LL", "one-shot", true, false, false},
    {Kind::all_gather, "AllGather_LLMC", "one-shot by multicast", true, true, false},
    {Kind::all_gather, "AllGather_ST", "stores to all", false, false, false},
    {Kind::all_gather, "AllGather_STMC", "stores by multicast", false, true, false},
    {Kind::reduce_scatter, "ReduceScatter_LL", "one-shot", true, false, false},
    {Kind::reduce_scatter, "ReduceScatter_LD", "loads from all", false, false, false},
    {Kind::reduce_scatter, "ReduceScatter_LDMC", "loads by multicast", false, true, true},
};

// Smooth forms of min(x, ceiling) and max(0, x).
double softmin(double x, double ceiling, double softness) {
  return ceiling - softness * std::log1p((std::exp(ceiling / softness) - 1) * std::exp(-x / softness));
}
double softplus(double x) {
  return x >= 100 ? x : std::log1p(std::exp(x));
}

// Of a kernel on n ranks, in bytes and microseconds.
struct Load {
  double bus_bytes = 0;
  double multiplier = 1;  // of what a block moves
  double base_us = 0, block_rate = 0, peak_rate = 0;
  int32_t most_blocks = kMostBlocks;

  double us(int32_t blocks) const {
    const double rate = softmin(blocks * block_rate * multiplier, peak_rate, block_rate);
    return base_us + softplus(bus_bytes / rate - 1);
  }
};

// `bytes`: of an all-reduce the array, else one rank's part of it.
Load load_of(const Kernel& kernel, bool blackwell, int64_t n, int64_t bytes) {
  const bool whole = kernel.kind == Kind::all_reduce, gathers = kernel.kind == Kind::all_gather;
  const bool two_shot_in_switch = whole && kernel.adds_in_switch;
  Load out;
  if (kernel.ll) {
    out.bus_bytes = 9.0 * static_cast<double>(n * bytes);
    if (kernel.multicast) out.multiplier = 1.1;
  } else {
    out.bus_bytes = static_cast<double>(!whole               ? (n - 1) * bytes
                                        : two_shot_in_switch ? bytes / n + bytes
                                                             : 2 * bytes * (n - 1) / n);
    if (kernel.multicast) {
      out.multiplier = static_cast<double>(n) * (whole ? 1 : 0.55);
      out.most_blocks = static_cast<int32_t>(ceil_div(blackwell ? 32 : 16, n));
    }
  }
  if (blackwell) {
    out.base_us = kernel.ll ? (gathers ? 8.5 : 11) : (whole ? 19.5 : 13);
    out.block_rate = 55 * kGiBPerUs;
    out.peak_rate = (two_shot_in_switch ? 1000 : 600) * kGiBPerUs;
  } else {
    out.base_us = kernel.ll ? 4.5 : 7.8;
    out.block_rate = (whole ? 65 : 44) * kGiBPerUs;
    out.peak_rate = (two_shot_in_switch ? 480 : 320) * kGiBPerUs;
  }
  return out;
}

bool switch_adds(ElementType type, bool blackwell) {
  if (bits(type) == 8) return blackwell && element_type(type).kind == TypeKind::floating;
  return type == ElementType::bf16 || type == ElementType::f16 || type == ElementType::f32;
}

bool is_reducible(ElementType type) {
  return element_type(type).kind == TypeKind::floating && type != ElementType::f64;
}

}  // namespace

std::optional<NcclSymmetric> nccl_symmetric(const NcclMachine& machine, const NcclCollective& collective) {
  constexpr double kLlBytes = 2.0 * (1 << 30), kBytes = 64.0 * (1 << 30);
  constexpr double kDearer = 0.025, kNearEnough = 1.025;  // a block; of the least time
  const int64_t n = machine.ranks();
  const bool whole = collective.kind == Kind::all_reduce, gathers = collective.kind == Kind::all_gather;
  if (machine.nodes != 1 || n < 2 || collective.bytes <= 0 ||
      static_cast<double>(collective.bytes) >= kBytes || (!gathers && !is_reducible(collective.type)))
    return std::nullopt;
  const bool blackwell = machine.generation == NcclGeneration::blackwell;
  const bool has_multicast = machine.generation != NcclGeneration::ampere && n > 2;
  std::optional<NcclSymmetric> out;
  const auto price = [&](const NcclSymmetric& it) { return it.seconds * (1 + kDearer * it.blocks); };
  for (const Kernel& kernel : kKernels) {
    if (kernel.kind != collective.kind || (kernel.multicast && !has_multicast) ||
        (kernel.adds_in_switch && !switch_adds(collective.type, blackwell)) ||
        (kernel.ll && static_cast<double>(collective.bytes) >= kLlBytes))
      continue;
    const Load load = load_of(kernel, blackwell, n, whole ? collective.bytes : collective.bytes / n);
    NcclSymmetric it{kernel.name, kernel.does, load.us(load.most_blocks), load.most_blocks};
    // The fewest blocks that come near enough.
    for (int32_t blocks = 1; blocks < load.most_blocks; ++blocks) {
      if (load.us(blocks) > kNearEnough * it.seconds) continue;
      it.blocks = blocks;
      it.seconds = load.us(blocks);
      break;
    }
    it.seconds *= 1e-6;
    if (!out || price(it) < price(*out)) out = it;
  }
  return out;
}

std::string words_of(const NcclSymmetric& it) {
  return fmt::format("from symmetric memory {} ({}) with {}, {}", it.does, it.kernel,
                     counted(it.blocks, "block"), format_seconds(it.seconds));
}

}  // namespace shardscope::inline collectives
