// SPDX-License-Identifier: Apache-2.0
#include "engine/sharding/partition_spec.h"

#include "engine/base/text.h"
#include "engine/sharding/cursor.h"

namespace shardscope::inline sharding {
namespace {

constexpr const char* kEntry = "an axis name in quotes, a tuple of them or None";

// 'y' or ('y','z',) or None.
Result<std::vector<std::string>> parse_entry(Cursor& in) {
  std::vector<std::string> axes;
  if (in.accept("None")) return axes;
  if (!in.accept("(")) {
    TRY(axes.emplace_back(), in.quoted(kEntry));
    return axes;
  }
  while (!in.accept(")")) {
    TRY(axes.emplace_back(), in.quoted("an axis name in quotes or ')'"));
    if (!in.accept(",") && !in.next_is(")")) return in.error("',' or ')'");
  }
  return axes;
}

}  // namespace

Result<PartitionSpec> PartitionSpec::parse(std::string_view text) {
  Cursor in(text, "spec");
  if (!in.accept("PartitionSpec") && !in.accept("P")) return in.error("P(...) or PartitionSpec(...)");
  TRY_VOID(in.expect("("));
  PartitionSpec spec;
  while (!in.accept(")")) {
    TRY(auto entry, parse_entry(in));
    spec.dims.push_back(std::move(entry));
    if (!in.accept(",") && !in.next_is(")")) return in.error("',' or ')'");
  }
  if (!in.at_end()) return in.error("the end of the text");
  return spec;
}

std::string PartitionSpec::text() const {
  std::vector<std::string> entries;
  for (const auto& axes : dims) {
    std::vector<std::string> names;
    for (const std::string& axis : axes) names.push_back("'" + axis + "'");
    if (names.empty()) names.push_back("None");
    entries.push_back(names.size() == 1 ? names[0] : "(" + join(names, ",") + ")");
  }
  return "P(" + join(entries, ",") + ")";
}

}  // namespace shardscope::inline sharding
