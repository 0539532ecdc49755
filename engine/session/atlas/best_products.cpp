// SPDX-License-Identifier: Apache-2.0
#include "engine/session/atlas/best_products.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/partition/entry/route_program.h"
#include "engine/schedule/schedule.h"
#include "engine/session/atlas/program_costs.h"

namespace shardscope::inline session {
namespace {

// Every way to put parts of axes on m, k and n, in every order, as far as they divide.
class LocalSplits {
 public:
  LocalSplits(AxisParts parts, std::vector<int64_t> sizes)
      : parts_(std::move(parts)), sizes_(std::move(sizes)) {}
  std::vector<SplitProduct> find() {
    place(0);
    return std::move(out_);
  }

 private:
  void place(size_t part) {
    for (size_t d = 0; d < dims_.size(); ++d)
      if (sizes_[d] % size_of(dims_[d]) != 0) return;
    if (part == parts_.size()) {
      out_.push_back(local_product(joined(dims_[0]), joined(dims_[1]), joined(dims_[2])));
      return;
    }
    place(part + 1);
    for (AxisParts& dim : dims_) {
      for (size_t at = 0; at <= dim.size(); ++at) {
        dim.insert(dim.begin() + static_cast<std::ptrdiff_t>(at), parts_[part]);
        place(part + 1);
        dim.erase(dim.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
  }

  AxisParts parts_;
  std::vector<int64_t> sizes_;
  std::vector<AxisParts> dims_ = std::vector<AxisParts>(3);
  std::vector<SplitProduct> out_;
};

}  // namespace

std::string strategy_text(const ProductSteps& steps, const Mesh& mesh) {
  std::vector<std::string> out;
  const auto add = [&](const std::vector<SplitStep>& of, const char* array) {
    for (const SplitStep& step : of)
      if (!is_local(step.kind))
        out.push_back(
            fmt::format("{} {}{}", opcode_of(step.kind), array,
                        step.axes.empty() ? "" : " over " + join(axis_texts(step.axes, mesh), ", ")));
  };
  add(steps.lhs, "lhs");
  add(steps.rhs, "rhs");
  add(steps.result, "result");
  return out.empty() ? "local" : join(out, ", ");
}

Result<void> BestProducts::find_locals(const std::stop_token& stop) {
  const AtlasQuestion& q = *question_;
  std::map<std::vector<int64_t>, Picoseconds> known;
  for (SplitProduct& product : LocalSplits(lhs_->parts(), {q.m, q.k, q.n}).find()) {
    const std::vector<int64_t> lhs = part_dims(product.lhs, {q.m, q.k}),
                               rhs = part_dims(product.rhs, {q.k, q.n});
    const std::vector<int64_t> key{lhs[0], lhs[1], rhs[1]};
    if (!known.contains(key)) {
      const Mesh alone;
      const AxisSplit whole{std::vector<AxisParts>(2), {}};
      const ProductArrays one{alone, q.type, {whole, whole, whole, key}};
      TRY(const Partitioned stage, product_stage(one, {{whole, whole, whole}, {}, {}, {}}));
      ScheduleOptions options;
      options.keep_events = false;
      TRY(const Timeline timeline, schedule(*stage.program, q.hardware, options, stop));
      known[key] = timeline.total;
    }
    locals_.push_back({std::move(product), known[key]});
  }
  return {};
}

Result<BestProducts> BestProducts::make(const AtlasQuestion& q, const std::vector<AxisSplit>& splits,
                                        const std::stop_token& stop) {
  BestProducts out(q);
  out.splits_ = splits;
  // With what a step copies on the way: an exchange that rearranges its blocks is no cheaper than it is.
  ProgramCosts programs(q.mesh, q.hardware);
  const auto graph_of = [&](std::vector<int64_t> dims, bool partial) -> Result<RouteGraph> {
    const RouteArray array{q.mesh, Shape::array(q.type, dims)};
    const auto cost = [&](const SplitStep& step) -> Result<StepCost> {
      TRY(const AtlasWay way, programs.of(step_program(array, step), stop));
      return StepCost{way.time, way.bytes, 0};
    };
    return RouteGraph::make({q.mesh, std::move(dims), splits, partial}, cost, stop);
  };
  TRY(out.lhs_, graph_of({q.m, q.k}, false));
  TRY(out.rhs_, graph_of({q.k, q.n}, false));
  TRY(out.result_, graph_of({q.m, q.n}, true));
  TRY_VOID(out.find_locals(stop));
  const size_t locals = out.locals_.size();
  for (auto* costs : {&out.to_lhs_, &out.to_rhs_, &out.from_result_}) costs->resize(splits.size() * locals);
  for (size_t s = 0; s < splits.size(); ++s) {
    const auto lhs = out.lhs_->costs_from(splits[s]), rhs = out.rhs_->costs_from(splits[s]);
    const auto result = out.result_->costs_to(splits[s]);
    for (size_t l = 0; l < locals; ++l) {
      const SplitProduct& product = out.locals_[l].product;
      out.to_lhs_[s * locals + l] = lhs.at(product.lhs);
      out.to_rhs_[s * locals + l] = rhs.at(product.rhs);
      out.from_result_[s * locals + l] = result.at(product.result);
    }
  }
  return out;
}

size_t BestProducts::cheapest(size_t lhs, size_t rhs, size_t result, Operands operands) const {
  const size_t locals = locals_.size();
  size_t best = 0;
  StepCost least;
  for (size_t l = 0; l < locals; ++l) {
    const StepCost &to_lhs = to_lhs_[lhs * locals + l], &to_rhs = to_rhs_[rhs * locals + l];
    StepCost cost = to_lhs + to_rhs + from_result_[result * locals + l] + StepCost{locals_[l].time, 0, 0};
    if (operands == Operands::beside) cost.time -= std::min(to_lhs.time, to_rhs.time);
    if (l > 0 && !(cost < least)) continue;
    best = l;
    least = cost;
  }
  return best;
}

std::vector<ProductSteps> BestProducts::ways(size_t lhs, size_t rhs, size_t result) const {
  std::vector<size_t> found{cheapest(lhs, rhs, result, Operands::in_turn)};
  const size_t beside = cheapest(lhs, rhs, result, Operands::beside);
  if (beside != found.front()) found.push_back(beside);
  std::vector<ProductSteps> out;
  for (const size_t l : found) {
    const SplitProduct& product = locals_[l].product;
    out.push_back({product, lhs_->routes(splits_[lhs], product.lhs, 1).front().steps,
                   rhs_->routes(splits_[rhs], product.rhs, 1).front().steps,
                   result_->routes(product.result, splits_[result], 1).front().steps});
  }
  return out;
}

}  // namespace shardscope::inline session
