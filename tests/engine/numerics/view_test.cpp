// SPDX-License-Identifier: Apache-2.0
// Views against an oracle that copies every element: random chains of data movement give the same arrays.
#include "engine/numerics/array/view.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

#include "engine/numerics/array/copy.h"
#include "engine/numerics/array/matrix_view.h"

namespace shardscope::view_test {
namespace {

struct Oracle {
  std::vector<int64_t> dims;
  std::vector<float> values;

  int64_t flat(const std::vector<int64_t>& index) const {
    int64_t at = 0;
    for (size_t d = 0; d < dims.size(); ++d) at = at * dims[d] + index[d];
    return at;
  }
};

int64_t count(const std::vector<int64_t>& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

// The array whose element at `index` is f(index).
template <class F>
Oracle build(std::vector<int64_t> dims, F f) {
  Oracle result{std::move(dims), {}};
  std::vector<int64_t> index(result.dims.size());
  for (int64_t i = 0; i < count(result.dims); ++i) {
    int64_t rest = i;
    for (size_t d = index.size(); d-- > 0;) {
      index[d] = rest % result.dims[d];
      rest /= result.dims[d];
    }
    result.values.push_back(f(index));
  }
  return result;
}

struct Both {
  View view;
  Oracle oracle;
};

View copied(const View& view) {
  Array array = Array::allocate(view.type(), view.dims());
  copy_to(view, array.mutable_data());
  return View::of(array);
}

class Chain {
 public:
  explicit Chain(uint32_t seed) : random_(seed) {}

  Both fresh(std::vector<int64_t> dims) {
    Array array = Array::allocate(ElementType::f32, dims);
    for (float& value : array.mutable_as<float>()) value = next_++;
    return {View::of(array), {dims, {array.as<float>().begin(), array.as<float>().end()}}};
  }

  Both step(const Both& in) {
    const std::vector<int64_t>& dims = in.oracle.dims;
    switch (pick(5)) {
      case 0: {  // slice
        const size_t dim = static_cast<size_t>(pick(static_cast<int64_t>(dims.size())));
        const int64_t start = pick(dims[dim]), limit = start + 1 + pick(dims[dim] - start),
                      stride = 1 + pick(3) / 2;
        std::vector<int64_t> to = dims;
        to[dim] = (limit - start + stride - 1) / stride;
        return {or_copied(in.view, [&](const View& v) { return v.slice(dim, start, limit, stride); }),
                build(to, [&](std::vector<int64_t> i) {
                  i[dim] = start + i[dim] * stride;
                  return at(in, i);
                })};
      }
      case 1: {  // reshape
        std::vector<int64_t> to;
        for (int64_t rest = count(dims); rest > 1;) {
          int64_t factor = 2 + pick(11);
          if (rest % factor != 0 || to.size() == 3) factor = rest;
          to.push_back(factor);
          rest /= factor;
        }
        if (to.empty() || pick(4) == 0) to.insert(to.begin() + pick(static_cast<int64_t>(to.size()) + 1), 1);
        return {or_copied(in.view, [&](const View& v) { return v.reshape(to); }), {to, in.oracle.values}};
      }
      case 2: {  // transpose
        std::vector<int64_t> order(dims.size()), to(dims.size());
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random_);
        for (size_t d = 0; d < dims.size(); ++d) to[d] = dims[static_cast<size_t>(order[d])];
        return {in.view.transpose(order), build(to, [&](const std::vector<int64_t>& i) {
                  std::vector<int64_t> from(i.size());
                  for (size_t d = 0; d < i.size(); ++d) from[static_cast<size_t>(order[d])] = i[d];
                  return at(in, from);
                })};
      }
      case 3: {  // concatenate with itself and with something else
        const size_t dim = static_cast<size_t>(pick(static_cast<int64_t>(dims.size())));
        if (count(dims) > 2000) return in;
        std::vector<int64_t> other_dims = dims;
        other_dims[dim] = 1 + pick(3) * dims[dim];
        const Both other = fresh(other_dims);
        std::vector<int64_t> to = dims;
        to[dim] = 2 * dims[dim] + other_dims[dim];
        const View* parts[] = {&in.view, &other.view, &in.view};
        auto joined = View::concatenate(parts, dim);
        if (!joined) {
          const View a = copied(in.view), b = copied(other.view);
          const View* copies[] = {&a, &b, &a};
          joined = View::concatenate(copies, dim);
        }
        return {joined.value(), build(to, [&](std::vector<int64_t> i) {
                  if (i[dim] < dims[dim]) return at(in, i);
                  i[dim] -= dims[dim];
                  if (i[dim] < other_dims[dim]) return at(other, i);
                  i[dim] -= other_dims[dim];
                  return at(in, i);
                })};
      }
      default: {  // dynamic-update-slice
        std::vector<int64_t> sizes, start;
        for (int64_t dim : dims) {
          sizes.push_back(pick(2) == 0 ? dim : 1 + pick(dim));
          start.push_back(pick(dim - sizes.back() + 1));
        }
        const Both update = fresh(sizes);
        auto view = in.view.update(update.view, start);
        if (!view) view = copied(in.view).update(update.view, start);
        return {view.value(), build(dims, [&](const std::vector<int64_t>& i) {
                  std::vector<int64_t> inside = i;
                  bool hit = true;
                  for (size_t d = 0; d < i.size(); ++d) {
                    inside[d] -= start[d];
                    hit = hit && inside[d] >= 0 && inside[d] < sizes[d];
                  }
                  return hit ? at(update, inside) : at(in, i);
                })};
      }
    }
  }

 private:
  int64_t pick(int64_t below) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(below)); }
  static float at(const Both& both, const std::vector<int64_t>& index) {
    return both.oracle.values[static_cast<size_t>(both.oracle.flat(index))];
  }
  template <class F>
  static View or_copied(const View& view, F f) {
    auto result = f(view);
    return result ? *result : f(copied(view)).value();
  }

  std::mt19937 random_;
  float next_ = 0;
};

TEST(View, RandomChainsOfDataMovementEqualAnElementwiseOracle) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    Chain chain(seed);
    Both both = chain.fresh({4, 6, 8});
    for (int step = 0; step < 8; ++step) {
      both = chain.step(both);
      ASSERT_EQ(both.view.dims(), both.oracle.dims);
      const View plain = copied(both.view);
      const float* values = reinterpret_cast<const float*>(plain.data());
      for (size_t i = 0; i < both.oracle.values.size(); ++i) {
        ASSERT_EQ(values[i], both.oracle.values[i])
            << "seed " << seed << " step " << step << " element " << i;
      }
    }
    // As the operand of a product: the last dimension contracted.
    std::vector<int64_t> rows(both.view.rank() - 1);
    std::iota(rows.begin(), rows.end(), 0);
    const int64_t columns[] = {static_cast<int64_t>(both.view.rank()) - 1};
    const MatrixView m = matrix_view(both.view, rows, columns);
    for (size_t i = 0; i + 1 < m.row_starts.size(); ++i) {
      for (size_t j = 0; j + 1 < m.column_starts.size(); ++j) {
        for (int64_t r = m.row_starts[i]; r < m.row_starts[i + 1]; ++r) {
          for (int64_t c = m.column_starts[j]; c < m.column_starts[j + 1]; ++c) {
            const auto& tile = m.tile(i, j);
            const int64_t offset =
                (r - m.row_starts[i]) * tile.row_stride + (c - m.column_starts[j]) * tile.column_stride;
            ASSERT_EQ(reinterpret_cast<const float*>(tile.data)[offset],
                      both.oracle.values[static_cast<size_t>(r * m.columns + c)])
                << "seed " << seed;
          }
        }
      }
    }
  }
}

// MeshSlice's slices: columns that stand b of every S·b stay views through gather and flattening.
TEST(View, StridedSlicesOfGatheredArraysAreNotCopied) {
  Array array = Array::allocate(ElementType::f32, {4, 24});
  const View shard = *View::of(array).reshape({4, 3, 4, 2});
  const View slice = *shard.slice(2, 1, 2);
  const View* parts[] = {&slice, &slice};
  const auto gathered = View::concatenate(parts, 1);
  ASSERT_TRUE(gathered.has_value());
  EXPECT_TRUE(gathered->reshape({4, 12}).has_value());
}

}  // namespace
}  // namespace shardscope::view_test
