// SPDX-License-Identifier: Apache-2.0
#include "engine/program/ir/instruction.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace shardscope::inline program {
namespace {

// In which order different attributes stand says nothing.
template <class T>
bool same_by_key(const Rare<std::vector<T>>& a, const Rare<std::vector<T>>& b) {
  if (a == b) return true;
  if (a.size() != b.size()) return false;
  std::vector<T> left = *a, right = *b;
  const auto by_key = [](const T& x, const T& y) { return *x.key < *y.key; };
  std::ranges::stable_sort(left, by_key);
  std::ranges::stable_sort(right, by_key);
  return left == right;
}

// Everything that == compares member by member; the permutation is compared by its pairs.
auto instruction_fields(const Instruction& i) {
  return std::tie(i.name, i.opcode, i.opcode_name, i.shape, i.operands, i.parameter_number, i.literal,
                  i.tuple_index, i.dimensions, i.slice, i.dynamic_slice_sizes, i.dot, i.attributes,
                  i.replica_groups, i.channel_id, i.sharding, i.algorithm, i.rooted, i.control_predecessors,
                  i.provenance);
}

}  // namespace

std::string_view opcode_text(const Instruction& instruction) {
  return is_known(instruction.opcode) ? opcode_text(instruction.opcode)
                                      : std::string_view(instruction.opcode_name);
}

std::string display_name(const Instruction& instruction) {
  const TextName& text = instruction.text_name;
  return text.empty() ? instruction.name : text.value + " (" + text.instruction + ")";
}

const std::string& value_name(const Instruction& instruction) {
  return instruction.text_name.empty() ? instruction.name : instruction.text_name->value;
}

bool is_called(const Instruction& instruction, std::string_view name) {
  if (name == instruction.name || name == value_name(instruction) || name == display_name(instruction))
    return true;
  return name.starts_with('%') && name.substr(1) == instruction.name;
}

const std::string& source_name(const Instruction& instruction) {
  const Rare<std::string>& source = instruction.provenance->source;
  return source.empty() ? instruction.name : *source;
}

bool Instruction::operator==(const Instruction& other) const {
  if (instruction_fields(*this) != instruction_fields(other)) return false;
  if (!same_by_key(called, other.called) || !same_by_key(verbatim, other.verbatim)) return false;
  if (permutation == other.permutation) return true;
  return permutation && other.permutation && *permutation == *other.permutation;
}

}  // namespace shardscope::inline program
