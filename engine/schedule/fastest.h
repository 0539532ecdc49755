// SPDX-License-Identifier: Apache-2.0
// The choice of algorithms by playing them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <tuple>
#include <vector>

#include "engine/plan/algorithm_chooser.h"

namespace shardscope::inline scheduler {

// How collectives end first, each alone on whole links. Those algorithms that the load of the links makes
// hopeful are played; where too many messages would have to be, the load decides. An answer follows from what
// is asked alone; it is kept, as programs ask again and again: who plans owns the answers and hands them
// down. Several may look in what is known before at once, while nobody adds to it.
class FastestAlgorithms final : public AlgorithmChooser {
 public:
  enum class Reasons { said, left_out };  // to say why, two that are slower are played to their ends

  explicit FastestAlgorithms(Reasons reasons = Reasons::said) : reasons_(reasons) {}
  // Looks in `before` first, which outlives it; with its reasons. Null: nothing is known.
  explicit FastestAlgorithms(const FastestAlgorithms* before)
      : reasons_(before == nullptr ? Reasons::said : before->reasons_), before_(before) {}

  bool knows(const CollectiveQuery& asked) const override { return find(asked) != nullptr; }
  std::optional<Choice> of(const CollectiveQuery& asked, const std::stop_token& stop) override;
  // What another one found.
  void learn(FastestAlgorithms&& other);
  size_t size() const { return count_; }  // of its own answers

 private:
  struct Known {
    CollectiveQuery asked;
    Choice choice;
  };
  using Key = std::tuple<CollectiveKind, int32_t, int64_t>;
  static Key key_of(const CollectiveShape& shape) { return {shape.kind, shape.ranks, shape.bytes}; }
  const Choice* find(const CollectiveQuery& asked) const;

  Reasons reasons_;
  const FastestAlgorithms* before_ = nullptr;
  std::map<Key, std::vector<Known>> known_;
  size_t count_ = 0;  // in known_
};

}  // namespace shardscope::inline scheduler
