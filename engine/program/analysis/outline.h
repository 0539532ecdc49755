// SPDX-License-Identifier: Apache-2.0
// A program of many instructions as a tree that people find their way in: its computations, in them the
// scopes that frameworks write in op_name ("jit(step)/decoder/layer_3/mlp"), rounds of what was written out,
// and layers that are alike folded into one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

enum class OutlineKind : uint8_t { computation, scope, step, part };

struct OutlineNode {
  OutlineKind kind = OutlineKind::computation;
  std::string title;  // "main", "layer_3"; of folded ones "layer_0–125"
  int32_t parent = -1;
  int32_t depth = 0;
  int32_t end = 0;              // one past its last descendant
  int32_t first = 0, last = 0;  // Program::global_index of its first and last instruction
  int32_t count = 0;            // instructions in it and below, with those of its repeats
  // So many of one structure are folded here, and their instructions counted; what is below is of all of
  // them.
  int32_t repeats = 1;
  bool operator==(const OutlineNode&) const = default;
};

// Where an instruction is: in a folded node its repeat says which of the folded, from 0.
struct OutlinePlace {
  int32_t node = -1;
  int32_t repeat = 0;  // of the outermost node above it that is folded
  bool operator==(const OutlinePlace&) const = default;
};

struct Outline {
  std::vector<OutlineNode> nodes;    // a parent before its children: the entry first, then what it calls
  std::vector<OutlinePlace> places;  // by Program::global_index
  bool operator==(const Outline&) const = default;
};

// Computations that are fused or reduce stand together in one node at the end.
Outline outline_of(const Program& program);

// "decoder/layer_0–125 ×126/mlp": the titles on the way to a node, without the computation's.
std::string outline_path(const Outline& outline, int32_t node);

// The scope of an op_name at a depth from 0: "layer_3" of "jit(step)/layer_3/mlp/dot" at 1; empty: it has
// none there.
std::string outline_scope(const std::string& op_name, size_t depth);

// The outermost node from `node` on up in which layers or rounds that are alike are folded; -1: none.
int32_t outline_folds(const Outline& outline, int32_t node);

}  // namespace shardscope::inline program
