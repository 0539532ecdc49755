// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace shardscope {

// Work that several processes share: all of them do the same, but of a list of items each does its own part,
// and then all have everybody's.
class Sharing {
 public:
  virtual ~Sharing() = default;
  virtual int part() const = 0;   // which one this is
  virtual int parts() const = 0;  // how many there are
  // Everybody's text, by part. Errors: told to stop; another part is gone.
  virtual Result<std::vector<std::string>> gather(const std::string& own) = 0;
};

}  // namespace shardscope
