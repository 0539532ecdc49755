// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/report/table.h"
#include "engine/study/crossover.h"

namespace shardscope::inline report {

// A row per point: the strategy that wins at its price and its lead over the second; then where the winner
// changes.
std::string crossover_text(const CrossoverTable& table);
// {"over":[{"name","values"}],"points":[{"values":{…},"ranking":[…],"best","total_s","price_s":{strategy:
// s}}], "crossovers":[{"along","from","to","before","after","at":{the other parameters}}]}. Whole numbers are
// JSON numbers, other values strings; best is null where nothing could run.
std::string crossover_json(const CrossoverTable& table);

// A line per point: its values, the winner, seconds and price of every strategy (empty: it cannot run there).
std::string crossover_csv(const CrossoverTable& table);
TextTable crossover_points(const CrossoverTable& table);     // a row a point
std::string crossover_verdict(const CrossoverTable& table);  // "The winner changes at 3 places."
// "n 1024 to 2048 at slices=2: a gives way to b"
std::vector<std::string> crossover_sentences(const CrossoverTable& table);

}  // namespace shardscope::inline report
