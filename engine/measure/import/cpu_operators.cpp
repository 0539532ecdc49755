// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/cpu_operators.h"

#include <algorithm>

#include "engine/base/text.h"

namespace shardscope::inline measure {
namespace {

constexpr size_t kMostOperators = 4'000'000;

}  // namespace

int64_t CpuOperators::number_of(std::string_view id) {
  if (const auto number = parse_int(id); number && *number >= 0 && std::to_string(*number) == id)
    return *number;
  return others_.try_emplace(std::string(id), -1 - static_cast<int64_t>(others_.size())).first->second;
}

void CpuOperators::add(std::string_view id, std::string_view name, std::string_view dims,
                       std::string_view types) {
  if (id.empty() || all_.size() == kMostOperators) return;
  all_.push_back({number_of(id), texts_.number(name), texts_.number(dims), texts_.number(types)});
}

void CpuOperators::learned() {
  std::ranges::stable_sort(all_, {}, &Operator::id);
}

std::optional<CpuOperators::Found> CpuOperators::find(std::string_view id) const {
  int64_t number = 0;
  if (const auto other = others_.find(id); other != others_.end())
    number = other->second;
  else if (const auto whole = parse_int(id); whole && *whole >= 0)
    number = *whole;
  else
    return std::nullopt;
  const auto behind = std::ranges::upper_bound(all_, number, {}, &Operator::id);
  if (behind == all_.begin() || (behind - 1)->id != number) return std::nullopt;
  const Operator& o = *(behind - 1);
  return Found{texts_.text(o.name), texts_.text(o.dims), texts_.text(o.types)};
}

}  // namespace shardscope::inline measure
