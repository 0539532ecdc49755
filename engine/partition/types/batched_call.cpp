// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/types/batched_call.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/program/ir/call_config.h"
#include "engine/program/ir/custom_target.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/mlir/mlir_values.h"
#include "engine/program/mlir/module_shardings.h"

namespace shardscope::inline partitioner {
namespace {

using Rule = ShardingRuleText;

// Reads a rule from left to right.
class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : rest_(text) {}

  std::optional<Rule> read() {
    accept("#sdy.op_sharding_rule<");
    if (!arrays(out_.operands) || !accept("->") || !arrays(out_.results) || !sizes()) return std::nullopt;
    for (const auto& [word, kind] : {std::pair("reduction", Rule::Kind::reduction),
                                     std::pair("need_replication", Rule::Kind::need_replication),
                                     std::pair("permutation", Rule::Kind::permutation)})
      if (accept(word) && !kinds(kind)) return std::nullopt;
    return std::move(out_);
  }

 private:
  void skip() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
  }
  bool accept(std::string_view word) {
    skip();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  // "i", "z_12"; empty: there is none.
  std::string_view name() {
    skip();
    size_t end = 0;
    if (!rest_.empty() && std::islower(static_cast<unsigned char>(rest_[0])) != 0) end = 1;
    if (end == 1 && rest_.size() > 1 && rest_[1] == '_')
      for (end = 2; end < rest_.size() && std::isdigit(static_cast<unsigned char>(rest_[end])) != 0;) ++end;
    const std::string_view out = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return out;
  }
  size_t factor(std::string_view name) {
    const auto [place, is_new] = places_.try_emplace(std::string(name), out_.factors.size());
    if (is_new) out_.factors.push_back({std::string(name)});
    return place->second;
  }

  // "([i, jk], [])".
  bool arrays(std::vector<Rule::Array>& into) {
    if (!accept("(")) return false;
    while (accept("[")) {
      Rule::Array& array = into.emplace_back();
      while (!accept("]")) {
        if (!array.empty() && !accept(",")) return false;
        std::vector<size_t>& dim = array.emplace_back();
        for (std::string_view word = name(); !word.empty(); word = name()) dim.push_back(factor(word));
        if (dim.empty()) return false;
      }
      if (!accept(",")) break;
    }
    return accept(")");
  }

  bool sizes() {
    if (!accept("{")) return out_.factors.empty();
    while (!accept("}")) {
      accept(",");
      const std::string_view word = name();
      if (word.empty() || !accept("=")) return false;
      skip();
      const std::string_view digits = rest_.substr(0, rest_.find_first_not_of("0123456789"));
      const auto size = parse_int(digits);
      if (!size || *size < 1 || !places_.contains(std::string(word))) return false;
      out_.factors[factor(word)].size = *size;
      rest_.remove_prefix(digits.size());
    }
    return true;
  }

  bool kinds(Rule::Kind kind) {
    if (!accept("=") || !accept("{")) return false;
    while (!accept("}")) {
      accept(",");
      const std::string_view word = name();
      if (!places_.contains(std::string(word))) return false;
      out_.factors[factor(word)].kind = kind;
    }
    return true;
  }

  std::string_view rest_;
  Rule out_;
  std::map<std::string, size_t> places_;
};

// An array of the rule has the shape's dimensions, each factor once.
bool fits(const Rule& rule, const Rule::Array& array, const Shape& shape) {
  if (shape.is_tuple || array.size() != shape.rank()) return false;
  std::vector<bool> seen(rule.factors.size());
  for (size_t d = 0; d < array.size(); ++d) {
    int64_t size = 1;
    for (const size_t f : array[d]) {
      const auto product = checked_multiply(size, rule.factors[f].size);
      if (seen[f] || !product) return false;
      seen[f] = true;
      size = *product;
    }
    if (size != shape.dims[d]) return false;
  }
  return true;
}

// Arrays whose leading dimensions are those of the first operand.
std::optional<BatchedCall> by_leading_dims(const Computation& c, const Instruction& i, int64_t count) {
  if (i.operands.empty()) return std::nullopt;
  const Shape& first = c.at(i.operands[0]).shape;
  const auto rank = static_cast<size_t>(count);
  if (first.is_tuple || first.rank() < rank) return std::nullopt;
  const auto mapped = [&](const Shape& shape) {
    std::vector<int64_t> out(shape.rank(), -1);
    const bool alike = !shape.is_tuple && shape.rank() >= rank &&
                       std::equal(shape.dims.begin(), shape.dims.begin() + count, first.dims.begin());
    for (size_t d = 0; alike && d < rank; ++d) out[d] = static_cast<int64_t>(d);
    return out;
  };
  BatchedCall out{rank, {}, {}};
  for (const InstructionId operand : i.operands) out.operands.push_back(mapped(c.at(operand).shape));
  for (const Shape& leaf : leaves_of(i.shape)) out.results.push_back(mapped(leaf));
  // A result that has not all of them would be another one on every device.
  for (const auto& result : out.results)
    if (static_cast<size_t>(std::ranges::count_if(result, [](int64_t d) { return d >= 0; })) != rank)
      return std::nullopt;
  return out;
}

// Factors that pass through, alone in their dimensions, and are in every result.
BatchedCall by_rule(const Rule& rule) {
  std::vector<int64_t> number(rule.factors.size(), -1);
  BatchedCall out;
  const auto is_alone = [&](const Rule::Array& array, size_t f) {
    return std::ranges::any_of(array, [&](const auto& dim) { return dim == std::vector<size_t>{f}; });
  };
  const auto is_split = [&](const Rule::Array& array, size_t f) {
    return std::ranges::any_of(
        array, [&](const auto& dim) { return dim.size() > 1 && std::ranges::count(dim, f) > 0; });
  };
  for (size_t f = 0; f < rule.factors.size(); ++f) {
    bool passes = rule.factors[f].kind == Rule::Kind::pass_through && !rule.results.empty();
    bool read = false;
    for (const Rule::Array& array : rule.operands) {
      passes = passes && !is_split(array, f);
      read = read || is_alone(array, f);
    }
    for (const Rule::Array& array : rule.results) passes = passes && is_alone(array, f);
    if (passes && read) number[f] = static_cast<int64_t>(out.count++);
  }
  const auto mapped = [&](const Rule::Array& array) {
    std::vector<int64_t> dims;
    for (const auto& dim : array) dims.push_back(dim.size() == 1 ? number[dim.front()] : -1);
    return dims;
  };
  for (const Rule::Array& array : rule.operands) out.operands.push_back(mapped(array));
  for (const Rule::Array& array : rule.results) out.results.push_back(mapped(array));
  return out;
}

}  // namespace

std::optional<int64_t> batch_dims(const Computation& c, const Instruction& i) {
  if (i.operands.empty()) return std::nullopt;
  const auto rank = static_cast<int64_t>(c.at(i.operands[0]).shape.rank());
  if (operation(i.opcode).kind == OpClass::solver) return rank - 2;
  if (custom_call_target(i).empty()) return std::nullopt;
  if (const auto said = frontend_attribute(i.verbatim, "num_batch_dims"))
    if (const auto number = parse_int(*said); number && *number >= 0) return *number;
  const auto rows = item_dims(i);
  return rows ? std::optional(std::max<int64_t>(0, rank - *rows)) : std::nullopt;
}

std::optional<TopDims> top_dims(const Computation& c, const Instruction& i) {
  const CustomTarget target = custom_target(i);
  if (i.operands.empty() || c.at(i.operands[0]).shape.is_tuple) return std::nullopt;
  const auto rank = static_cast<int64_t>(c.at(i.operands[0]).shape.rank());
  if (target == CustomTarget::top_k && i.operands.size() == 1 && rank > 0) return TopDims{rank - 1, 1};
  if (target != CustomTarget::approx_top_k || i.operands.size() % 2 != 0) return std::nullopt;
  const auto said = call_number(i, "reduction_dim");
  const auto json = number_at(config_behind(i, "reduction_dim"));
  const int64_t dimension = said ? *said : json && *json < 64 ? static_cast<int64_t>(*json) : -1;
  if (dimension < 0 || dimension >= rank) return std::nullopt;
  return TopDims{dimension, i.operands.size() / 2};
}

std::optional<ShardingRuleText> parse_sharding_rule(std::string_view text) {
  return RuleReader(text).read();
}

std::optional<ShardingRuleText> sharding_rule_of(const Computation& c, const Instruction& i) {
  if (custom_call_target(i).empty()) return std::nullopt;
  auto said = frontend_attribute(i.verbatim, "xla.sdy.sharding_rule");
  if (!said) return std::nullopt;
  auto rule = parse_sharding_rule(said->find('\\') == std::string::npos ? *said : mlir_string(*said));
  const std::vector<Shape> leaves = leaves_of(i.shape);
  if (!rule || rule->operands.size() != i.operands.size() || rule->results.size() != leaves.size())
    return std::nullopt;
  for (size_t k = 0; k < i.operands.size(); ++k)
    if (!fits(*rule, rule->operands[k], c.at(i.operands[k]).shape)) return std::nullopt;
  for (size_t k = 0; k < leaves.size(); ++k)
    if (!fits(*rule, rule->results[k], leaves[k])) return std::nullopt;
  return rule;
}

std::optional<BatchedCall> batched_call(const Computation& c, const Instruction& i) {
  if (const auto count = batch_dims(c, i)) return by_leading_dims(c, i, *count);
  const auto rule = sharding_rule_of(c, i);
  return rule ? std::optional(by_rule(*rule)) : std::nullopt;
}

}  // namespace shardscope::inline partitioner
