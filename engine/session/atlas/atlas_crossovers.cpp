// SPDX-License-Identifier: Apache-2.0
#include "engine/session/atlas/atlas_crossovers.h"

#include <algorithm>
#include <map>
#include <string>

#include "engine/partition/entry/route_program.h"
#include "engine/session/atlas/best_products.h"
#include "engine/session/atlas/partitioner_ways.h"

namespace shardscope::inline session {
namespace {

AtlasQuestion with_size(AtlasQuestion question, AtlasLine::Along along, int64_t size) {
  (along == AtlasLine::Along::m ? question.m : along == AtlasLine::Along::k ? question.k : question.n) = size;
  return question;
}

const char* name(AtlasLine::Along along) {
  return along == AtlasLine::Along::m ? "m" : along == AtlasLine::Along::k ? "k" : "n";
}

StrategyTime timed(const std::string& strategy, const AtlasWay& way) {
  return {strategy, to_seconds(way.time), std::nullopt};
}

// At a size: the partitioners' ways, and every strategy of `known` that goes there.
Result<SweepPoint> point_at(const AtlasQuestion& q, const AtlasLine& line,
                            const std::map<std::string, ProductSteps>& known, const std::stop_token& stop) {
  SweepPoint out;
  ProgramCosts costs(q.mesh, q.hardware);
  const ProductArrays product{q.mesh, q.type, {line.lhs, line.rhs, line.result, {q.m, q.k, q.n}}};
  for (const auto& [strategy, steps] : known) {
    if (stop.stop_requested()) return cancelled();
    const Result<Partitioned> stage = product_stage(product, steps);
    const Result<AtlasWay> way = stage.ok() ? costs.of(*stage->program, stop) : stage.error();
    if (!way.ok() && way.error().kind == ErrorKind::cancelled) return way.error();
    way.ok() ? out.ranking.push_back(timed(strategy, *way)) : void(++out.skipped);
  }
  TRY(const PartitionerWays ways, partitioner_ways(q, line.lhs, line.rhs, line.result, costs, stop));
  out.ranking.push_back(timed("XLA's partitioner", ways.xla));
  out.ranking.push_back(timed("Shardy's partitioner", ways.shardy));
  // Of equals a strategy says more than whose it is.
  std::ranges::stable_sort(out.ranking, {}, &StrategyTime::total_s);
  return out;
}

}  // namespace

Result<CrossoverTable> atlas_crossovers(const AtlasQuestion& question, const AtlasLine& line,
                                        const std::stop_token& stop) {
  CrossoverTable out;
  out.axes = {{name(line.along), {}}};
  std::map<std::string, ProductSteps> known;
  std::vector<bool> divides;
  std::optional<Error> why;
  for (const int64_t size : line.sizes) {
    if (stop.stop_requested()) return cancelled();
    const AtlasQuestion q = with_size(question, line.along, size);
    const auto best = BestProducts::make(q, {line.lhs, line.rhs, line.result}, stop);
    if (!best.ok() && best.error().kind == ErrorKind::cancelled) return best.error();
    divides.push_back(best.ok());
    if (!best.ok()) {
      why = best.error();
      continue;
    }
    for (ProductSteps& steps : best->ways(0, 1, 2)) {
      std::string strategy = strategy_text(steps, q.mesh);
      known.try_emplace(std::move(strategy), std::move(steps));
    }
  }
  if (known.empty()) return why ? *why : invalid("no size is given", "sizes");
  for (size_t k = 0; k < line.sizes.size(); ++k) {
    out.axes.front().values.push_back(std::to_string(line.sizes[k]));
    SweepPoint point;
    if (divides[k]) {
      TRY(point, point_at(with_size(question, line.along, line.sizes[k]), line, known, stop));
    }
    point.at = {static_cast<int32_t>(k)};
    out.points.push_back(std::move(point));
  }
  return out;
}

}  // namespace shardscope::inline session
