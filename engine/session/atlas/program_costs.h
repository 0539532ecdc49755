// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/program/ir/program.h"
#include "engine/schedule/fastest.h"
#include "engine/study/atlas.h"

namespace shardscope::inline session {

// What partitioned programs of one mesh cost on a chip; what it learns of collectives it keeps.
class ProgramCosts {
 public:
  ProgramCosts(const Mesh& mesh, const Hardware& hardware);

  // Errors: as schedule.
  Result<AtlasWay> of(const Program& program, const std::stop_token& stop);

 private:
  Mesh mesh_;
  const Hardware& hardware_;
  FastestAlgorithms fastest_{FastestAlgorithms::Reasons::left_out};
};

}  // namespace shardscope::inline session
