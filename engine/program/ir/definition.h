// SPDX-License-Identifier: Apache-2.0
// What the outputs of a chain of products are, as text: "dX[m,k] = Y[m,n] W[k,n]".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace shardscope::inline program {

struct IndexedArray {
  std::string symbol;
  std::vector<std::string> indices;  // names of dimensions, each once
  bool operator==(const IndexedArray&) const = default;
};

// Neighbouring rows of one group.
struct GroupRun {
  int64_t group = 0;
  int64_t rows = 0;
  bool operator==(const GroupRun&) const = default;
};

// result = Σ over the indices that only the factors have of the product of one or two factors; relu:
// max(0, that). With runs, an index of the second factor, `group`, is not summed over: it follows from the
// row of the result, as the expert follows from the token.
struct Definition {
  IndexedArray result;
  std::vector<IndexedArray> factors;
  bool relu = false;
  std::string group{};
  std::vector<GroupRun> runs{};  // of the result's rows from the first to the last
  bool operator==(const Definition&) const = default;
};

// "H[m,f] = relu(X[m,k] W1[k,f])", "Y[m,n] = X[m,k] W[e,k,n] where e[m] = 0:12 3:20". Errors say the column
// and what was expected.
Result<Definition> parse_definition(std::string_view text);

// How a product of two matrices fits [m,k]·[k,n]: which factor comes first, and which are the other way
// round. Refuses what is no such product: of other ranks, over no or several shared indices.
struct ProductForm {
  size_t lhs = 0, rhs = 1;  // places in Definition::factors
  bool lhs_transposed = false, rhs_transposed = false;
  bool operator==(const ProductForm&) const = default;
};
Result<ProductForm> product_form(const Definition& definition);

}  // namespace shardscope::inline program
