// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/session/hlo_explain.h"
#include "engine/sharding/sdy_text.h"

namespace shardscope::inline session {

Result<std::string> typed_sharding(std::string_view text, const Mesh& mesh, const Shape& shape) {
  const std::string typed(trim(text));
  if (typed.empty()) return typed;
  if (shape.is_tuple) {
    TRY_VOID(HloSharding::parse_tuple(typed));
    return typed;
  }
  HloSharding sharding;
  const bool in_sdy = typed.starts_with("#sdy") || typed.starts_with("<@");
  if (typed.front() == 'P' || in_sdy) {
    TRY(const PartitionSpec spec, in_sdy ? parse_sdy_sharding(typed) : PartitionSpec::parse(typed));
    if (spec.dims.size() > shape.rank())
      return invalid(fmt::format("{} names {} dimensions, {} has {}", typed, spec.dims.size(), shape.text(),
                                 shape.rank()));
    TRY(const NamedSharding named, NamedSharding::make(mesh, spec));
    sharding = HloSharding::from(named, shape.rank());
  } else {
    TRY(sharding, HloSharding::parse(typed));
  }
  TRY_VOID(sharding.accepts(shape.dims));
  return sharding.text();
}

}  // namespace shardscope::inline session
