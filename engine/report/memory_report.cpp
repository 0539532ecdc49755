// SPDX-License-Identifier: Apache-2.0
#include "engine/report/memory_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/units.h"

namespace shardscope::inline report {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostOwners = 5;  // that are named

std::string bytes_text(int64_t bytes) {
  return format_bytes(static_cast<double>(bytes));
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

// "dot.7 (jit(step)/dot_general, step.py:12)".
std::string who(const MemoryOwner& owner) {
  std::string of = owner.op_name;
  if (!owner.source_line.empty()) of += (of.empty() ? "" : ", ") + owner.source_line;
  return owner.display_name + (of.empty() ? "" : " (" + of + ")");
}

}  // namespace

std::string memory_use_json(const MemoryUse& memory) {
  Json owners = Json::array();
  for (size_t k = 0; k < std::min(memory.owners.size(), kMostOwners); ++k) {
    const MemoryOwner& o = memory.owners[k];
    owners.push_back({{"bytes", o.bytes},
                      {"kind", o.kind},
                      {"instruction", o.name},
                      {"shape", o.shape},
                      {"op_name", text_or_null(o.op_name)},
                      {"source_line", text_or_null(o.source_line)}});
  }
  const MemoryOwner& m = memory.moment;
  const Json out = {{"peak_bytes", memory.bytes()},
                    {"arguments", memory.arguments},
                    {"results", memory.results},
                    {"temporaries", memory.temporaries},
                    {"aliased", memory.aliased},
                    {"between", memory.between},
                    {"complete", memory.complete},
                    {"moment",
                     {{"instruction", m.name},
                      {"op_name", text_or_null(m.op_name)},
                      {"source_line", text_or_null(m.source_line)}}},
                    {"peak", owners}};
  return out.dump();
}

std::vector<std::string> memory_use_lines(const MemoryUse& memory) {
  std::string sum = fmt::format("arguments {}, results {}, temporaries {}", bytes_text(memory.arguments),
                                bytes_text(memory.results), bytes_text(memory.temporaries));
  if (memory.aliased > 0)
    sum += fmt::format(", {} of the results in the place of arguments", bytes_text(memory.aliased));
  std::vector<std::string> out{std::move(sum)};
  if (!memory.complete) out.push_back("the module is too long to be counted to its end: it needs more");
  if (memory.temporaries > 0) out.push_back("most of them at " + who(memory.moment));
  for (size_t k = 0; k < std::min(memory.owners.size(), kMostOwners); ++k) {
    const MemoryOwner& o = memory.owners[k];
    out.push_back(fmt::format("{} {} {}, {}", bytes_text(o.bytes), o.kind, o.shape, who(o)));
  }
  if (memory.owners.size() > kMostOwners)
    out.push_back(fmt::format("and {} smaller ones", memory.owners.size() - kMostOwners));
  return out;
}

}  // namespace shardscope::inline report
