// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/custom_target.h"

#include <algorithm>

#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline program {
namespace {

struct TargetRow {
  CustomTarget meaning;
  std::string_view target;
  int64_t rows;
};
constexpr TargetRow kTargets[] = {
#define CUSTOM_TARGET(meaning, target, rows) {CustomTarget::meaning, target, rows},
#include "engine/program/ir/custom_targets.def"
#undef CUSTOM_TARGET
};

bool is_like(std::string_view text, std::string_view pattern) {
  return std::ranges::equal(text, pattern, [](char c, char p) { return c == p || p == '?'; });
}

const TargetRow* row_of(std::string_view target) {
  if (target.empty()) return nullptr;
  const auto row =
      std::ranges::find_if(kTargets, [&](const TargetRow& r) { return is_like(target, r.target); });
  return row == std::end(kTargets) ? nullptr : &*row;
}

}  // namespace

CustomTarget parse_custom_target(std::string_view target) {
  const TargetRow* row = row_of(target);
  return row == nullptr ? CustomTarget::unknown : row->meaning;
}

CustomTarget custom_target(const Instruction& i) {
  return parse_custom_target(custom_call_target(i));
}

std::optional<int64_t> item_dims(const Instruction& i) {
  const TargetRow* row = row_of(custom_call_target(i));
  return row == nullptr || row->rows < 0 ? std::nullopt : std::optional(row->rows);
}

}  // namespace shardscope::inline program
