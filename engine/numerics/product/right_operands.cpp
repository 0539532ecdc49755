// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/product/right_operands.h"

#include <map>
#include <utility>

namespace shardscope::inline numerics {

RightOperands::RightOperands(const std::vector<Product>& products) {
  std::map<std::vector<const MatrixView*>, size_t> index;
  for (size_t p = 0; p < products.size(); ++p) {
    std::vector<const MatrixView*> key;
    key.reserve(products[p].terms.size());
    for (const Product::Term& term : products[p].terms) key.push_back(term.b.get());
    const auto [it, fresh] = index.emplace(std::move(key), groups.size());
    if (fresh) {
      groups.emplace_back();
      for (const MatrixView* matrix : it->first)
        if (!all.insert(matrix).second) repeated.insert(matrix);
    }
    groups[it->second].push_back(p);
  }
}

}  // namespace shardscope::inline numerics
