// SPDX-License-Identifier: Apache-2.0
// Rules by themselves: as text, as a custom-call says one, of two arrays that are the same.
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/partition/shardy/factor_rule.h"

namespace shardscope::inline partitioner {
namespace {

using Kind = FactorRule::Kind;

std::string mapping_text(const FactorRule::Mapping& mapping) {
  std::vector<std::string> dims;
  for (const auto& factors : mapping) {
    std::string dim;
    for (const size_t f : factors) dim += factor_name(f);
    dims.push_back(dim);
  }
  return "[" + join(dims, ", ") + "]";
}

}  // namespace

std::string factor_name(size_t factor) {
  constexpr size_t kLetters = 'z' - 'i' + 1;
  if (factor < kLetters) return std::string(1, static_cast<char>('i' + factor));
  return fmt::format("z_{}", factor - kLetters + 1);
}

std::string FactorRule::text() const {
  const auto arrays = [](const std::vector<Mapping>& of) {
    std::vector<std::string> out;
    for (const Mapping& mapping : of) out.push_back(mapping_text(mapping));
    return "(" + join(out, ", ") + ")";
  };
  std::vector<std::string> sizes;
  for (size_t f = 0; f < factors.size(); ++f)
    sizes.push_back(fmt::format("{}={}", factor_name(f), factors[f].size));
  std::string out = arrays(operands) + "->" + arrays(results) + " {" + join(sizes, ", ") + "}";
  constexpr std::pair<Kind, const char*> kKinds[] = {{Kind::reduction, "reduction"},
                                                     {Kind::need_replication, "need_replication"},
                                                     {Kind::permutation, "permutation"}};
  for (const auto& [kind, word] : kKinds) {
    std::vector<std::string> of;
    for (size_t f = 0; f < factors.size(); ++f)
      if (factors[f].kind == kind) of.push_back(factor_name(f));
    if (!of.empty()) out += fmt::format(" {}={{{}}}", word, join(of, ", "));
  }
  std::vector<std::string> blocked;
  for (size_t f = 0; f < factors.size(); ++f)
    if (factors[f].blocked) blocked.push_back(factor_name(f));
  if (!blocked.empty()) out += fmt::format(" blocked_propagation={{{}}}", join(blocked, ", "));
  return out;
}

FactorRule as_said(ShardingRuleText said) {
  using Said = ShardingRuleText::Kind;
  FactorRule out;
  for (const ShardingRuleText::Factor& f : said.factors)
    out.factors.push_back({f.size, f.kind == Said::reduction          ? Kind::reduction
                                   : f.kind == Said::need_replication ? Kind::need_replication
                                   : f.kind == Said::permutation      ? Kind::permutation
                                                                      : Kind::pass_through});
  out.operands = std::move(said.operands);
  out.results = std::move(said.results);
  return out;
}

FactorRule same_array(const std::vector<int64_t>& dims) {
  FactorRule out;
  FactorRule::Mapping mapping;
  for (const int64_t size : dims) {
    mapping.push_back({out.factors.size()});
    out.factors.push_back({size, FactorRule::Kind::pass_through});
  }
  out.operands = {mapping};
  out.results = {mapping};
  return out;
}

}  // namespace shardscope::inline partitioner
