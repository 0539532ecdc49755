// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/program/ir/instruction.h"

namespace shardscope::inline program {

// Lets fields that a text says again and again share one value: remembers the last few.
template <class T>
class RecentValues {
 public:
  // `field` as it was, the value of an earlier equal one if there is one.
  void share(Rare<T>& field) {
    if (field == Rare<T>()) return;
    for (const Rare<T>& known : recent_) {
      if (!(known == field)) continue;
      field = known;
      return;
    }
    recent_[next_++ % recent_.size()] = field;
  }

 private:
  std::array<Rare<T>, 8> recent_;
  size_t next_ = 0;
};

// The fields of instructions that repeat in every layer of a model.
class RecentFields {
 public:
  void share(Instruction& i) {
    dimensions_.share(i.dimensions);
    dots_.share(i.dot);
    called_.share(i.called);
    literals_.share(i.literal);
    attributes_.share(i.attributes);
    shardings_.share(i.sharding);
  }

 private:
  RecentValues<std::vector<int64_t>> dimensions_;
  RecentValues<DotDims> dots_;
  RecentValues<std::vector<CalledComputation>> called_;
  RecentValues<std::string> literals_;
  RecentValues<Attributes> attributes_;
  RecentValues<std::optional<HloSharding>> shardings_;
};

}  // namespace shardscope::inline program
