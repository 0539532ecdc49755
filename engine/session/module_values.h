// SPDX-License-Identifier: Apache-2.0
// The arrays that a module is run on, and those that come out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/parallel.h"
#include "engine/base/result.h"
#include "engine/numerics/array/array.h"
#include "engine/partition/types/partitioned.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline session {

// A value as typed: of a parameter by name or number ("p0", "1", "p{1}" for a part of a tuple) an NPY file or
// a literal, "3", "[[1,2],[3,4]]".
struct TypedArgument {
  std::string parameter, value;
};
// "p0=X.npy".
Result<TypedArgument> parse_typed_argument(std::string_view text);

// One leaf of the entry's parameters.
struct ModuleParameter {
  std::string name;    // "p", or "p{1}" of a tuple
  std::string number;  // "0", "0{1}"
  Shape shape;
  std::optional<HloSharding> sharding;
};
// In order of parameter number and, of a tuple, pre-order.
std::vector<ModuleParameter> module_parameters(const Program& module);

// What a parameter got: `words` say from where. One array that every device has, or is given its tile of; or
// as many as there are devices.
struct ModuleArgument {
  ModuleParameter parameter;
  std::string words;  // "X.npy", "3 everywhere", "drawn from seed 0"
  std::vector<Array> arrays;
};
// The typed values and, for the rest, small whole numbers drawn from the seed, or the identity of the
// operation whose reductions start from it (initial_values). Of a module that came partitioned for `devices`
// (1: it did not) a value is what each device has, the whole array that its parameter's sharding cuts, or one
// array per device in a row. Errors: unknown names and other shapes or types (with what was expected), more
// bytes than this machine has.
struct ArgumentRequest {
  std::vector<TypedArgument> typed{};
  uint64_t seed = 0;
  int64_t devices = 1;
  // Floats are drawn as multiples of 1/64 in [-1/4, 1/4] instead of small whole numbers, in which
  // exponentials saturate.
  bool fractions = false;
};
Result<std::vector<ModuleArgument>> make_module_arguments(const Program& module,
                                                          const ArgumentRequest& request,
                                                          const Workers& workers);

// A leaf of the result.
struct ModuleResult {
  std::string name;  // "result", "result{1}"
  Shape shape;       // of each array
  std::optional<HloSharding> sharding;
  std::vector<Array> arrays;  // one: the whole, or what every device has; else by device; none: not known
  std::string unknown{};      // why it is not known: it depends on an instruction that has no meaning here
};
std::string result_name(size_t leaf, size_t leaves);

// Constants whose text was left out, "{...}", get a seed each; their names come back.
std::vector<std::string> draw_elided_constants(Program& module, uint64_t seed);
// Their text as it was.
void elide_constants(Program& program);

}  // namespace shardscope::inline session
