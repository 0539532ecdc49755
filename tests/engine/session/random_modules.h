// SPDX-License-Identifier: Apache-2.0
// Small HLO modules with random shardings, as text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace shardscope::testing {

// dot, elementwise, transpose, reshape, reduce and broadcast over arrays of rank 0 to 4, on 2 to 16 devices.
class RandomModule {
 public:
  explicit RandomModule(uint64_t seed) : random_(seed) {
    static constexpr int64_t kDevices[] = {2, 3, 4, 6, 8, 8, 12, 16};
    devices_ = kDevices[below(std::size(kDevices))];
    type_ = below(2) == 0 ? "s32" : "f32";
    const size_t parameters = 1 + below(3);
    for (size_t p = 0; p < parameters; ++p) add(random_dims(1 + below(3)), fmt::format("parameter({})", p));
    if (below(8) == 0) ring_product(parameters);
    const size_t steps = 1 + below(6);
    for (size_t s = 0; s < steps; ++s) step();
    finish();
  }

  int64_t devices() const { return devices_; }
  bool is_exact() const { return type_ == "s32"; }
  std::string text() const {
    return fmt::format(
        "HloModule random\n\nadd {{\n  x = {0}[] parameter(0)\n  y = {0}[] parameter(1)\n"
        "  ROOT sum = {0}[] add(x, y)\n}}\n\nmax {{\n  x.1 = {0}[] parameter(0)\n"
        "  y.1 = {0}[] parameter(1)\n  ROOT most = {0}[] maximum(x.1, y.1)\n}}\n\nENTRY main {{\n{1}}}\n",
        type_, fmt::join(lines_, ""));
  }

 private:
  using Dims = std::vector<int64_t>;

  size_t below(size_t n) { return static_cast<size_t>(random_() % n); }
  size_t any() { return below(values_.size()); }
  Dims random_dims(size_t rank) {
    static constexpr int64_t kSizes[] = {1, 2, 3, 4, 5, 6, 8, 8, 12};
    Dims dims;
    for (size_t d = 0; d < rank; ++d) dims.push_back(kSizes[below(std::size(kSizes))]);
    return dims;
  }
  static int64_t elements(const Dims& dims) {
    return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
  }
  std::string shape(const Dims& dims) const { return fmt::format("{}[{}]", type_, fmt::join(dims, ",")); }

  // Any tiling of `rank` dimensions over all devices, in any order of devices.
  std::string sharding(size_t rank) {
    if (below(5) == 0) return "";
    if (rank == 0 || below(8) == 0) return ", sharding={replicated}";
    Dims counts(rank, 1);
    int64_t rest = devices_;
    for (size_t tries = 0; tries < 3; ++tries) {
      std::vector<int64_t> divisors;
      for (int64_t c = 2; c <= rest; ++c)
        if (rest % c == 0) divisors.push_back(c);
      if (divisors.empty()) break;
      const int64_t count = divisors[below(divisors.size())];
      counts[below(rank)] *= count;
      rest /= count;
    }
    std::vector<int64_t> order(static_cast<size_t>(devices_));
    std::iota(order.begin(), order.end(), 0);
    if (below(3) == 0) std::shuffle(order.begin(), order.end(), random_);
    if (below(3) == 0) std::reverse(order.begin(), order.end());
    if (rest == devices_) return ", sharding={replicated}";
    if (rest > 1) counts.push_back(rest);
    return fmt::format(", sharding={{devices=[{}]{}{}}}", fmt::join(counts, ","), fmt::join(order, ","),
                       rest > 1 ? " last_tile_dim_replicate" : "");
  }

  void add(const Dims& dims, const std::string& text) { add(dims, text, sharding(dims.size())); }
  void add(const Dims& dims, const std::string& text, const std::string& sharding) {
    lines_.push_back(fmt::format("  v{} = {} {}{}\n", values_.size(), shape(dims), text, sharding));
    values_.push_back(dims);
  }
  void add_scalar() {
    lines_.push_back(fmt::format("  v{} = {}[] constant(0)\n", values_.size(), type_));
    values_.push_back({});
  }

  void step() {
    switch (below(9)) {
      case 0:
      case 1:
      case 2:
        return dot();
      case 3:
        return elementwise();
      case 4:
        return transpose();
      case 5:
        return reshape();
      case 6:
      case 7:
        return reduce();
      default:
        return broadcast();
    }
  }

  void dot() {
    const size_t a = any(), b = any();
    const Dims lhs = values_[a], rhs = values_[b];
    Dims lhs_batch, rhs_batch, lhs_contracting, rhs_contracting, result, free;
    std::vector<bool> used(rhs.size());
    for (size_t i = 0; i < lhs.size(); ++i) {
      size_t j = 0;
      while (j < rhs.size() && (used[j] || rhs[j] != lhs[i])) ++j;
      const size_t what = j < rhs.size() ? below(4) : 3;
      if (what == 3) {
        free.push_back(lhs[i]);
        continue;
      }
      used[j] = true;
      (what == 0 ? lhs_batch : lhs_contracting).push_back(static_cast<int64_t>(i));
      (what == 0 ? rhs_batch : rhs_contracting).push_back(static_cast<int64_t>(j));
      if (what == 0) result.push_back(lhs[i]);
    }
    result.insert(result.end(), free.begin(), free.end());
    for (size_t j = 0; j < rhs.size(); ++j)
      if (!used[j]) result.push_back(rhs[j]);
    if (result.size() > 4 || elements(result) > 5000) return elementwise();
    std::string text = fmt::format("dot(v{}, v{})", a, b);
    if (!lhs_batch.empty())
      text += fmt::format(", lhs_batch_dims={{{}}}, rhs_batch_dims={{{}}}", fmt::join(lhs_batch, ","),
                          fmt::join(rhs_batch, ","));
    text += fmt::format(", lhs_contracting_dims={{{}}}, rhs_contracting_dims={{{}}}",
                        fmt::join(lhs_contracting, ","), fmt::join(rhs_contracting, ","));
    add(result, text);
  }

  // Two more parameters and their product, each cut along one dimension by all devices: what a loop over
  // shards can compute.
  void ring_product(size_t parameters) {
    static constexpr const char* kCuts[][3] = {{"N,1", "N,1", "N,1"},
                                               {"N,1", "1,N", "N,1"},
                                               {"1,N", "1,N", "1,N"},
                                               {"1,N", "N,1", "N,1"},
                                               {"1,N", "N,1", "1,N"}};
    const auto& cuts = kCuts[below(std::size(kCuts))];
    std::vector<int64_t> order(static_cast<size_t>(devices_));
    std::iota(order.begin(), order.end(), 0);
    if (below(2) == 0) std::shuffle(order.begin(), order.end(), random_);
    const auto cut = [&](std::string counts) {
      counts.replace(counts.find('N'), 1, std::to_string(devices_));
      return fmt::format(", sharding={{devices=[{}]{}}}", counts, fmt::join(order, ","));
    };
    Dims sizes;
    for (int k = 0; k < 3; ++k) sizes.push_back(devices_ * static_cast<int64_t>(1 + below(2)));
    add({sizes[0], sizes[1]}, fmt::format("parameter({})", parameters), cut(cuts[0]));
    add({sizes[1], sizes[2]}, fmt::format("parameter({})", parameters + 1), cut(cuts[1]));
    const size_t rhs = values_.size() - 1;
    add({sizes[0], sizes[2]},
        fmt::format("dot(v{}, v{}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}", rhs - 1, rhs),
        cut(cuts[2]));
  }

  void elementwise() {
    static const char* const kBinary[] = {"add", "subtract", "maximum", "minimum"};
    const size_t a = any();
    std::vector<size_t> alike;
    for (size_t i = 0; i < values_.size(); ++i)
      if (values_[i] == values_[a]) alike.push_back(i);
    if (below(4) == 0) return add(values_[a], fmt::format("negate(v{})", a));
    add(values_[a], fmt::format("{}(v{}, v{})", kBinary[below(4)], a, alike[below(alike.size())]));
  }

  void transpose() {
    const size_t a = any();
    Dims order(values_[a].size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    Dims dims;
    for (const int64_t d : order) dims.push_back(values_[a][static_cast<size_t>(d)]);
    add(dims, fmt::format("transpose(v{}), dimensions={{{}}}", a, fmt::join(order, ",")));
  }

  // The same elements: neighbouring dimensions merged or one split.
  void reshape() {
    const size_t a = any();
    Dims dims = values_[a];
    if (dims.size() > 1 && below(2) == 0) {
      const size_t d = below(dims.size() - 1);
      dims[d] *= dims[d + 1];
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(d) + 1);
    } else if (!dims.empty() && dims.size() < 4) {
      const size_t d = below(dims.size());
      std::vector<int64_t> divisors;
      for (int64_t c = 1; c <= dims[d]; ++c)
        if (dims[d] % c == 0) divisors.push_back(c);
      const int64_t inner = divisors[below(divisors.size())];
      dims[d] /= inner;
      dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(d) + 1, inner);
    }
    add(dims, fmt::format("reshape(v{})", a));
  }

  void reduce() {
    const size_t a = any();
    if (values_[a].empty()) return;
    Dims over, dims;
    const size_t must = below(values_[a].size());
    for (size_t d = 0; d < values_[a].size(); ++d) {
      if (d == must || below(3) == 0)
        over.push_back(static_cast<int64_t>(d));
      else
        dims.push_back(values_[a][d]);
    }
    add_scalar();
    add(dims, fmt::format("reduce(v{}, v{}), dimensions={{{}}}, to_apply={}", a, values_.size() - 1,
                          fmt::join(over, ","), below(3) == 0 ? "max" : "add"));
  }

  void broadcast() {
    const size_t a = any();
    if (values_[a].size() > 3) return;
    Dims dims = values_[a], map(dims.size());
    std::iota(map.begin(), map.end(), 0);
    const size_t at = below(dims.size() + 1);
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(at), random_dims(1).front());
    for (int64_t& m : map) m += m >= static_cast<int64_t>(at) ? 1 : 0;
    if (elements(dims) > 5000) return;
    add(dims, fmt::format("broadcast(v{}), dimensions={{{}}}", a, fmt::join(map, ",")));
  }

  // The root: the last value, or a tuple of the last two.
  void finish() {
    const size_t last = values_.size() - 1;
    if (last == 0 || below(3) > 0) {
      lines_.back().insert(2, "ROOT ");
      return;
    }
    lines_.push_back(fmt::format("  ROOT t = ({}, {}) tuple(v{}, v{})\n", shape(values_[last]),
                                 shape(values_[last - 1]), last, last - 1));
  }

  std::mt19937_64 random_;
  int64_t devices_ = 2;
  std::string type_;
  std::vector<Dims> values_;
  std::vector<std::string> lines_;
};

}  // namespace shardscope::testing
