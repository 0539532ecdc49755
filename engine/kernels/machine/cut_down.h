// SPDX-License-Identifier: Apache-2.0
// Choices of a run, left out one part after the other as long as what is left fails still.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/kernels/machine/schedule.h"

namespace shardscope::kernels {

// An action under a name that stays when others are left out: a DMA is its starter's n-th, for numbers run
// over the starts of all devices.
struct Move {
  Action::Kind kind = Action::Kind::device;
  int32_t device = 0, nth = 0;
  bool operator==(const Move&) const = default;
};
using Moves = std::vector<Move>;

// A program, and what its outputs should hold: both null where numbers do not matter.
struct Judged {
  const KernelProgram& program;
  const KernelData* inputs = nullptr;
  const KernelData* expected = nullptr;
};

struct Failure {
  Moves moves;
  std::vector<Action> choices;
  KernelFinding finding;
};

Moves moves_of(const KernelProgram& program, const std::vector<Action>& choices);

// Those of `moves` that can be done, in order, until `kind` is found, or where nothing can move any more.
// Nothing: it is not.
std::optional<Failure> fails(const Judged& judged, const Moves& moves, FindingKind kind);

// Where replays are left over, none of its moves can be left out. Errors: cancelled.
Result<Failure> cut_down(const Judged& judged, Failure failure, FindingKind kind, int64_t& replays,
                         const std::stop_token& stop);

}  // namespace shardscope::kernels
