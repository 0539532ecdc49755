// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/check/grouped_reference.h"

#include <cstring>
#include <map>

#include "engine/numerics/check/reference.h"

namespace shardscope::inline numerics {
namespace {

const std::byte* row_of(const Array& array, int64_t row) {
  return array.data() + stored_bytes(array.type(), row * array.dims()[1]);
}

}  // namespace

Result<Array> grouped_reference(const Definition& definition, const Array& X, const Array& W,
                                const Workers& workers, const std::stop_token& stop) {
  const int64_t k = X.dims()[1], n = W.dims()[1];
  const auto refuse = [&](const std::string& why) {
    return invalid("the definition of " + definition.result.symbol + " " + why);
  };
  std::map<int64_t, std::vector<int64_t>> rows_of_group;
  int64_t next = 0;
  for (const GroupRun& run : definition.runs) {
    if (run.group < 0 || run.rows < 0 || (run.group + 1) * k > W.dims()[0])
      return refuse("names group " + std::to_string(run.group) + " of " + std::to_string(W.dims()[0] / k));
    for (int64_t r = 0; r < run.rows; ++r) rows_of_group[run.group].push_back(next++);
    if (next > X.dims()[0]) break;
  }
  if (next != X.dims()[0])
    return refuse("has groups of " + std::to_string(next) + " rows, expected " + std::to_string(X.dims()[0]));
  Array Y = Array::allocate(X.type(), {X.dims()[0], n});
  for (const auto& [group, rows] : rows_of_group) {
    Array lhs = Array::allocate(X.type(), {static_cast<int64_t>(rows.size()), k});
    Array rhs = Array::allocate(W.type(), {k, n});
    const auto row_bytes = static_cast<size_t>(stored_bytes(X.type(), k));
    for (size_t r = 0; r < rows.size(); ++r)
      std::memcpy(lhs.mutable_data() + r * row_bytes, row_of(X, rows[r]), row_bytes);
    std::memcpy(rhs.mutable_data(), row_of(W, group * k), static_cast<size_t>(rhs.bytes()));
    const auto product = reference_product(lhs, rhs, X.type(), workers, stop);
    if (!product) return cancelled();
    const auto out_bytes = static_cast<size_t>(stored_bytes(Y.type(), n));
    for (size_t r = 0; r < rows.size(); ++r)
      std::memcpy(Y.mutable_data() + static_cast<size_t>(rows[r]) * out_bytes,
                  row_of(product->product, static_cast<int64_t>(r)), out_bytes);
  }
  return Y;
}

}  // namespace shardscope::inline numerics
