// SPDX-License-Identifier: Apache-2.0
// The global arrays that a program reads, and what it should make of them.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/base/result.h"
#include "engine/numerics/array/buffer_pool.h"
#include "engine/numerics/check/numerics.h"

namespace shardscope::inline numerics {

struct ProgramArrays {
  std::map<std::string, Array> by_symbol;  // not transposed; inputs, and what definitions make of them
  bool exact = false;                      // results must equal these bit for bit
};

// What runs of the same data leave for the next: memory, and the arrays of the last few programs. Those of
// one chain, whatever the strategy, are the same.
struct ComputedArrays {
  struct Entry {
    std::string key;
    const ProblemData* data = nullptr;  // whose arrays they come from; it outlives this
    ProgramArrays arrays;
  };
  std::vector<Entry> entries;  // the newest last
  BufferPool pool{};
};

// X and W of `data`. A program with definitions also gets its further operands, filled like them, and every
// array that its definitions make, in f64 from those before it, rounded once to the problem's type. Of the
// integer fill it gets arrays of its own: so sparse in {-1,0,1} that every partial sum of every product of
// the chain is an integer that all types hold.
// Those that are in `made`, which may be null, are not made again.
Result<ProgramArrays> program_arrays(const Program& program, const ProblemData& data, const Workers& workers,
                                     const std::stop_token& stop, ComputedArrays* made = nullptr);

// default_tolerance; of an output that a definition makes, atol = rtol·rms(expected).
std::pair<double, double> output_tolerance(const Program& program, const ProgramArrays& arrays,
                                           const ProblemData& data, const Array& expected);

}  // namespace shardscope::inline numerics
