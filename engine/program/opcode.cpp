// SPDX-License-Identifier: Apache-2.0
#include "engine/program/opcode.h"

#include <array>
#include <unordered_map>

namespace shardscope {
namespace {

constexpr std::array kOpcodeTexts = {
#define X(enumerator, text) std::string_view(text),
    SHARDSCOPE_OPCODES(X)
#undef X
};

}  // namespace

std::string_view opcode_text(Opcode opcode) {
  return kOpcodeTexts[static_cast<size_t>(opcode)];
}

Opcode parse_opcode(std::string_view text) {
  static const auto opcodes = [] {
    std::unordered_map<std::string_view, Opcode> map;
    for (size_t i = 0; i < kOpcodeTexts.size(); ++i) map.emplace(kOpcodeTexts[i], static_cast<Opcode>(i));
    return map;
  }();
  const auto found = opcodes.find(text);
  return found == opcodes.end() ? Opcode::unknown : found->second;
}

bool is_collective(Opcode opcode) {
  switch (opcode) {
    case Opcode::all_reduce:
    case Opcode::all_gather:
    case Opcode::reduce_scatter:
    case Opcode::all_to_all:
    case Opcode::ragged_all_to_all:
    case Opcode::collective_permute:
    case Opcode::collective_broadcast:
    case Opcode::all_gather_start:
    case Opcode::all_reduce_start:
    case Opcode::collective_permute_start:
      return true;
    default:
      return false;
  }
}

bool is_elementwise(Opcode opcode) {
  switch (opcode) {
    case Opcode::convert:
    case Opcode::select:
    case Opcode::compare:
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::not_:
    case Opcode::xor_:
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::multiply:
    case Opcode::divide:
    case Opcode::remainder:
    case Opcode::maximum:
    case Opcode::minimum:
    case Opcode::power:
    case Opcode::negate:
    case Opcode::abs:
    case Opcode::sign:
    case Opcode::exponential:
    case Opcode::exponential_minus_one:
    case Opcode::log:
    case Opcode::log_plus_one:
    case Opcode::tanh:
    case Opcode::logistic:
    case Opcode::rsqrt:
    case Opcode::sqrt:
    case Opcode::cbrt:
    case Opcode::erf:
    case Opcode::floor:
    case Opcode::ceil:
    case Opcode::round_nearest_afz:
    case Opcode::round_nearest_even:
    case Opcode::sine:
    case Opcode::cosine:
    case Opcode::clamp:
    case Opcode::is_finite:
    case Opcode::shift_left:
    case Opcode::shift_right_arithmetic:
    case Opcode::shift_right_logical:
      return true;
    default:
      return false;
  }
}

}  // namespace shardscope
