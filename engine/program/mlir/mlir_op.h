// SPDX-License-Identifier: Apache-2.0
// An operation of MLIR text as it is written: names, attributes and regions are views of the text, types are
// those of a table. Pretty and generic form give the same.
#pragma once

#include <string_view>
#include <vector>

#include "engine/program/ir/shape.h"

namespace shardscope::inline program {

struct MlirOp;

struct MlirAttribute {
  std::string_view key, value;
};

// A value that an operation makes, "%0:2" a pack of two. Without '%'.
struct MlirResult {
  std::string_view name;
  int64_t count = 1;
};

struct MlirArgument {
  std::string_view name;
  const Shape* type = nullptr;  // null: not said
  std::string_view location{};  // inside of loc(...)
};

struct MlirRegion {
  std::vector<MlirArgument> arguments;
  std::vector<MlirOp> body;
};

struct MlirOp {
  std::string_view name;  // "stablehlo.add"
  size_t place = 0;       // of the name in the text
  size_t end = 0;         // behind all of it
  std::vector<MlirResult> results;
  std::vector<std::string_view> operands;  // "arg0", "0#1"
  std::vector<MlirAttribute> attributes;   // of all its dictionaries, and "dims = [0]"
  std::vector<std::string_view> words;     // what else stands before its types: LT, @name, [0:4], <@m, [{}]>
  std::vector<MlirRegion> regions;
  // (operands) -> results; a list without an arrow is in `result_types` and `has_arrow` is false.
  std::vector<const Shape*> operand_types, result_types;
  bool has_arrow = false;
  std::string_view location;  // inside of loc(...)

  void clear() {
    name = location = {};
    place = end = 0;
    has_arrow = false;
    results.clear();
    operands.clear();
    attributes.clear();
    words.clear();
    regions.clear();
    operand_types.clear();
    result_types.clear();
  }
  // The text behind `key =`; empty: it is not there.
  std::string_view attribute(std::string_view key) const {
    for (const MlirAttribute& a : attributes)
      if (a.key == key) return a.value;
    return {};
  }
  bool has(std::string_view key) const {
    for (const MlirAttribute& a : attributes)
      if (a.key == key) return true;
    return false;
  }
  int64_t result_count() const {
    int64_t count = 0;
    for (const MlirResult& r : results) count += r.count;
    return count;
  }
};

}  // namespace shardscope::inline program
