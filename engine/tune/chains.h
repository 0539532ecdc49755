// SPDX-License-Identifier: Apache-2.0
// One mesh's choices for all products of a model's step, found with as little timing as it takes.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "engine/tune/fastest_round.h"
#include "engine/tune/knowledge.h"

namespace shardscope::inline tuner {

// What a step of a model is made of: its different products, its different arrays, and which layer has which.
struct ModelStep {
  struct Layer {
    std::vector<size_t> products;  // by pass: forward alone, or all three
    size_t x = 0, w = 0, y = 0;    // arrays
  };
  TuneStep step = TuneStep::training;
  std::vector<MatmulProblem> products;
  std::vector<Shape> arrays;
  std::vector<Layer> layers;
};
ModelStep model_step(const TuneModel& model, TuneStep step, int64_t chips);

inline constexpr int64_t kShortProgram = 400;  // instructions: soon timed

// Which choices: all of them, those that are timed, or those and what is soon, or at once, timed.
enum class Trusted { all, timed, shortest_programs, short_programs };
// What a chain may hold: in one product with what stays beside it of its layer, and in all; and what it may
// take.
struct ChainLimits {
  Trusted of = Trusted::all;
  double seconds = std::numeric_limits<double>::infinity();
  int64_t product_bytes = std::numeric_limits<int64_t>::max();
  int64_t candidate_bytes = std::numeric_limits<int64_t>::max();
  int64_t whole_bytes = std::numeric_limits<int64_t>::max();  // candidate_bytes, looked at closely
};

// The layers in order; the last one's result is the first one's X again, as in a stack of equal blocks. A
// least time and a least memory are known of every choice. What the chain that is fastest by these is made of
// is timed, until it is made of timed choices alone: then no other chain is faster, whatever the schedule
// would say of the choices that never were timed.
class ChainSearch {
 public:
  ChainSearch(const TuneModel& model, const ModelStep& step, MeshKnowledge& knowledge);

  // What has to be learnt before the fastest chain within the limits is known; nothing: chain() is it, or
  // least_s() says that every one takes longer than the limits allow.
  std::vector<TuneQuestion> open(const ChainLimits& limits);
  // By what is known so far no chain within the limits is faster; infinite: there is none. Before open().
  double least_within(const ChainLimits& limits) { return choose(limits); }
  // After open(): no chain that holds no more than the limits is faster; infinite: there is none.
  double least_s() const { return least_s_; }
  struct Chain {
    TuneCandidate candidate;
    int64_t product_bytes = 0;  // ChainLimits that it just keeps
  };
  std::optional<Chain> chain() const;
  // By what is known so far, whether some chain may need no more.
  bool may_fit(int64_t bytes) const;

 private:
  // The best option of a class within the limits, and how its arrays lie, as those of the layer: X, W and Y
  // or their gradients.
  struct Pick {
    size_t product = 0, option = 0;
    double seconds = 0;
    size_t x = 0, w = 0, y = 0;
    double instead_s = std::numeric_limits<double>::infinity();  // of what is timed of the class the fastest
  };
  struct LayerPicks {
    std::vector<Pick> forward, data, weight;
    std::vector<size_t> best_weight;  // by forward choice · data.size() + data choice
  };
  // An array of the model on its way from one layout to another.
  struct Hop {
    size_t array = 0, from = 0, to = 0;
  };
  struct Chosen {
    Pick forward, data, weight;
  };

  // What a forward product needs with what stays of its layer beside it.
  int64_t charge(const LayerOption& forward, int64_t peak_bytes) const;
  std::vector<Pick> picks_of(size_t layer, TunePass pass, const ChainLimits& limits) const;
  LayerPicks layer_picks(size_t layer, const ChainLimits& limits) const;
  // Chooses the chain that is fastest by what is known, with seconds; infinite: there is none.
  double choose(const ChainLimits& limits);
  std::vector<TuneQuestion> unknown();
  LayerCosts costs_of(size_t layer, std::vector<LayerPicks>& all);
  // What a product reads and makes, from and to where its layer has it; those that go nowhere are none.
  std::array<Hop, 3> hops_before(size_t layer, const Chosen& chosen, TunePass pass) const;
  // What a layer makes to the next one; and what that one makes back.
  Hop onwards(size_t layer, const Pick& forward, const Pick& next) const;
  Hop backwards(size_t layer, const Pick& next, const Pick& data) const;
  double seconds(std::span<const Hop> hops);

  // Of what is chosen:
  std::span<const TunePass> passes() const;
  const Pick& pick_of(size_t layer, TunePass pass) const;
  std::vector<Hop> all_hops(size_t layer, TunePass pass) const;
  int64_t held_bytes(size_t layer, TunePass pass) const;
  TuneLayerChoice choice_of(size_t layer, TunePass pass) const;
  const LayerOption& option(const Pick& pick) const {
    return knowledge_.product(pick.product).options[pick.option];
  }
  bool trains() const { return step_.step == TuneStep::training; }

  const TuneModel& model_;
  const ModelStep& step_;
  MeshKnowledge& knowledge_;
  std::vector<int64_t> least_beside_;  // by layer
  std::vector<Chosen> chosen_;         // by layer; empty: there is no chain
  double least_s_ = 0;
};

}  // namespace shardscope::inline tuner
