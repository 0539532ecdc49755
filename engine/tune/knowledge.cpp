// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/knowledge.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace shardscope::inline tuner {

MeshKnowledge::MeshKnowledge(Mesh mesh, const Hardware& hardware, std::vector<LayerOptions> products,
                             std::vector<Shape> arrays)
    : mesh_(std::move(mesh)),
      hardware_(hardware),
      products_(std::move(products)),
      arrays_(std::move(arrays)) {
  for (const LayerOptions& product : products_) {
    auto& known = known_.emplace_back();
    auto& classes = classes_.emplace_back();
    refused_ += product.refused;
    for (size_t o = 0; o < product.options.size(); ++o) {
      const LayerOption& option = product.options[o];
      known.push_back({option.least.seconds, option.least.peak_bytes, false, {}});
      const size_t lhs = layout(option.lhs.stored), rhs = layout(option.rhs.stored),
                   out = layout(option.out.stored);
      auto at = std::find_if(classes.begin(), classes.end(), [&](const LayoutClass& c) {
        return c.lhs == lhs && c.rhs == rhs && c.out == out;
      });
      if (at == classes.end()) at = classes.insert(at, LayoutClass{lhs, rhs, out, {}});
      at->options.push_back(o);
    }
  }
  for (size_t l = 0; l < layouts_.size(); ++l) {  // grows by those that are not there yet
    const StoredArray other{layouts_[l].spec, !layouts_[l].transposed};
    turned_.push_back(layout(other));
  }
  least_.emplace(mesh_, hardware_, layouts_);
  moves_.resize(arrays_.size() * layouts_.size() * layouts_.size());
}

size_t MeshKnowledge::layout(const StoredArray& stored) {
  const auto at = std::find(layouts_.begin(), layouts_.end(), stored);
  if (at != layouts_.end()) return static_cast<size_t>(at - layouts_.begin());
  layouts_.push_back(stored);
  return layouts_.size() - 1;
}

const MeshKnowledge::Move& MeshKnowledge::move(size_t array, size_t from, size_t to) {
  std::optional<Move>& at = move_at(array, from, to);
  if (at) return *at;
  at.emplace();
  if (from == to) {
    at->timed = true;
  } else {
    at->seconds = least_->seconds(from, to, static_cast<double>(arrays_[array].bytes()));
  }
  return *at;
}

Result<Program> MeshKnowledge::plan(const TuneQuestion& q, const std::stop_token& stop) const {
  if (!q.is_product) return reshard_program(mesh_, arrays_[q.array], layouts_[q.from], layouts_[q.to]);
  const LayerOptions& product = products_[q.product];
  return planned(product.options[q.option], mesh_, product.problem, stop);
}

int64_t MeshKnowledge::instructions(const TuneQuestion& q) const {
  constexpr int64_t kOfAMove = 32;
  return q.is_product ? products_[q.product].options[q.option].least.instructions : kOfAMove;
}

TuneAnswer MeshKnowledge::answer(const TuneQuestion& q, Result<Program> planned,
                                 const FastestAlgorithms& fastest, const std::stop_token& stop) const {
  TuneAnswer out;
  const TimedOn chip{hardware_, fastest};
  if (q.is_product) {
    out.time = time_planned(std::move(planned), chip, q.limit_s, stop);
  } else {
    out.move = resharding(planned, chip, stop);
  }
  return out;
}

std::string MeshKnowledge::text_of(const TuneQuestion& q) const {
  if (!q.is_product) {
    const auto text = [&](size_t layout) {
      return layouts_[layout].spec.text() + (layouts_[layout].transposed ? " transposed" : "");
    };
    return fmt::format("{}: {}, {} to {}", mesh_.text(), arrays_[q.array].text(), text(q.from), text(q.to));
  }
  const LayerOption& option = products_[q.product].options[q.option];
  const MatmulProblem& p = products_[q.product].problem;
  return fmt::format("{}: {}x{}x{} {} slices {} block {}", mesh_.text(), p.m, p.k, p.n, option.strategy->id,
                     option.options.slices.value_or(0), option.options.block.value_or(0));
}

void MeshKnowledge::learn(const TuneQuestion& q, const TuneAnswer& answer) {
  if (!q.is_product) {
    move_at(q.array, q.from, q.to) = {answer.move.seconds, true, answer.move};
    return;
  }
  Known& known = known_[q.product][q.option];
  if (known.timed) return;
  if (answer.time.ok() && !*answer.time) {
    constexpr double kLonger = 1e-12;  // a picosecond
    known.seconds = std::max(known.seconds, q.limit_s + kLonger);
    return;
  }
  known.timed = true;
  if (answer.time.ok()) {
    ++timed_;
    known.time = **answer.time;
    known.seconds = known.time.total_s;
    known.peak_bytes = known.time.peak_bytes;
  } else {
    ++refused_;
    last_error_ = answer.time.error();
    known.seconds = std::numeric_limits<double>::infinity();
  }
}

std::vector<TuneQuestion> MeshKnowledge::everything() const {
  std::vector<TuneQuestion> all;
  for (size_t p = 0; p < products_.size(); ++p) {
    for (size_t o = 0; o < products_[p].options.size(); ++o) all.push_back({.product = p, .option = o});
  }
  return all;
}

int64_t MeshKnowledge::untimed() const {
  int64_t count = 0;
  for (const auto& options : known_)
    count += std::count_if(options.begin(), options.end(), [](const Known& k) { return !k.timed; });
  return count;
}

}  // namespace shardscope::inline tuner
