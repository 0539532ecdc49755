// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/nccl_points.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/measure/import/event_words.h"

namespace shardscope::inline measure {
namespace {

// Of a printed bandwidth two decimals are known: only where they are much of it a ratio says which operation
// it was.
std::string opcode_by_ratio(const NcclSizes& sizes, const NcclMeasured& time, int64_t ranks) {
  if (ranks < 2 || time.algorithm < 1 || time.bus <= 0) return "";
  const double ratio = time.bus / time.algorithm, n = static_cast<double>(ranks);
  const auto near = [&](double expected) { return std::abs(ratio / expected - 1) < 0.02; };
  const bool sums = !sizes.operation.empty() && sizes.operation != "none";
  if (sums && near(2 * (n - 1) / n) && ranks > 2) return "all-reduce";
  if (sums && near((n - 1) / n) && ranks > 2) return "reduce-scatter";
  return "";  // gathers and exchanges print alike
}

}  // namespace

std::optional<NcclMeasured> nccl_time(std::optional<double> us, std::optional<double> algorithm,
                                      std::optional<double> bus) {
  if (!us || !algorithm || !bus || !(*us > 0 && *us < 1e12) || !std::isfinite(*algorithm) ||
      !std::isfinite(*bus))
    return std::nullopt;
  return NcclMeasured{*us, *algorithm, *bus};
}

void NcclPoints::find_test(const std::string& text) {
  const size_t end = text.find("_perf");
  if (end == std::string::npos) return;
  size_t begin = end;
  while (begin > 0 &&
         (std::isalpha(static_cast<unsigned char>(text[begin - 1])) != 0 || text[begin - 1] == '_'))
    --begin;
  if (std::string opcode = collective_opcode(text.substr(begin, end - begin)); !opcode.empty())
    opcode_ = std::move(opcode);
}

void NcclPoints::add_rank(const std::string& number, const std::string& host) {
  if (ranks_.size() < TraceBuilder::kMostNames) ranks_.try_emplace(number, host);
}

void NcclPoints::name_chip(const std::string& chip) {
  if (into_.chip.empty()) into_.chip = chip;
}

// Of the hosts that they are on, if there are several.
std::vector<std::string> NcclPoints::rank_names() const {
  std::set<std::string> hosts;
  for (const auto& [_, host] : ranks_) hosts.insert(host);
  std::vector<std::pair<std::string, std::string>> ranks(ranks_.begin(), ranks_.end());
  std::ranges::stable_sort(ranks, {}, [](const auto& rank) { return parse_int(rank.first).value_or(0); });
  std::vector<std::string> out;
  for (const auto& [_, host] : ranks)
    out.push_back(hosts.size() < 2 ? fmt::format("rank {}", out.size())
                                   : fmt::format("{} rank {}", host, out.size()));
  return out;
}

Result<void> NcclPoints::add(const NcclSizes& sizes, const NcclMeasured& time, bool in_place) {
  if (points_.size() >= TraceBuilder::kMostOperations) return too_big("the output has too many lines", path_);
  MeasuredOperation facts;
  facts.kind = MeasuredKind::collective;
  facts.opcode = opcode_.empty() ? opcode_by_ratio(sizes, time, std::ssize(ranks_)) : opcode_;
  facts.matched = !facts.opcode.empty();
  facts.op = (facts.matched ? facts.opcode : std::string("a collective of nccl-tests")) +
             (in_place ? ", in place" : ", out of place");
  facts.dtype = sizes.type;
  facts.bytes = sizes.bytes;
  facts.shapes = fmt::format("{}[{}]", sizes.type, sizes.count);
  points_.emplace_back(facts, to_picoseconds(time.us * 1e-6));
  return {};
}

Result<void> NcclPoints::finish() {
  if (points_.empty())
    return invalid("the output of nccl-tests holds no line of results", path_, "give all of it");
  const int64_t ranks = std::min<int64_t>(std::ssize(ranks_), TraceBuilder::kMostNames);
  if (wrong_ > 0)
    into_.builder.note(
        fmt::format("{}: wrong results in {} (#wrong above 0): what they measured may be wrong too", path_,
                    counted(static_cast<size_t>(wrong_), "measurement")));
  if (ranks == 0) into_.builder.note(fmt::format("{} does not say how many ranks took part", path_));
  for (const std::string& rank : rank_names()) {  // those of another file are the same ones
    TRY_VOID(into_.builder.device(rank));
  }
  for (auto& [facts, time] : points_) {
    facts.group = static_cast<int32_t>(ranks);
    TRY_VOID(into_.builder.add_point(facts, time));
  }
  return {};
}

Error NcclPoints::of_cpu() const {
  return invalid("the times are those in which the CPU launched the collectives, not their own", path_,
                 "run nccl-tests without -C 1");
}

}  // namespace shardscope::inline measure
