// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "engine/numerics/array/matrix_view.h"
#include "engine/numerics/product/product.h"
#include "engine/numerics/rules/device_value.h"

namespace shardscope::inline numerics {

// The matrices over parameters that an execution packs, and how often. Strategies that pass shards round read
// the same one again and again, under other names: an execution on the same parameters as the one before
// keeps the panels that will be read again. What lies in other memory may change between two products.
class PackedMatrices {
 public:
  // `again`: these parameters are those of the execution before.
  void begin(const std::vector<DeviceValues>& parameters, bool again);
  // Where the panels of a matrix that is about to be packed are kept; null: nobody reads them again.
  std::shared_ptr<KeptPanels> of(const MatrixView& matrix, OperandSide side);
  void end() {
    kept_.clear();
    held_.clear();
  }

 private:
  using Key = std::pair<OperandSide, MatrixView>;
  void add_memory(const DeviceValues& values);
  bool in_parameters(const MatrixView& matrix) const;

  std::vector<DeviceValues> held_;                       // parameters, while panels of them are kept
  std::map<const std::byte*, const std::byte*> memory_;  // of parameters: start -> end
  std::map<Key, int> packed_;                            // in this execution
  std::map<Key, int> before_;                            // in the one before, on the same parameters
  std::map<Key, std::shared_ptr<KeptPanels>> kept_;
};

}  // namespace shardscope::inline numerics
