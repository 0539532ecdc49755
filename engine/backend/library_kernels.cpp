// SPDX-License-Identifier: Apache-2.0
// The rules are those of XLA's YnnMatcher and its library rewriter.
#include "engine/backend/library_kernels.h"

#include <algorithm>
#include <deque>

#include "engine/backend/computation_rewrite.h"
#include "engine/backend/functions.h"

namespace shardscope::inline backend {
namespace {

constexpr int64_t kFewestElements = 4096;

bool has_many(const Shape& shape) {
  return !shape.is_tuple && shape.element_count() >= kFewestElements;
}

bool is_long(const Computation& c, const Instruction& i) {
  return has_many(i.shape) ||
         std::ranges::any_of(i.operands, [&](InstructionId id) { return has_many(c.at(id).shape); });
}

bool has_librarys_type(const Shape& shape) {
  return !shape.is_tuple && (shape.type == ElementType::f64 || shape.type == ElementType::f32 ||
                             shape.type == ElementType::bf16);
}

bool can_join(const Computation& c, const Instruction& i) {
  if (!i.control_predecessors.empty() || !has_librarys_type(i.shape)) return false;
  if (i.opcode == Opcode::broadcast) return std::ranges::is_sorted(*i.dimensions);
  if (has(i.opcode, Trait::view)) return true;
  return function_of(i.opcode).in_library && is_long(c, i) &&
         std::ranges::all_of(i.operands, [&](InstructionId id) { return has_librarys_type(c.at(id).shape); });
}

class Library {
 public:
  Library(const Program& program, const Computation& c)
      : program_(program), c_(c), readers_(followers_of(c)) {
    out_.taken.assign(readers_.size(), false);
  }

  LibraryKernels run() {
    for (size_t k = 0; k < readers_.size(); ++k)
      if (!out_.taken[k] && is_librarys_reduction(program_, c_, c_.instructions[k])) start(k);
    return std::move(out_);
  }

 private:
  bool is_member(size_t place) const {
    return std::ranges::binary_search(members_, static_cast<int32_t>(place));
  }
  void join(size_t place) {
    out_.taken[place] = true;
    members_.insert(std::ranges::upper_bound(members_, static_cast<int32_t>(place)),
                    static_cast<int32_t>(place));
    for (const InstructionId operand : c_.instructions[place].operands)
      open_.push_back(static_cast<size_t>(operand.value));
  }
  bool is_read_within(size_t place) const {
    return static_cast<int64_t>(place) != c_.root.value &&
           std::ranges::all_of(readers_[place], [&](size_t reader) { return is_member(reader); });
  }
  void take_made_for_it() {
    while (!open_.empty()) {
      const size_t next = open_.front();
      open_.pop_front();
      if (!out_.taken[next] && is_read_within(next) && can_join(c_, c_.instructions[next])) join(next);
    }
  }

  void start(size_t reduction) {
    members_.clear();
    join(reduction);
    take_made_for_it();
    size_t root = reduction;
    while (static_cast<int64_t>(root) != c_.root.value && readers_[root].size() == 1) {
      const size_t reader = readers_[root].front();
      if (out_.taken[reader] || !can_join(c_, c_.instructions[reader])) break;
      if (c_.instructions[reader].opcode == Opcode::broadcast && !has_many(c_.instructions[reader].shape))
        break;
      join(reader);
      root = reader;
    }
    open_.clear();
    if (members_.size() > 1) out_.kernels.push_back(kernel_of(c_, members_, {static_cast<int32_t>(root)}));
  }

  const Program& program_;
  const Computation& c_;
  const ReadersOf readers_;
  LibraryKernels out_;
  std::vector<int32_t> members_;  // of the one that is being made
  std::deque<size_t> open_;       // what it reads
};

}  // namespace

bool is_librarys_reduction(const Program& program, const Computation& c, const Instruction& i) {
  if (i.opcode != Opcode::reduce || i.operands.size() != 2 || i.shape.is_tuple || i.called.empty())
    return false;
  const Shape& of = c.at(i.operands[0]).shape;
  if (of.is_tuple || !is_long(c, i)) return false;
  const Opcode by = program.computation(i.called.front().computation).root_instruction().opcode;
  const bool is_f32 = of.type == ElementType::f32 || of.type == ElementType::f64;
  if (by == Opcode::add) return is_f32;
  return has(by, Trait::extreme) && (is_f32 || of.type == ElementType::bf16 || of.type == ElementType::f16);
}

LibraryKernels library_kernels(const Program& program, const Computation& computation) {
  return Library(program, computation).run();
}

}  // namespace shardscope::inline backend
