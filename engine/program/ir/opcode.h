// SPDX-License-Identifier: Apache-2.0
// HLO opcodes by HLO's names. An opcode outside the list is `unknown`; its name is kept on the instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace shardscope {

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

// A row of the table of operations.
struct Operation {
  static constexpr int kAny = 1 << 20;
  Opcode opcode;
  std::string_view text;
  OpClass kind;
  int fewest_operands, most_operands;
  CostClass cost;
};
std::span<const Operation> operations();  // in the enumeration's order, `unknown` last
const Operation& operation(Opcode opcode);

std::string_view opcode_text(Opcode opcode);
Opcode parse_opcode(std::string_view text);  // Opcode::unknown when it is none of ours
bool is_collective(Opcode opcode);           // moves data between devices: all-gather, …, not -done
bool is_elementwise(Opcode opcode);
// Functions of CHLO that HLO has no opcode of: its text calls them, custom_call_target="chlo.lgamma". Of
// others "".
std::string_view called_target(Opcode opcode);

}  // namespace shardscope
