// SPDX-License-Identifier: Apache-2.0
// What the compiler keeps of where a value came from, and what it draws of it.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/program/proto/hlo_fields.h"
#include "engine/program/proto/proto_text.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope::inline program::proto {
namespace {

using wire::Message;

// A leaf of the shape: where it stands in its tuples, and the array that it was.
struct Leaf {
  std::vector<int64_t> index;
  std::string text;
};

std::string leaf_text(const Message& element) {
  using F = field::Origin;
  const Message array = element.message(F::array);
  if (array.bytes(F::instruction).empty()) return "{}";
  const std::vector<int64_t> index = array.numbers(F::instruction_index);
  return fmt::format("{{{}{}}}", c_escaped(array.bytes(F::instruction)),
                     index.empty() ? "" : " " + braced(index));
}

// The leaves [first, last), which stand in the same tuples down to `depth`.
std::string tree_text(const std::vector<Leaf>& leaves, size_t first, size_t last, size_t depth) {
  if (leaves[first].index.size() <= depth) return leaves[first].text;
  std::vector<std::string> parts;
  for (size_t at = first; at < last;) {
    size_t next = at + 1;
    const auto same = [&](const Leaf& leaf) {
      return leaf.index.size() > depth && leaf.index[depth] == leaves[at].index[depth];
    };
    if (leaves[at].index.size() <= depth) break;
    while (next < last && same(leaves[next])) ++next;
    parts.push_back(tree_text(leaves, at, next, depth + 1));
    at = next;
  }
  return "(" + join(parts, ", ") + ")";
}

}  // namespace

std::string origin_text(const Message& instruction) {
  using F = field::Origin;
  constexpr size_t kDeepest = 32;
  std::vector<Leaf> leaves;
  for (const Message& e : instruction.message(field::Instruction::original_value).messages(F::elements))
    leaves.push_back({e.numbers(F::index), leaf_text(e)});
  const auto deep = [](const Leaf& leaf) { return leaf.index.size() > kDeepest; };
  if (leaves.empty() || std::ranges::any_of(leaves, deep)) return "";
  return "{" + tree_text(leaves, 0, leaves.size(), 0) + "}";
}

std::string statistics_text(const Message& instruction) {
  constexpr int kIndex = 1, kStatistics = 2;
  const Message said = instruction.message(field::Instruction::statistics);
  if (!said.has(kStatistics)) return "";
  std::string out = fmt::format("visualizing_index={}", said.number(kIndex));
  for (const Message& one : said.messages(kStatistics))
    out += fmt::format(",{}={:g}", name_text(one.bytes(field::Pair::first)), one.real(field::Pair::second));
  return "{" + out + "}";
}

}  // namespace shardscope::inline program::proto
