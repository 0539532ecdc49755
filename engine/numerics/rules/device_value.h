// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "engine/numerics/array/copy.h"

namespace shardscope::inline numerics {

// What one instruction is on one device: an array, an integer scalar, or a tuple.
struct DeviceValue {
  ViewPtr view;
  int64_t scalar = 0;  // when there is neither view nor tuple
  std::vector<DeviceValue> elements;
};
using DeviceValues = std::vector<DeviceValue>;  // by device

int64_t scalar_of(const DeviceValue& value);

// The parameters of an execution, to know them again in the next; nobody's memory is kept for it.
class GivenParameters {
 public:
  void note(const std::vector<DeviceValues>& parameters);
  // Tuples and scalars are nobody's array: they are never the same.
  bool are(const std::vector<DeviceValues>& parameters) const;

 private:
  std::vector<std::weak_ptr<const View>> views_;  // by number, then device
};

// Views of values, also of scalars: those are made once for each type and value.
class ScalarViews {
 public:
  ViewPtr view_of(const DeviceValue& value, ElementType type);

 private:
  std::map<std::pair<ElementType, int64_t>, ViewPtr> made_;
};

// Replaces the views of `values` by their converted copies.
void convert_values(DeviceValues& values, ElementType to, BufferPool& pool, Loops& loops);

}  // namespace shardscope::inline numerics
