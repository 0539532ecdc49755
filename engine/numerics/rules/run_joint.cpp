// SPDX-License-Identifier: Apache-2.0
// Dots that run together, and dots whose sum between devices is made in the memory of the result: each rank's
// product is added to those before it, in the order of the schedule, so that the bits are those of a sum of
// arrays.
#include <algorithm>
#include <optional>

#include "engine/numerics/product/product.h"
#include "engine/numerics/rules/collective_sum.h"
#include "engine/numerics/rules/dot_operands.h"
#include "engine/numerics/rules/rules.h"

namespace shardscope::inline numerics {
namespace {

// One result: which devices have it, whose products it adds up in which order, and which part of them it is.
struct JointResult {
  std::vector<DeviceId> owners, ranks;
  int64_t part = 0, parts = 1;  // along the collective's dimension
  bool operator==(const JointResult&) const = default;
};

// The ranks of a sum that is one chain of additions.
std::optional<std::vector<DeviceId>> chain_of(const CollectiveSum& sum) {
  const int32_t root = sum.stretches.front().root;
  for (const SumStretch& stretch : sum.stretches)
    if (stretch.root != root) return std::nullopt;
  const SumProgram program = sum.order->program(root);
  std::vector<int32_t> ranks;
  if (program.alone >= 0) ranks.push_back(program.alone);
  for (const SumOp& op : program.ops) {
    const bool starts = ranks.empty();
    const bool adds_rank = (op.kept >= 0) != (op.sent >= 0), adds_two = op.kept >= 0 && op.sent >= 0;
    if (op.slot != 0 || !(starts ? adds_two : adds_rank)) return std::nullopt;
    if (starts || op.kept >= 0) ranks.push_back(op.kept);
    if (starts || op.sent >= 0) ranks.push_back(op.sent);
  }
  std::vector<DeviceId> devices;
  devices.reserve(ranks.size());
  for (const int32_t rank : ranks) devices.push_back(sum.group[static_cast<size_t>(rank)]);
  return devices;
}

// What the dots give; none: not by chains of additions.
std::optional<std::vector<JointResult>> results_of(Step step, const JointDots& joint) {
  std::vector<JointResult> out;
  if (!joint.collective) {
    out.reserve(step.devices());
    for (size_t d = 0; d < step.devices(); ++d) {
      const DeviceId device(static_cast<int64_t>(d));
      out.push_back({{device}, {device}, 0, 1});
    }
    return out;
  }
  const auto reducer = reducer_of(step.run.program, step.at());
  if (!reducer.ok() || *reducer != Opcode::add) return std::nullopt;
  size_t owners = 0;
  for (const CollectiveSum& sum : collective_sums(step)) {
    auto ranks = chain_of(sum);
    if (!ranks) return std::nullopt;
    JointResult& result = out.emplace_back(JointResult{sum.owners, *std::move(ranks), 0, 1});
    owners += sum.owners.size();
    if (step.at().opcode != Opcode::reduce_scatter) continue;
    const auto own = std::find(sum.group.begin(), sum.group.end(), sum.owners.front());
    result.part = own - sum.group.begin();
    result.parts = std::ssize(sum.group);
  }
  if (owners != step.devices()) return std::nullopt;
  return out;
}

// Makes the products of some dots, all of which give the same results.
class JointProducts {
 public:
  JointProducts(Step& step, const std::vector<JointDots>& joint)
      : step_(step),
        joint_(joint),
        lhs_(step, OperandSide::left),
        rhs_(step, OperandSide::right),
        left_free_(std::ssize(free_dims(step.frame.at(dot(0, 0).operands[0]).shape.rank(), {},
                                        dot(0, 0).dot->lhs_contracting))) {}

  // False: a part of an operand is no view.
  bool add(const JointResult& result) {
    Product product;
    const size_t terms = joint_.front().sum.dots.size();
    for (const DeviceId rank : result.ranks) {
      for (size_t t = 0; t < terms; ++t) {
        std::vector<MatrixPtr> left;
        left.reserve(joint_.size());
        for (size_t j = 0; j < joint_.size(); ++j) left.push_back(operand(lhs_, 0, {j, t}, rank, result));
        const MatrixPtr right = operand(rhs_, 1, {0, t}, rank, result);
        if (right == nullptr || std::count(left.begin(), left.end(), nullptr) > 0) return false;
        Product::Term& term = product.terms.emplace_back();
        term.a = lhs_.stack(left);
        term.b = right;
        term.apart = t == 0;
        term.kept_a = lhs_.kept(term.a);
        term.kept_b = rhs_.kept(term.b);
      }
    }
    std::vector<std::pair<MatrixPtr, MatrixPtr>> key;
    key.reserve(product.terms.size());
    for (const Product::Term& term : product.terms) key.emplace_back(term.a, term.b);
    const auto [known, fresh] = made_.try_emplace(std::move(key), products_.size());
    if (fresh) {
      products_.push_back(std::move(product));
      owners_.emplace_back();
    }
    std::vector<DeviceId>& owners = owners_[known->second];
    owners.insert(owners.end(), result.owners.begin(), result.owners.end());
    return true;
  }

  // Rows of all dots' results lie below each other in one array.
  void run() {
    const ElementType type = step_.at().shape.type;
    int64_t elements = 0;
    for (const JointDots& j : joint_) elements += step_.frame.at(j.result).shape.element_count();
    for (size_t p = 0; p < products_.size(); ++p) {
      const Array all = step_.run.pool.take(type, {elements});
      products_[p].c = all.buffer().get();
      int64_t start = 0;
      for (const JointDots& j : joint_) {
        const Shape& shape = step_.frame.at(j.result).shape;
        const auto view = std::make_shared<const View>(
            View::row_major(type, shape.dims, all.buffer(), all.data() + stored_bytes(type, start)));
        for (const DeviceId owner : owners_[p])
          step_.frame.of(j.result)[static_cast<size_t>(owner.value)].view = view;
        start += shape.element_count();
      }
    }
    run_products(std::move(products_), step_.run.pool, step_.run.loops, step_.run.isa);
  }

 private:
  struct Place {
    size_t joint, term;
  };
  const Instruction& dot(size_t joint, size_t term) const {
    return step_.frame.at(joint_[joint].sum.dots[term]);
  }

  // A device's operand, or the part of it that the result needs.
  MatrixPtr operand(DotMatrices& matrices, size_t side, Place place, DeviceId rank,
                    const JointResult& result) {
    Step of{step_.run, step_.frame, joint_[place.joint].sum.dots[place.term]};
    ViewPtr view = of.view(side, static_cast<size_t>(rank.value));
    const Instruction& reader = of.at();
    if (result.parts > 1) {
      const int64_t dim = step_.at().dimensions.front();
      if ((dim < left_free_) == (side == 0)) {
        const auto& contracting = side == 0 ? reader.dot->lhs_contracting : reader.dot->rhs_contracting;
        const auto free = free_dims(view->rank(), {}, contracting);
        view = part_of(view, free[static_cast<size_t>(side == 0 ? dim : dim - left_free_)], result);
        if (view == nullptr) return nullptr;
      }
    }
    return matrices.of(view, reader).front();
  }

  ViewPtr part_of(const ViewPtr& view, int64_t dim, const JointResult& result) {
    ViewPtr& part = parts_[{view.get(), dim, result.part}];
    if (part == nullptr) {
      const int64_t size = view->dims()[static_cast<size_t>(dim)] / result.parts;
      auto made = view->slice(static_cast<size_t>(dim), result.part * size, (result.part + 1) * size);
      if (made) part = std::make_shared<const View>(*std::move(made));
    }
    return part;
  }

  Step& step_;
  const std::vector<JointDots>& joint_;
  DotMatrices lhs_, rhs_;
  const int64_t left_free_;  // dimensions of a dot's result that come from the left
  std::map<std::tuple<const View*, int64_t, int64_t>, ViewPtr> parts_;
  std::vector<Product> products_;
  std::vector<std::vector<DeviceId>> owners_;  // by product
  std::map<std::vector<std::pair<MatrixPtr, MatrixPtr>>, size_t> made_;
};

// As an instruction of its own: the sum of dots, and what adds it up between devices.
Result<void> run_apart(Step& step, const JointDots& joint) {
  step.results().resize(step.devices());
  if (!joint.collective) return run_dot_sum(step, joint.sum);
  Step sum{step.run, step.frame, step.at().operands.front()};
  sum.results().resize(step.devices());
  TRY_VOID(run_dot_sum(sum, joint.sum));
  TRY_VOID(step.at().opcode == Opcode::all_reduce ? run_all_reduce(step) : run_reduce_scatter(step));
  sum.results().clear();
  return {};
}

// Whether all could be run as products of the same results.
bool run_as_one(Step& step, const std::vector<JointDots>& joint) {
  const auto results = results_of(step, joint.front());
  if (!results) return false;
  for (size_t j = 1; j < joint.size(); ++j)
    if (results_of({step.run, step.frame, joint[j].result}, joint[j]) != results) return false;
  JointProducts products(step, joint);
  for (const JointResult& result : *results)
    if (!products.add(result)) return false;
  for (const JointDots& j : joint) step.frame.of(j.result).resize(step.devices());
  products.run();
  return true;
}

}  // namespace

Result<void> run_joint_dots(Step& step, const std::vector<JointDots>& joint) {
  if (run_as_one(step, joint)) return {};
  for (const JointDots& alone : joint) {
    Step own{step.run, step.frame, alone.result};
    if (joint.size() > 1 && run_as_one(own, {alone})) continue;
    TRY_VOID(run_apart(own, alone));
  }
  return {};
}

}  // namespace shardscope::inline numerics
