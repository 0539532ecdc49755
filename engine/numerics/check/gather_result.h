// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/numerics/check/program_arrays.h"
#include "engine/numerics/rules/interpreter.h"

namespace shardscope::inline numerics {

// parameters[number][device]: the shards of the arrays that `program` asks for, each in memory of
// its own, of `pool`; devices that hold the same shard share it. Along unreduced axes they hold parts that
// add up to it. An array that is given away goes as soon as it is cut.
Result<std::vector<std::vector<ViewPtr>>> shard_inputs(const Program& program, ProgramArrays arrays,
                                                       const Workers& workers, const std::stop_token& stop,
                                                       BufferPool pool = {});

// The global array that the shards make up by output `output` of `program` (0: the main one; shards are
// values of the root): partial sums along unreduced axes are added in f64 and rounded once, and devices that
// should hold the same are compared bit for bit.
struct GatheredResult {
  Array array;
  std::string disagreement;  // "devices 0 and 3 hold different copies of …", or empty
};
Result<GatheredResult> gather_result(const Program& program, size_t output,
                                     const std::vector<DeviceValue>& shards, Interpreter& interpreter,
                                     const Workers& workers, const std::stop_token& stop);

// What an output should be: what its definition makes; without definitions the reference product, an operand,
// or the Gram matrix of every device's block.
Result<Array> expected_result(const Program& program, const ArrayInfo& output, const ProgramArrays& arrays,
                              const ProblemData& data, const Workers& workers, const std::stop_token& stop);

}  // namespace shardscope::inline numerics
