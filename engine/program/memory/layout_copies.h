// SPDX-License-Identifier: Apache-2.0
// Arrays that a compiler makes because an instruction wants its operands in another order in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/program/analysis/readers.h"
#include "engine/program/ir/program.h"
#include "engine/program/memory/laid_out_for.h"

namespace shardscope::inline program {

struct LayoutCopies {
  std::vector<size_t> operands;  // these are copied in front of it
  std::vector<size_t> made_so;   // these are made in its order, so not in the place of what they are made of
  bool result = false;           // what it gives is copied behind it
  bool turned = false;           // what it gives lies in another order than its shape says
  bool in_pieces = false;  // what it reads and gives are arrays of their own for each device it talks to
};

// As XLA assigns layouts before a module is scheduled: what is gathered or scattered along a dimension that
// is not the outermost has that dimension outermost meanwhile, what is exchanged is cut into pieces and put
// together again, products find their batches in front, a library of columns (LAPACK) reads and writes
// columns. What a kernel makes for one reader alone is made in its order, and kernels read any order: there
// is no copy then.
LayoutCopies layout_copies(const Computation& computation, InstructionId id, const ReadersOf& readers,
                           LaidOutFor chip);

// A library's call that reads and writes columns, in the memory of what it is given.
bool works_in_columns(const Instruction& instruction);
// Whether what it gives has the elements of its operand in the same order, whatever it is called.
bool keeps_order(const Computation& computation, const Instruction& instruction);
// By instruction: whether it is a number that follows from the device's own and constants, of GPUs any that
// is no sum, and is computed where it is read: by kernels alone.
std::vector<bool> within_their_readers(const Computation& computation, const ReadersOf& readers,
                                       LaidOutFor chip);
// Whether XLA for GPUs leaves it two instructions, a start and an end: other work stands between it and its
// first reader.
bool is_started(const Computation& computation, InstructionId id, const ReadersOf& readers);
// Whether it is the transpose, or the kernel of one, in whose order what it reads lies already
// (LayoutCopies::turned).
bool turns_back(const Program& program, const Computation& computation, const Instruction& instruction);
// Whether it only writes a product's result the other way round, which the product does itself.
bool turns_a_product(const Computation& computation, const Instruction& instruction,
                     const ReadersOf& readers);

}  // namespace shardscope::inline program
