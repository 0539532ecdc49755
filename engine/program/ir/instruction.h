// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/rare.h"
#include "engine/mesh/permutation.h"
#include "engine/program/ir/attributes.h"
#include "engine/program/ir/opcode.h"
#include "engine/program/ir/shape.h"
#include "engine/sharding/hlo_sharding.h"

namespace shardscope::inline program {

using InstructionId = Id<struct InstructionTag>;  // place in its computation
using ComputationId = Id<struct ComputationTag>;  // place in its program

// An instruction of a program.
struct InstructionPlace {
  ComputationId computation;
  InstructionId instruction;
};

// dot's dimension numbers. The result's dimensions: batch, lhs free, rhs free, each in operand order.
struct DotDims {
  std::vector<int64_t> lhs_batch, rhs_batch;
  std::vector<int64_t> lhs_contracting, rhs_contracting;
  bool operator==(const DotDims&) const = default;
};

// slice={[start:limit:stride]} of one dimension.
struct SliceDim {
  int64_t start = 0;
  int64_t limit = 0;
  int64_t stride = 1;
  bool operator==(const SliceDim&) const = default;
};

// replica_groups as a groups × group-size array of device ids in row-major order; `tiles` prints in iota form
// when it is one (so that a big mesh stays one short line). `tiles.dims` is {groups, size}; empty = one group
// of all. Groups of different sizes (legal in HLO) are kept in `ragged` and `tiles` is empty. The first
// device of a group is its root: the source of a collective-broadcast.
struct ReplicaGroups {
  TileAssignment tiles;
  std::vector<std::vector<int64_t>> ragged{};
  bool listed = false;    // written group by group, and printed so
  std::string written{};  // along named axes: mesh['x'=2] {'x'}, and printed so while it means the same
  // How they are written is not what they are.
  bool operator==(const ReplicaGroups& other) const { return tiles == other.tiles && ragged == other.ragged; }
};

// An attribute that we do not interpret: key and the text behind '=', printed back as it was.
struct VerbatimAttribute {
  Rare<std::string> key;
  std::string value;
  bool operator==(const VerbatimAttribute&) const = default;
};

// A reference to a called computation: key is to_apply, calls, body, condition, branch_computations, …
struct CalledComputation {
  Rare<std::string> key;
  ComputationId computation;
  bool operator==(const CalledComputation&) const = default;
};

// Where an instruction stands in its algorithm, and what it was made from when its program was written in
// plainer operations (numerics/plan/plain_program.h) or round by round (analysis/written_out.h). Printed in
// metadata (op_name) and frontend_attributes; what it was made from only where HloForm asks for it, and no
// part of ==.
struct Provenance {
  int32_t step = -1;            // the algorithm's own step, -1 outside of any
  std::string op_name;          // metadata op_name: what the paper calls this ("gather W over row")
  Rare<std::string> source{};   // the instruction that it was made from; empty: it is that itself
  int32_t part = 0, round = 0;  // which of those that stand for it, which time of them; 0: the first
  bool empty() const { return step < 0 && op_name.empty() && source.empty(); }
  bool operator==(const Provenance& other) const { return step == other.step && op_name == other.op_name; }
};

// Of a module that was read from another text than HLO: what the text calls the value, "%2", and the name
// that its instruction got when it was read, "dot.7".
struct TextName {
  std::string value, instruction;
  bool empty() const { return value.empty(); }
  bool operator==(const TextName&) const = default;
};

// One HLO instruction. Which fields mean something follows from the opcode; the others keep their defaults,
// so that == is equality of meaning. An instruction reads only earlier instructions of its computation. What
// most instructions do not say is Rare: programs have hundreds of thousands of them.
struct Instruction {
  std::string name;  // unique in the program, without '%'
  Opcode opcode = Opcode::unknown;
  // all-reduce: only the first device of each replica group uses the sum (MPI's reduce, which HLO lacks). A
  // frontend attribute.
  bool rooted = false;
  // Where it stands in the text that it was read from, from 1; 0: nowhere, or the text has it by its name. No
  // part of ==.
  int32_t line = 0;
  Rare<TextName> text_name{};       // see display_name; no part of ==
  Rare<std::string> opcode_name{};  // of Opcode::unknown, else empty
  Shape shape;
  std::vector<InstructionId> operands;

  int64_t parameter_number = -1;            // parameter
  Rare<std::string> literal{};              // constant: the text in the parentheses
  int64_t tuple_index = -1;                 // get-tuple-element
  Rare<std::vector<int64_t>> dimensions{};  // all-gather, all-to-all, broadcast, concatenate, reduce,
                                            // reduce-scatter, reverse, transpose; iota_dimension
  Rare<std::vector<SliceDim>> slice{};      // slice
  Rare<std::vector<int64_t>> dynamic_slice_sizes{};
  Rare<DotDims> dot{};            // dot
  Rare<Attributes> attributes{};  // what else its operation is told
  // all-gather, all-reduce, reduce-scatter, all-to-all, collective-broadcast
  Rare<ReplicaGroups> replica_groups{};
  std::shared_ptr<const Permutation>
      permutation;  // collective-permute; shared by all steps that use the same one
  std::optional<int64_t> channel_id;
  Rare<std::vector<CalledComputation>> called{};
  Rare<std::optional<HloSharding>> sharding{};
  // How the sharding was written, where its own text is another; no part of ==.
  Rare<std::string> sharding_text{};
  Rare<std::vector<VerbatimAttribute>> verbatim{};
  // How a collective is to be carried out ("ring", "bidirectional", …; empty: not decided). A frontend
  // attribute.
  Rare<std::string> algorithm{};
  // Instructions that are done before this one starts, operands aside: each once, in the order in which they
  // were written.
  Rare<std::vector<InstructionId>> control_predecessors{};
  Rare<Provenance> provenance{};

  bool operator==(const Instruction& other) const;
};

// Its operation's name in HLO, also of one that is none of ours.
std::string_view opcode_text(const Instruction& instruction);
// What it is called wherever people read it: "%2 (dot.7)" where its module's text has other names than HLO's,
// else its name.
std::string display_name(const Instruction& instruction);
// The same of the array that it makes: "%2".
const std::string& value_name(const Instruction& instruction);
// Whether somebody who writes `name` means it: any of these, or its name with '%'.
bool is_called(const Instruction& instruction, std::string_view name);
// The name of what it was made from, see Provenance; its own where it was not.
const std::string& source_name(const Instruction& instruction);

}  // namespace shardscope::inline program
