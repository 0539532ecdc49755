// SPDX-License-Identifier: Apache-2.0
// What JAX made of a program (make.py): its module in several forms, arguments and what should come of them.
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/numerics/array/array.h"

namespace shardscope::oracle {

struct GoldenResult {
  std::string dtype, sharding;  // "P('x', None)"; "": JAX says none
  std::vector<int64_t> dims;
  double squares = 0;  // the sum over all elements
  // Some elements: place and value; of a complex number the real part, and the imaginary one.
  struct Element {
    int64_t place = 0;
    double value = 0, imaginary = 0;
  };
  std::vector<Element> elements;
};

// jax.vjp of a result with a cotangent, by arguments.
struct GoldenGradient {
  size_t of = 0;
  Array bar;  // of a scalar: 1
  std::vector<size_t> by;
  std::vector<GoldenResult> results;
};

struct Golden {
  std::string name;
  std::map<std::string, std::string> forms;  // text by file name: module.mlir, lowered.hlo, …
  std::vector<Array> arguments;
  std::vector<GoldenResult> results;
  // Of XLA's partitioner, by kind; none: not known.
  std::optional<std::map<std::string, int64_t>> collectives;
  // What Shardy gives operations of module.mlir, by line.
  std::map<int32_t, std::string> shardings;
  std::optional<GoldenGradient> gradient;
};

// Equal, both no number, or no further from each other.
inline bool near(double a, double b, double within) {
  return a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= within;
}

std::vector<std::string> golden_names();
Golden read_golden(const std::string& name);

}  // namespace shardscope::oracle
