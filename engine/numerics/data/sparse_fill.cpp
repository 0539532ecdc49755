// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/data/sparse_fill.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "engine/base/hash.h"
#include "engine/base/units.h"
#include "engine/numerics/array/element.h"
#include "engine/program/ir/definition.h"

namespace shardscope::inline numerics {
namespace {

uint64_t hash_of(uint64_t seed, int64_t i, int64_t j) {
  return mixed_bits(mixed_bits(seed + static_cast<uint64_t>(i)) + static_cast<uint64_t>(j));
}

int64_t coprime_to(int64_t stride, int64_t from) {
  while (std::gcd(from, stride) != 1) ++from;
  return from;
}

}  // namespace

// Cut in squares of stride × stride, the matrix has one element in each row and each column of a square:
// where g·i + j is the square's own number modulo the stride, with g prime to the stride.
Array sparse_matrix(ElementType type, int64_t rows, int64_t columns, int64_t terms, uint64_t seed,
                    const Workers& workers) {
  Array array = Array::allocate(type, {rows, columns});
  const int64_t stride = ceil_div(std::max(rows, columns), terms);
  const int64_t g = coprime_to(stride, stride * 5 / 13 + 1);
  element::visit(type, [&](auto tag) {
    using Tag = decltype(tag);
    using Computed = typename Tag::Computed;
    auto out = array.template mutable_as<typename Tag::Stored>();
    workers.parallel_for(rows, [&](int64_t i) {
      const auto row = out.subspan(static_cast<size_t>(i * columns), static_cast<size_t>(columns));
      const auto put = [&](int64_t j, int value) {
        row[static_cast<size_t>(j)] = Tag::store(static_cast<Computed>(value));
      };
      if (stride == 1) {
        for (int64_t j = 0; j < columns; ++j) put(j, static_cast<int>(hash_of(seed, i, j) % 3) - 1);
        return;
      }
      std::ranges::fill(row, Tag::store(Computed{}));
      for (int64_t square = 0; square * stride < columns; ++square) {
        const auto number = static_cast<int64_t>(hash_of(~seed, i / stride, square) >> 16);
        const int64_t j = square * stride + (number % stride + stride - g * i % stride) % stride;
        if (j < columns) put(j, (hash_of(seed, i, j) & 1) != 0 ? 1 : -1);
      }
    });
  });
  return array;
}

Result<int64_t> largest_terms(const Program& program, double limit) {
  std::vector<Definition> definitions;
  for (const std::string& text : program.definitions) {
    TRY(definitions.emplace_back(), parse_definition(text));
  }
  std::map<std::string, std::vector<int64_t>> input_dims;
  for (const ArrayInfo& info : program.inputs) {
    input_dims[symbol_of(info)] = info.dims;
    if (info.transposed) std::reverse(input_dims[symbol_of(info)].begin(), input_dims[symbol_of(info)].end());
  }
  std::map<std::string, double> extents;  // of indices
  for (const Definition& d : definitions) {
    for (const IndexedArray& f : d.factors) {
      const auto input = input_dims.find(f.symbol);
      if (input == input_dims.end() || input->second.size() != f.indices.size()) continue;
      for (size_t i = 0; i < f.indices.size(); ++i)
        extents[f.indices[i]] = static_cast<double>(input->second[i]);
    }
  }
  for (int64_t terms = int64_t{1} << 40; terms > 0; terms /= 2) {
    std::map<std::string, double> bounds;
    double largest = 1;
    for (const Definition& d : definitions) {
      double bound = 1, summed = 1;
      bool of_input = false;
      for (const IndexedArray& f : d.factors) {
        of_input = of_input || input_dims.contains(f.symbol);
        const auto known = bounds.find(f.symbol);
        if (known != bounds.end()) bound *= known->second;
        for (const std::string& index : f.indices) {
          const bool kept = std::ranges::count(d.result.indices, index) > 0;
          if (!kept) summed = std::max(summed, extents[index]);
        }
      }
      bound *= of_input ? std::min(summed, static_cast<double>(terms)) : summed;
      bounds[d.result.symbol] = bound;
      largest = std::max(largest, bound);
    }
    if (largest <= limit) return terms;
  }
  return 0;
}

}  // namespace shardscope::inline numerics
