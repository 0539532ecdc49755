// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace shardscope::inline sharding {

// JAX's PartitionSpec: per array dimension the mesh axes that split it, the first the most significant.
// P('x', None, ('y','z')) is {{"x"}, {}, {"y","z"}}. Dimensions beyond its length are not split.
struct PartitionSpec {
  std::vector<std::vector<std::string>> dims;

  // Takes either quote, blanks, trailing commas, "P(...)" or "PartitionSpec(...)".
  static Result<PartitionSpec> parse(std::string_view text);
  std::string text() const;  // "P('x',None,('y','z'))"
  bool operator==(const PartitionSpec&) const = default;
};

// P("row", "col") as the papers write it; "" is None. For tuples of axes fill `dims`.
template <class... Names>
PartitionSpec P(Names... names) {
  PartitionSpec spec;
  (spec.dims.push_back(std::string_view(names).empty() ? std::vector<std::string>{}
                                                       : std::vector<std::string>{std::string(names)}),
   ...);
  return spec;
}

}  // namespace shardscope::inline sharding
