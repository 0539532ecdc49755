// SPDX-License-Identifier: Apache-2.0
// What is known of one mesh's choices: first their bounds, then, of those that were timed, the truth.
#pragma once

#include <compare>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engine/tune/timing.h"

namespace shardscope::inline tuner {

// A product or a resharding that is to be timed.
struct TuneQuestion {
  bool is_product = true;
  size_t product = 0, option = 0;
  size_t array = 0, from = 0, to = 0;
  double limit_s = std::numeric_limits<double>::infinity();  // of a product: beyond it nobody asks how long
  auto operator<=>(const TuneQuestion&) const = default;
};
struct TuneAnswer {
  Result<std::optional<OptionTime>> time{std::optional<OptionTime>()};
  Resharding move;
};

// Options of a product whose arrays lie alike: by number of layout.
struct LayoutClass {
  size_t lhs = 0, rhs = 0, out = 0;
  std::vector<size_t> options;
};

class MeshKnowledge {
 public:
  // `products`: the options of each product on the mesh; `arrays`: what is handed on.
  MeshKnowledge(Mesh mesh, const Hardware& hardware, std::vector<LayerOptions> products,
                std::vector<Shape> arrays);

  struct Known {
    double seconds = 0;      // at least, until it is timed; infinite: it cannot be timed
    int64_t peak_bytes = 0;  // likewise
    bool timed = false;
    OptionTime time;
  };
  const Known& known(size_t product, size_t option) const { return known_[product][option]; }
  const LayerOptions& product(size_t product) const { return products_[product]; }
  const std::vector<LayoutClass>& classes(size_t product) const { return classes_[product]; }
  // The layout of the transpose of an array that lies as `layout`.
  size_t turned(size_t layout) const { return turned_[layout]; }

  struct Move {
    double seconds = 0;  // at least, until it is timed
    bool timed = false;
    Resharding done;
  };
  const Move& move(size_t array, size_t from, size_t to);

  // The program to time for it, about so many instructions long.
  Result<Program> plan(const TuneQuestion& question, const std::stop_token& stop) const;
  int64_t instructions(const TuneQuestion& question) const;
  // Of the program planned for it. Independent of all others: may run beside them.
  TuneAnswer answer(const TuneQuestion& question, Result<Program> planned, const FastestAlgorithms& fastest,
                    const std::stop_token& stop) const;
  void learn(const TuneQuestion& question, const TuneAnswer& answer);
  // In words that mean the same in every tuning of the same chips.
  std::string text_of(const TuneQuestion& question) const;
  // All options of all products.
  std::vector<TuneQuestion> everything() const;

  const Mesh& mesh() const { return mesh_; }
  const Hardware& hardware() const { return hardware_; }
  int64_t timed() const { return timed_; }
  int64_t refused() const { return refused_; }
  int64_t untimed() const;
  const std::optional<Error>& last_error() const { return last_error_; }

 private:
  size_t layout(const StoredArray& stored);
  std::optional<Move>& move_at(size_t array, size_t from, size_t to) {
    return moves_[(array * layouts_.size() + from) * layouts_.size() + to];
  }

  Mesh mesh_;
  const Hardware& hardware_;
  std::vector<LayerOptions> products_;
  std::vector<Shape> arrays_;
  std::vector<std::vector<Known>> known_;          // by product and option
  std::vector<std::vector<LayoutClass>> classes_;  // by product
  std::vector<StoredArray> layouts_;
  std::vector<size_t> turned_;  // by layout
  std::optional<LeastResharding> least_;
  std::vector<std::optional<Move>> moves_;  // by array, from and to; none: nobody asked
  int64_t timed_ = 0, refused_ = 0;
  std::optional<Error> last_error_;
};

}  // namespace shardscope::inline tuner
