// SPDX-License-Identifier: Apache-2.0
// HLO opcodes by HLO's names. An opcode outside the list is `unknown`; its name is kept on the instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace shardscope::inline program {

enum class Opcode : unsigned char {
#define OPERATION(enumerator, ...) enumerator,
#include "engine/program/ir/operations.def"
#undef OPERATION
};

enum class OpClass : unsigned char {
  source,           // makes an array out of nothing: parameter, constant, iota, …
  tuple,            // makes tuples and takes them apart
  movement,         // the same elements in other places, or fewer, or repeated
  elementwise,      // element by element
  product,          // dot, ragged-dot, convolution
  reduction,        // folds dimensions or windows
  solver,           // solves and factorises matrices
  indexed,          // places that follow from data: gather, scatter, sort, topk
  transform,        // mixes all elements along dimensions: fft
  control,          // calls, loops, branches, barriers
  collective,       // moves data between devices
  collective_done,  // where the value of an asynchronous one is
  unknown,
};

// What the scheduler charges (DESIGN §4).
enum class CostClass : unsigned char {
  free,       // a view, or made up by its reader
  memory,     // bytes over the HBM bandwidth, on the compute lane; scalars are free
  copy,       // the same on the copy lane
  product,    // flops or bytes, whichever is longer
  lookup,     // the bytes of what the places of gather name
  update,     // the same of scatter
  sort,       // bytes in each pass
  solve,      // flops or bytes, whichever is longer
  window,     // bytes, each read once however many windows hold it
  pick,       // bytes, each read once
  transform,  // bytes in a pass for each dimension
  link,       // the transfers of its collective
  called,     // what its computations cost
  custom,     // by target
  unknown,
};

// What some operations have in common beside class and cost.
enum class Trait : unsigned {
  part = 1 << 0,        // what it calls runs as a part of it: calls, fusions, loops, branches
  inlined = 1 << 1,     // its one computation runs once, where it stands: call, fusion
  forwards = 1 << 2,    // its value is its operands', or one's: tuple, copy, opt-barrier, domain
  same_order = 1 << 3,  // all elements of its operand in their order, in another shape or place
  same_array = 1 << 4,  // its operand, rounded or moved: convert, copy, reduce-precision
  updates = 1 << 5,     // its first operand with some elements replaced, in place where nobody else reads it
  contracts = 1 << 6,   // a product that DotDims describe
  device_number = 1 << 7,  // which device runs it
  sums = 1 << 8,           // a collective that folds its operand over devices, and is done when it is read
  by_pairs = 1 << 9,       // a collective from one device to one other
  moves = 1 << 10,         // a collective that leaves what it moves as it is
  same_result = 1 << 11,   // a collective after which all devices of a group hold the same
  keeps_zeros = 1 << 12,   // zeros where all its operands are
  ends = 1 << 13,          // waits for what another one started, or looks after it
  view = 1 << 14,          // its operand's bytes where they lie: bitcast, reshape, opt-barrier
  spelled = 1 << 15,       // its elements stand in the text: constant, iota
  extreme = 1 << 16,       // the larger or the smaller of two: maximum, minimum
  partial = 1 << 17,       // of a cut sum it leaves partial results: dot, convolution, reduce
};

// A row of the table of operations.
struct Operation {
  static constexpr int kAny = 1 << 20;
  Opcode opcode;
  std::string_view text;
  OpClass kind;
  int fewest_operands, most_operands;
  CostClass cost;
  unsigned traits = 0;  // of Trait
};
std::span<const Operation> operations();  // in the enumeration's order, `unknown` last
const Operation& operation(Opcode opcode);

std::string_view opcode_text(Opcode opcode);
Opcode parse_opcode(std::string_view text);  // Opcode::unknown when it is none of ours
bool is_collective(Opcode opcode);           // moves data between devices: all-gather, …, not -done
bool is_elementwise(Opcode opcode);
bool is_known(Opcode opcode);  // one of the list
bool has(Opcode opcode, Trait trait);
// Functions of CHLO that HLO has no opcode of: its text calls them, custom_call_target="chlo.lgamma". Of
// others "".
std::string_view called_target(Opcode opcode);

}  // namespace shardscope::inline program
