// SPDX-License-Identifier: Apache-2.0
#include "engine/program/memory/written_aliases.h"

#include <algorithm>
#include <string_view>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/program/ir/call_config.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/memory/tuple_buffers.h"

namespace shardscope::inline program {
namespace {

// "0","3" in front of the bracket's end; what is no number is left out.
std::vector<size_t> quoted_numbers(std::string_view list) {
  std::vector<size_t> out;
  for (const std::string& part : split(list, ',')) {
    std::string_view word = trim(part);
    if (word.size() > 2 && word.front() == '"' && word.back() == '"') word = word.substr(1, word.size() - 2);
    if (const auto number = parse_int(word); number && *number >= 0)
      out.push_back(static_cast<size_t>(*number));
  }
  return out;
}

bool must_share(const std::vector<PlaceOf>& known, size_t operand, size_t result) {
  return std::ranges::any_of(
      known, [&](const PlaceOf& k) { return k.asked && k.operand == operand && k.result == result; });
}

}  // namespace

std::vector<PlaceOf> written_aliases(const Program& program, const Computation& computation,
                                     const Instruction& i) {
  const std::vector<PlaceOf> known = may_stand_in(program, computation, i, LaidOutFor::tpu);
  const bool arrays = std::ranges::none_of(
      i.operands, [&](InstructionId operand) { return computation.at(operand).shape.is_tuple; });
  if (!arrays || verbatim_attribute(i, "backend_config") == nullptr) return known;
  std::vector<PlaceOf> out;
  std::string_view rest = config_behind(i, "\"aliasing_operands\"");
  constexpr std::string_view kList = "\"indices\":[";
  const size_t operands = i.operands.size(), results = i.shape.is_tuple ? i.shape.elements.size() : 1;
  for (size_t at = rest.find(kList); at != std::string_view::npos; at = rest.find(kList)) {
    rest.remove_prefix(at + kList.size());
    std::vector<size_t> from, to;
    for (const size_t n : quoted_numbers(rest.substr(0, rest.find(']'))))
      (n < operands ? from : to).push_back(n);
    for (const size_t operand : from)
      for (const size_t result : to) {
        if (result - operands >= results) continue;
        const size_t leaf =
            i.shape.is_tuple ? buffer_place(i.shape, static_cast<int64_t>(result - operands)) : 0;
        out.push_back({operand, 0, leaf, must_share(known, operand, leaf)});
      }
  }
  return out;
}

}  // namespace shardscope::inline program
