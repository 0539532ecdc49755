// SPDX-License-Identifier: Apache-2.0
// HLO opcodes by HLO's names. An opcode outside the list is `unknown`; its name is kept on the instruction.
#pragma once

#include <string_view>

namespace shardscope {

// X(enumerator, HLO text)
#define SHARDSCOPE_OPCODES(X)                                                                                  \
  X(parameter, "parameter")                                                                                    \
  X(constant, "constant") X(iota, "iota") X(tuple, "tuple") X(get_tuple_element, "get-tuple-element") X(       \
      copy, "copy") X(bitcast, "bitcast") X(bitcast_convert, "bitcast-convert") X(convert, "convert")          \
      X(reshape, "reshape") X(transpose, "transpose") X(broadcast, "broadcast") X(slice, "slice") X(           \
          dynamic_slice, "dynamic-slice") X(dynamic_update_slice, "dynamic-update-slice")                      \
          X(concatenate, "concatenate") X(pad, "pad") X(reverse, "reverse") X(select, "select") X(             \
              compare, "compare") X(and_, "and") X(or_, "or") X(not_, "not") X(xor_, "xor") X(add, "add")      \
              X(subtract, "subtract") X(multiply, "multiply") X(divide, "divide") X(                           \
                  remainder, "remainder") X(maximum, "maximum") X(minimum, "minimum")                          \
                  X(power, "power") X(negate, "negate") X(abs, "abs") X(sign, "sign") X(                       \
                      exponential, "exponential") X(exponential_minus_one, "exponential-minus-one")            \
                      X(log, "log") X(log_plus_one, "log-plus-one") X(tanh, "tanh") X(logistic, "logistic") X( \
                          rsqrt,                                                                               \
                          "rsqrt") X(sqrt,                                                                     \
                                     "sqrt") X(cbrt,                                                           \
                                               "cbrt") X(erf, "erf")                                           \
                          X(floor, "floor") X(ceil, "ceil") X(                                                 \
                              round_nearest_afz,                                                               \
                              "round-nearest-afz") X(round_nearest_even,                                       \
                                                     "round-nearest-even") X(sine,                             \
                                                                             "sine") X(cosine,                 \
                                                                                       "cosine") X(clamp,      \
                                                                                                   "clamp")    \
                              X(is_finite, "is-finite") X(shift_left, "shift-left") X(                         \
                                  shift_right_arithmetic,                                                      \
                                  "shift-right-arithmetic") X(shift_right_logical, "shift-right-logical")      \
                                  X(dot, "dot") X(ragged_dot, "ragged-dot") X(                                 \
                                      convolution, "convolution") X(reduce, "reduce")                          \
                                      X(reduce_window, "reduce-window") X(gather, "gather") X(                 \
                                          scatter, "scatter") X(sort, "sort")                                  \
                                          X(rng_bit_generator, "rng-bit-generator") X(while_, "while") X(      \
                                              conditional,                                                     \
                                              "conditional") X(call,                                           \
                                                               "call") X(fusion,                               \
                                                                         "fusion") X(custom_call,              \
                                                                                     "custom-call")            \
                                              X(optimization_barrier, "opt-barrier") X(                        \
                                                  after_all,                                                   \
                                                  "after-all") X(partition_id,                                 \
                                                                 "partition-id") X(replica_id, "replica-id")   \
                                                  X(all_reduce,                                                \
                                                    "all-reduce") X(all_gather, "all-gather")                  \
                                                      X(reduce_scatter,                                        \
                                                        "reduce-scatter") X(all_to_all, "all-to-all")          \
                                                          X(ragged_all_to_all, "ragged-all-to-all")            \
                                                              X(collective_permute, "collective-permute") X(   \
                                                                  collective_broadcast,                        \
                                                                  "collective-broadcast")                      \
                                                                  X(all_gather_start, "all-gather-start") X(   \
                                                                      all_gather_done, "all-gather-done")      \
                                                                      X(all_reduce_start,                      \
                                                                        "all-reduce-start")                    \
                                                                          X(all_reduce_done, "all-reduce-"     \
                                                                                             "done") X(        \
                                                                              collective_permute_start,        \
                                                                              "collective-permute-start")      \
                                                                              X(collective_permute_done,       \
                                                                                "collective-permute-done")     \
                                                                                  X(copy_start, "copy-"        \
                                                                                                "start") X(    \
                                                                                      copy_done,               \
                                                                                      "copy-done")             \
                                                                                      X(async_start,           \
                                                                                        "async-start")         \
                                                                                          X(async_update,      \
                                                                                            "async-update")    \
                                                                                              X(async_done,    \
                                                                                                "async-"       \
                                                                                                "done")        \
                                                                                                  X(unknown,   \
                                                                                                    "")

enum class Opcode : unsigned char {
#define X(enumerator, text) enumerator,
  SHARDSCOPE_OPCODES(X)
#undef X
};

std::string_view opcode_text(Opcode opcode);
Opcode parse_opcode(std::string_view text);  // Opcode::unknown when it is none of ours
bool is_collective(Opcode opcode);           // moves data between devices: all-gather, …, not -done
bool is_elementwise(Opcode opcode);

}  // namespace shardscope
