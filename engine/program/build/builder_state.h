// SPDX-License-Identifier: Apache-2.0
// What an SpmdBuilder knows while it writes; its sources share it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/program/build/builder.h"

namespace shardscope::inline program {

struct SpmdBuilder::State {
  // An array as its strategy calls it.
  struct Known {
    std::string symbol;
    std::vector<int64_t> whole;  // its extents over all devices; empty: not known
  };

  struct Product {
    Known known;
    bool is_partial = false;  // its sum is still split over devices
  };

  std::string strategy;
  Mesh mesh;
  MatmulProblem problem;
  ElementType accumulation = ElementType::f32;  // of products and their sums
  ElementType travelling = ElementType::f32;    // of sums between devices
  std::map<std::string, std::string> roles;
  std::stop_token stop;
  std::optional<ElementType> result_type;  // of finish(); the problem's when not set
  std::optional<Error> error;
  std::vector<std::string> needs;

  std::vector<Computation> called;  // reducers, and what loops repeat

  Computation entry;
  std::vector<ArrayInfo> inputs;
  std::vector<HomeCoordinate> home;
  std::vector<ArrayInfo> further_outputs;
  std::vector<InstructionId> further_results;  // their values
  std::vector<std::string> definitions;
  std::vector<std::pair<std::string, std::string>> choices;
  Provenance provenance;
  Rare<Provenance> last_provenance;  // of the instruction before: most have that of their neighbours
  bool in_phase = false;             // the provenance's name is a phase, not an operation's own
  std::string makes = "Y";           // what products are called
  std::vector<Known> known;          // of the entry's instructions; of a sketch empty: nobody reads that
  Rare<DotDims> last_dot;            // of the product before: most have those of their neighbours
  size_t looked_at = 0;              // its length when it was last asked whether there is room
  int first_step = 0;                // of the product that is written
  int next_step = 0;                 // one past the highest so far
  std::vector<InstructionId> after;  // what communication waits for
  InstructionId sum_of_step;         // given to the last step
  int64_t next_channel = 1;
  bool in_loop = false;                  // what is written is a loop's body
  std::optional<int64_t> fewest_rounds;  // of loops that stay loops; none: none does
  bool is_sketch = false;
  struct Repeated {
    size_t begin = 0, end = 0;  // instructions of the entry
    int64_t times = 1;
  };
  std::vector<Repeated> repeated;  // of a sketch
  size_t written = 0;              // instructions of the entry that is finished

  std::map<std::string, int> names;  // base -> last number given
  struct Scalar {
    Opcode opcode = Opcode::unknown;
    ElementType type = ElementType::s32;
    InstructionId first, second;  // operands
    int64_t value = 0;            // of a constant
    auto operator<=>(const Scalar&) const = default;
  };
  std::map<Scalar, InstructionId> scalars;                 // so that equal ones are one
  std::vector<Range> ranges;                               // of scalars by instruction, over all devices
  std::map<std::vector<int>, Rare<ReplicaGroups>> groups;  // by axes
  std::map<std::pair<int, std::vector<int64_t>>, Rare<ReplicaGroups>> rooted_groups;  // by axis and roots
  std::map<std::pair<int, int64_t>, Rare<ReplicaGroups>> one_root_groups;  // by axis and their one root
  Rare<std::vector<VerbatimAttribute>> by_device_ids;                      // of collectives with a channel
  std::map<ElementType, Rare<std::vector<CalledComputation>>> reducers;    // by what they add
  std::map<std::vector<SourceTarget>, std::shared_ptr<const Permutation>> permutations;
  std::map<std::pair<int, int64_t>, std::shared_ptr<const Permutation>> shifts;  // by axis and distance

  // The program has grown beyond what anybody waits for, or this machine has room for.
  std::optional<Error> too_long();
  std::optional<int> axis(std::string_view role) const;
  std::string unique_name(const std::string& base) { return base + "." + std::to_string(++names[base]); }
  PartitionSpec with_axes(const PartitionSpec& roles_spec) const;
  Known known_of(const Instruction& instruction) const;  // by its first operand
  Product known_product(InstructionId lhs, InstructionId rhs, const DotDims& dims) const;
  void know(Known last) {  // of the newest instruction
    if (!is_sketch) known.back() = std::move(last);
  }
  const Rare<std::vector<CalledComputation>>& reducer(ElementType type);
  const Rare<ReplicaGroups>& groups_of(std::string_view role);
  const Rare<ReplicaGroups>& groups_of(const Roles& of_roles);
  Rare<ReplicaGroups> with_roots(int axis_position, std::string_view role, const std::vector<int64_t>& roots);
  Instruction along_groups(Opcode opcode, Shape shape, InstructionId operand, Rare<ReplicaGroups> of_groups);
  std::shared_ptr<const Permutation> shift_of(int axis_position, int64_t distance);
};

}  // namespace shardscope::inline program
