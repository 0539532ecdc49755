// SPDX-License-Identifier: Apache-2.0
// Which instructions of two modules are the same one: of two stages by what each is there for, of any two
// modules by what they compute.
#pragma once

#include <cstdint>
#include <stop_token>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/stages/stage.h"

namespace shardscope::inline program {

// What became of an instruction in the other module. changed: it has a counterpart that says something else
// or reads something else. alone: it has none.
enum class Fate : unsigned char { same, changed, alone };

// Of one of the modules, by the instructions' numbers.
struct MatchedSide {
  std::vector<int32_t> counterpart;  // -1: none
  std::vector<Fate> fate;
  int64_t count(Fate of) const;
  bool operator==(const MatchedSide&) const = default;
};

struct ModuleMatching {
  MatchedSide before, after;
  // `made` of the second is there for `source` of the first. Of any two modules the counterparts alone.
  StageLinks links;
  // Computations of the first and their equals in the second, the entries first.
  std::vector<std::pair<ComputationId, ComputationId>> computations;
  bool equal() const;
};

// `later` comes from `earlier`, over any number of stages. An instruction's counterpart is, of those that are
// there for it, the one of its operation; the others are new. Error: cancelled.
Result<ModuleMatching> match_stages(const ModuleStage& earlier, const ModuleStage& later,
                                    const std::stop_token& stop = {});
// First what is computed alike, then what computes from the same, or for the same, and what has the same name
// and operation. Names and order alone make no difference; of modules that a compiler scheduled, order is
// none either. Error: cancelled.
Result<ModuleMatching> match_modules(const Program& before, const Program& after,
                                     const std::stop_token& stop = {});

}  // namespace shardscope::inline program
