// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/measure/import/text_numbers.h"

namespace shardscope::inline measure {

// PyTorch's operators by their "External id", millions of them: what launched a kernel, and its operands.
class CpuOperators {
 public:
  struct Found {
    const std::string& name;
    const std::string& dims;
    const std::string& types;
  };
  // The last one with an id is it. Beyond four million they are left out.
  void add(std::string_view id, std::string_view name, std::string_view dims, std::string_view types);
  void learned();  // all are added
  std::optional<Found> find(std::string_view id) const;

 private:
  struct Operator {
    int64_t id = 0;
    uint32_t name = 0, dims = 0, types = 0;
  };
  int64_t number_of(std::string_view id);

  std::vector<Operator> all_;                           // by id once learned
  std::map<std::string, int64_t, std::less<>> others_;  // ids that are no numbers, with one below zero each
  TextNumbers texts_;
};

}  // namespace shardscope::inline measure
