// SPDX-License-Identifier: Apache-2.0
// Y = X·W for arrays that are split already: which collectives a partitioner needs follows from the specs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/program/build/builder.h"
#include "engine/sharding/axis_moves.h"

namespace shardscope::inline strategy {

// How the blocks lie when they are multiplied: axes that split m of X, k of both, n of W; none twice. Devices
// along `contraction` then hold partial sums. They are scattered into the dimension that `sums` splits next
// by their axis, and added up on all devices otherwise.
struct ProductLayout {
  SplitAxes rows, contraction, cols;
  PartitionSpec sums;
  bool operator==(const ProductLayout&) const = default;
};

// One step of a plan, on X, W or Y.
struct ProductStep {
  enum class Kind { gather, exchange, cut, multiply, scatter, add_up };
  Kind kind = Kind::multiply;
  char array = 'Y';
  size_t dim = 0;  // exchange: the dimension split afterwards, instead of the other one
  std::string axis;
  double bytes = 0;          // that a device sends, by a ring
  std::string text() const;  // "gather X over col"
  bool operator==(const ProductStep&) const = default;
};

// A product of split arrays, read by `builder`, whose specs name axes of the mesh. Illegal specs are errors
// of the builder; ok() must be asked before a plan is made.
class ShardedProduct {
 public:
  ShardedProduct(SpmdBuilder& builder, PartitionSpec lhs, PartitionSpec rhs);
  // Refuses an output spec that is not legal for Y.
  void require_output(const PartitionSpec& out);

  const SplitAxes& rows_of_lhs() const { return lhs_.dims[0]; }
  const SplitAxes& contraction_of_lhs() const { return lhs_.dims[1]; }
  const SplitAxes& contraction_of_rhs() const { return rhs_.dims[0]; }
  const SplitAxes& cols_of_rhs() const { return rhs_.dims[1]; }

  // The way there and on to `out` by gathers, all-to-alls, cuts and sums. What is free, cutting what several
  // devices hold, comes first.
  std::vector<ProductStep> plan(const ProductLayout& layout, const PartitionSpec& out) const;
  Result<Program> write(const std::vector<ProductStep>& plan, const PartitionSpec& out);

 private:
  SpmdBuilder& builder_;
  PartitionSpec lhs_, rhs_;  // two dimensions each
  Value X_, W_;
};

// Axes of dimension `dim`; none beyond the spec's length.
SplitAxes axes_of(const PartitionSpec& spec, size_t dim);
// A spec by roles as one by axes of the mesh.
PartitionSpec on_axes(PartitionSpec spec, const std::map<std::string, std::string>& roles);

}  // namespace shardscope::inline strategy
