// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/definition.h"

#include <algorithm>

namespace shardscope::inline program {
namespace {

bool has(const IndexedArray& array, const std::string& index) {
  return std::ranges::count(array.indices, index) > 0;
}

}  // namespace

Result<ProductForm> product_form(const Definition& d) {
  const auto refuse = [&](const std::string& why) {
    return invalid("the definition of " + d.result.symbol + " is not a product of two matrices: " + why);
  };
  if (d.factors.size() != 2) return refuse("it has one factor");
  if (d.result.indices.size() != 2)
    return refuse("its result has " + std::to_string(d.result.indices.size()) + " indices");
  for (const IndexedArray& f : d.factors) {
    if (f.indices.size() != 2)
      return refuse(f.symbol + " has " + std::to_string(f.indices.size()) + " indices");
  }
  std::vector<std::string> summed;
  for (const std::string& index : d.factors[0].indices)
    if (has(d.factors[1], index)) summed.push_back(index);
  if (summed.size() != 1) return refuse("its factors share " + std::to_string(summed.size()) + " indices");
  if (has(d.result, summed[0])) return refuse("it keeps " + summed[0]);
  ProductForm form;
  if (!has(d.factors[0], d.result.indices[0])) std::swap(form.lhs, form.rhs);
  form.lhs_transposed = d.factors[form.lhs].indices[0] == summed[0];
  form.rhs_transposed = d.factors[form.rhs].indices[1] == summed[0];
  return form;
}

}  // namespace shardscope::inline program
