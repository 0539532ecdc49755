// SPDX-License-Identifier: Apache-2.0
#include "engine/program/stages/strip.h"

#include <algorithm>
#include <functional>

namespace shardscope::inline program {
namespace {

std::vector<int32_t> each_once(const std::vector<int32_t>& of,
                               const std::function<std::vector<int32_t>(int32_t)>& linked) {
  std::vector<int32_t> out;
  for (const int32_t one : of)
    for (const int32_t other : linked(one)) out.push_back(other);
  std::ranges::sort(out);
  const auto twice = std::ranges::unique(out);
  out.erase(twice.begin(), twice.end());
  return out;
}

}  // namespace

std::vector<std::vector<int32_t>> related_in(const StageStrip& strip, size_t stage, int32_t instruction) {
  std::vector<std::vector<int32_t>> out(strip.size());
  std::vector<bool> known(strip.size());
  out[stage] = {instruction};
  known[stage] = true;
  for (size_t at = stage; strip[at].before >= 0;) {
    const StripStage& made = strip[at];
    const auto before = static_cast<size_t>(made.before);
    out[before] = each_once(out[at], [&](int32_t one) { return made.from.links.sources(one); });
    known[before] = true;
    at = before;
  }
  for (size_t at = 0; at < strip.size(); ++at) {
    if (known[at] || strip[at].before < 0) continue;
    const StripStage& made = strip[at];
    out[at] = each_once(out[static_cast<size_t>(made.before)],
                        [&](int32_t one) { return made.from.links.made(one); });
    known[at] = true;
  }
  return out;
}

}  // namespace shardscope::inline program
