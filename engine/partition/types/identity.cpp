// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/types/identity.h"

#include <fmt/format.h>
#include <string_view>

#include "engine/base/float_format.h"
#include "engine/base/text.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline partitioner {
namespace {

// The least (or greatest) value of a type.
std::optional<std::string> least(ElementType type, bool is_least) {
  if (type == ElementType::pred) return is_least ? "false" : "true";
  if (is_floating(type)) {
    const FloatFormat format = float_format(type);
    if (format.has_infinity()) return is_least ? "-inf" : "inf";
    const double end = !is_least           ? largest_float(type)
                       : format.has_sign() ? -largest_float(type)
                                           : float_value(type, 0);
    return fmt::format("{}", static_cast<float>(end));
  }
  if (!is_integer(type)) return std::nullopt;
  const int64_t size = bits(type);
  if (name(type)[0] == 'u') {
    const uint64_t all = size >= 64 ? UINT64_MAX : (uint64_t{1} << size) - 1;
    return std::to_string(is_least ? 0 : all);
  }
  const int64_t most = size >= 64 ? INT64_MAX : (int64_t{1} << (size - 1)) - 1;
  return std::to_string(is_least ? -most - 1 : most);
}

// "(0.0, 0.000000e+00)" is (0, 0).
bool same_numbers(std::string_view a, std::string_view b) {
  const auto part = [](std::string_view text, bool second) {
    const size_t comma = std::min(text.find(','), text.size());
    std::string_view own = second ? text.substr(std::min(comma + 1, text.size())) : text.substr(0, comma);
    if (own.starts_with('(')) own.remove_prefix(1);
    if (own.ends_with(')')) own.remove_suffix(1);
    return parse_double(trim(own));
  };
  return part(a, false) && part(a, false) == part(b, false) && part(a, true) == part(b, true);
}

using Identity = std::optional<std::string> (*)(ElementType type);

const OpTable<Identity>& identities() {
  static const auto of_truth = [](ElementType type, const char* number, const char* truth) {
    const std::string own = is_complex(type) ? "(" + std::string(number) + ", 0)" : number;
    return std::optional<std::string>(type == ElementType::pred ? truth : own);
  };
  static const auto of_truth_only = [](ElementType type, const char* truth) {
    return type == ElementType::pred ? std::optional<std::string>(truth) : std::nullopt;
  };
  static const OpTable<Identity> table(
      {}, {{Opcode::add, [](ElementType type) { return of_truth(type, "0", "false"); }},
           {Opcode::multiply, [](ElementType type) { return of_truth(type, "1", "true"); }},
           {Opcode::or_, [](ElementType type) { return of_truth_only(type, "false"); }},
           {Opcode::and_, [](ElementType type) { return of_truth_only(type, "true"); }},
           {Opcode::maximum, [](ElementType type) { return least(type, true); }},
           {Opcode::minimum, [](ElementType type) { return least(type, false); }}});
  return table;
}

}  // namespace

std::optional<std::string> identity_of(Opcode opcode, ElementType type) {
  const Identity identity = identities()[opcode];
  return identity == nullptr ? std::nullopt : identity(type);
}

bool is_literal(const Computation& c, InstructionId id, const std::string& literal) {
  const Instruction& i = c.at(id);
  return i.literal == literal || (!i.literal.empty() && same_numbers(*i.literal, literal));
}

}  // namespace shardscope::inline partitioner
