// SPDX-License-Identifier: Apache-2.0
// The four cases of "How to Scale Your Model" (Austin et al. 2025), chapter 3, for shardings of any rank:
// every plan of gathers, all-to-alls, cuts and sums is costed; the one whose devices send the fewest bytes is
// the first of its plans, of which a chip takes the fastest. An axis moves from one dimension to the other by
// an all-to-all where it is the last of the one and the next of the other; the axes of a dimension change
// their order only by gathering and cutting again.
#include <algorithm>
#include <tuple>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/strategies/families.h"
#include "engine/strategies/sharded_matmul.h"

namespace shardscope::inline strategy {
namespace {

constexpr size_t kListedAlternatives = 8;

struct CostedPlan {
  std::vector<ProductStep> steps;
  double bytes = 0;  // that a device sends
  int collectives = 0;
  double share = 1;  // of all flops, that a device does

  std::string text() const {
    std::vector<std::string> texts;
    for (const ProductStep& step : steps) {
      if (step.kind != ProductStep::Kind::multiply) texts.push_back(step.text());
    }
    return (texts.empty() ? "multiply what is there" : join(texts, ", ")) + ": " + format_bytes(bytes);
  }
  auto order() const { return std::tuple(bytes, collectives, share); }
};

// {}, {a}, {a,b}, … of (a,b,…).
std::vector<SplitAxes> prefixes(const SplitAxes& axes) {
  std::vector<SplitAxes> all;
  for (size_t n = 0; n <= axes.size(); ++n) {
    all.emplace_back(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(n));
  }
  return all;
}

void add_new(std::vector<SplitAxes>& all, const std::vector<SplitAxes>& more) {
  for (const SplitAxes& axes : more) {
    if (std::ranges::count(all, axes) == 0) all.push_back(axes);
  }
}

// What a free dimension may be split by at the product: gathered to any prefix of its split, then cut towards
// the output's.
std::vector<SplitAxes> free_splits(const SplitAxes& held, const SplitAxes& wanted) {
  std::vector<SplitAxes> all = prefixes(held);
  for (const SplitAxes& axes : prefixes(wanted)) {
    if (starts_with(axes, common_prefix(held, wanted))) add_new(all, {axes});
  }
  return all;
}

bool are_distinct(const ProductLayout& layout) {
  SplitAxes all = layout.rows;
  for (const SplitAxes* more : {&layout.contraction, &layout.cols}) {
    all.insert(all.end(), more->begin(), more->end());
  }
  std::ranges::sort(all);
  return std::ranges::adjacent_find(all) == all.end();
}

SplitAxes joined(SplitAxes a, const SplitAxes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class PlanSearch {
 public:
  PlanSearch(const SpmdBuilder& builder, const ShardedProduct& product, PartitionSpec out)
      : builder_(builder), problem_(builder.problem()), product_(product), out_(std::move(out)) {}

  // Cheapest first.
  std::vector<CostedPlan> all_plans() {
    std::vector<SplitAxes> contractions = prefixes(product_.contraction_of_lhs());
    add_new(contractions, prefixes(product_.contraction_of_rhs()));
    for (const SplitAxes& contraction : contractions) {
      for (const SplitAxes& rows : free_splits(product_.rows_of_lhs(), axes_of(out_, 0))) {
        for (const SplitAxes& cols : free_splits(product_.cols_of_rhs(), axes_of(out_, 1))) {
          add_plans(rows, contraction, cols);
        }
      }
    }
    std::ranges::stable_sort(plans_, {}, &CostedPlan::order);
    return std::move(plans_);
  }

 private:
  int64_t parts(const SplitAxes& axes) const {
    int64_t n = 1;
    for (const std::string& axis : axes) n *= builder_.size(axis);
    return n;
  }

  // Partial sums may be added up everywhere; scattered as the output is split; or scattered along either
  // dimension to be gathered again, which beats one all-reduce after the other.
  void add_plans(const SplitAxes& rows, const SplitAxes& contraction, const SplitAxes& cols) {
    std::vector<PartitionSpec> sums = {{{rows, cols}}};
    if (!contraction.empty()) {
      sums.push_back(out_);
      if (problem_.m % parts(joined(rows, contraction)) == 0)
        sums.push_back({{joined(rows, contraction), cols}});
      if (problem_.n % parts(joined(cols, contraction)) == 0)
        sums.push_back({{rows, joined(cols, contraction)}});
    }
    for (const PartitionSpec& landing : sums) {
      const ProductLayout layout{rows, contraction, cols, landing};
      if (!are_distinct(layout)) continue;
      CostedPlan plan{product_.plan(layout, out_), 0, 0, 0};
      plan.share = 1 / static_cast<double>(parts(rows) * parts(contraction) * parts(cols));
      for (const ProductStep& step : plan.steps) {
        plan.bytes += step.bytes;
        plan.collectives += step.bytes > 0 ? 1 : 0;
      }
      const auto same = [&](const CostedPlan& other) { return other.steps == plan.steps; };
      if (std::ranges::none_of(plans_, same)) plans_.push_back(std::move(plan));
    }
  }

  const SpmdBuilder& builder_;
  const MatmulProblem& problem_;
  const ShardedProduct& product_;
  PartitionSpec out_;
  std::vector<CostedPlan> plans_;
};

std::string case_of(const ShardedProduct& product) {
  const SplitAxes &left = product.contraction_of_lhs(), &right = product.contraction_of_rhs();
  const auto list = [](const SplitAxes& axes) { return join(axes, ", "); };
  std::string text;
  if (left.empty() && right.empty()) {
    text = "1: the contraction is not split";
  } else if (left == right) {
    text = "3: both sides split the contraction by " + list(left);
  } else if (left.empty() || right.empty()) {
    text = std::string("2: only ") + (left.empty() ? "W" : "X") + " splits the contraction, by " +
           list(left.empty() ? right : left);
  } else {
    text = "2 on both sides: X splits the contraction by " + list(left) + ", W by " + list(right);
  }
  SplitAxes twice;
  for (const std::string& axis : product.rows_of_lhs()) {
    if (std::ranges::count(product.cols_of_rhs(), axis) > 0) twice.push_back(axis);
  }
  return twice.empty() ? text : text + "; 4: rows of X and columns of W are both split by " + list(twice);
}

void list_choices(SpmdBuilder& b, const std::vector<CostedPlan>& plans, size_t chosen) {
  const CostedPlan& best = plans.front();
  b.choice("plan", plans[chosen].text());
  std::string why = "fewest bytes sent per device of " + std::to_string(plans.size()) + " plans";
  if (chosen > 0) {
    why = "asked for as plan " + std::to_string(chosen + 1) + " of " + std::to_string(plans.size());
  } else if (plans.size() == 1) {
    why = "the only plan";
  } else if (plans[1].bytes == best.bytes) {
    why = plans[1].collectives > best.collectives
              ? "no plan sends fewer bytes, and none of these has fewer collectives"
          : plans[1].share > best.share ? "no plan sends fewer bytes, and none of these multiplies less"
                                        : "no plan sends fewer bytes";
  }
  b.choice("why", why);
  for (size_t i = 0; i < plans.size() && i <= kListedAlternatives; ++i)
    if (i != chosen) b.choice("alternative", plans[i].text());
  if (plans.size() > kListedAlternatives + 1) {
    b.choice("alternative", std::to_string(plans.size() - kListedAlternatives - 1) + " more, from " +
                                format_bytes(plans[kListedAlternatives + 1].bytes) + " on");
  }
}

// What is asked for, on the mesh's axes; P(row, col), without the axes that the mesh does not have, where
// nothing is.
struct Specs {
  PartitionSpec lhs, rhs, out;
};
Specs specs_of(SpmdBuilder& b, const StrategyOptions& options) {
  const auto roles = b.take_roles();
  PartitionSpec usual;
  for (const char* role : {"row", "col"})
    usual.dims.push_back(roles.contains(role) ? SplitAxes{role} : SplitAxes{});
  usual = on_axes(std::move(usual), roles);
  return {options.in_lhs.value_or(usual), options.in_rhs.value_or(usual), options.out.value_or(usual)};
}

size_t count_plans(SpmdBuilder& b, const StrategyOptions& options) {
  const Specs specs = specs_of(b, options);
  ShardedProduct product(b, specs.lhs, specs.rhs);
  product.require_output(specs.out);
  return b.ok() ? PlanSearch(b, product, specs.out).all_plans().size() : 0;
}

Result<Program> auto_matmul(SpmdBuilder& b, const StrategyOptions& options) {
  const auto [lhs, rhs, out] = specs_of(b, options);
  ShardedProduct product(b, lhs, rhs);
  product.require_output(out);
  if (!b.ok()) return b.finish({}, {});
  const std::vector<CostedPlan> plans = PlanSearch(b, product, out).all_plans();
  CHECK(options.alternative < plans.size(), options.alternative);
  b.choice("specs", lhs.text() + " · " + rhs.text() + " -> " + out.text());
  b.choice("case", case_of(product));
  list_choices(b, plans, options.alternative);
  return product.write(plans[options.alternative].steps, out);
}

}  // namespace

std::vector<Strategy> auto_strategies() {
  const Family f{"How to Scale Your Model, Austin et al. 2025, chapter 3",
                 {"row", "col"},
                 {"in-lhs", "in-rhs", "out-spec"},
                 0};
  Strategy made =
      f.matmul({"auto"}, "Any shardings: the fastest plan of gathers, exchanges and sums", auto_matmul);
  made.plans = count_plans;
  return {std::move(made)};
}

}  // namespace shardscope::inline strategy
