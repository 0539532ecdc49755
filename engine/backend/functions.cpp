// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/functions.h"

#include "engine/program/ir/op_table.h"

namespace shardscope::inline backend {

Function function_of(Opcode opcode) {
  using enum Dear;
  static const OpTable<Function> kFunctions(
      {}, {{Opcode::convert, {.dear = rounding, .in_library = true}},
           {Opcode::add, {.in_library = true}},
           {Opcode::subtract, {.in_library = true}},
           {Opcode::multiply, {.in_library = true}},
           {Opcode::divide,
            {.operations = 8, .dear = unless_by_a_number, .in_library = true, .wide_alone = true}},
           {Opcode::remainder, {.operations = 8, .dear = unless_by_a_whole_number}},
           {Opcode::maximum, {.in_library = true}},
           {Opcode::minimum, {.in_library = true}},
           {Opcode::power, {.operations = 20, .dear = always, .in_library = true, .wide_alone = true}},
           {Opcode::negate, {.in_library = true}},
           {Opcode::abs, {.dear = complex, .in_library = true}},
           {Opcode::sign, {.dear = complex, .in_library = true}},
           {Opcode::exponential, {.operations = 8, .dear = always, .in_library = true, .exponential = true}},
           {Opcode::exponential_minus_one, {.dear = always, .in_library = true}},
           {Opcode::log, {.operations = 8, .dear = always, .in_library = true, .wide_alone = true}},
           {Opcode::log_plus_one, {.dear = always, .in_library = true}},
           {Opcode::tanh,
            {.operations = 20, .dear = always, .in_library = true, .wide_alone = true, .exponential = true}},
           {Opcode::logistic, {.operations = 20, .dear = always, .in_library = true, .exponential = true}},
           {Opcode::rsqrt, {.operations = 8, .dear = always, .in_library = true, .wide_alone = true}},
           {Opcode::sqrt, {.operations = 8, .dear = always, .in_library = true, .wide_alone = true}},
           {Opcode::cbrt, {.dear = always}},
           {Opcode::erf, {.operations = 20, .dear = always, .in_library = true, .exponential = true}},
           {Opcode::floor, {.in_library = true}},
           {Opcode::ceil, {.in_library = true}},
           {Opcode::round_nearest_even, {.in_library = true}},
           {Opcode::sine, {.operations = 20, .dear = complex, .in_library = true, .wide_alone = true}},
           {Opcode::cosine, {.operations = 20, .dear = complex, .in_library = true, .wide_alone = true}},
           {Opcode::tan, {.dear = complex, .in_library = true}},
           {Opcode::atan2, {.dear = always}},
           {Opcode::asin, {.dear = always}},
           {Opcode::acos, {.dear = always}},
           {Opcode::sinh, {.dear = always}},
           {Opcode::cosh, {.dear = always}},
           {Opcode::asinh, {.dear = always}},
           {Opcode::acosh, {.dear = always}},
           {Opcode::atanh, {.dear = always}},
           {Opcode::erfc, {.dear = always}},
           {Opcode::erf_inv, {.dear = always}},
           {Opcode::lgamma, {.dear = always}},
           {Opcode::digamma, {.dear = always}},
           {Opcode::zeta, {.dear = always}},
           {Opcode::polygamma, {.dear = always}},
           {Opcode::bessel_i1e, {.dear = always}},
           {Opcode::reduce, {.dear = always}},
           {Opcode::gather, {.dear = always}}});
  return kFunctions[opcode];
}

}  // namespace shardscope::inline backend
