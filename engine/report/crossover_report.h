// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/run/crossover.h"

namespace shardscope {

// A row per point: the fastest strategy and its lead over the second; then where the winner changes.
std::string crossover_text(const CrossoverTable& table);
// {"over":[{"name","values"}],"points":[{"values":{…},"ranking":[…],"best","total_s":{strategy: s}}],
// "crossovers":[{"along","from","to","before","after","at":{the other parameters}}]}. Whole numbers are JSON
// numbers, other values strings; best is null where nothing could run.
std::string crossover_json(const CrossoverTable& table);

}  // namespace shardscope
