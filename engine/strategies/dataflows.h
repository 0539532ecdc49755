// SPDX-License-Identifier: Apache-2.0
// One distributed product as a piece of a program: the single strategies and the chains are written with
// these.
#pragma once

#include <functional>
#include <string>

#include "engine/program/build/builder.h"
#include "engine/strategies/dataflow.h"
#include "engine/strategies/strategy.h"

namespace shardscope {

// What one product Y[m,n] = X[m,k] W[k,n] of a chain calls its arrays, sizes and axes, in provenance and
// refusals.
struct ProductNames {
  std::string x = "X", w = "W", y = "Y";
  std::string m = "m", k = "k", n = "n";
  std::string row = "row", col = "col";  // roles
};

// Local shards in, local shard of Y P(row,col) out, in the accumulation type. All three arrays of a product
// are split P(row,col) as they are stored: os X[m,k] W[k,n]; ls X[m,k] W[n,k]; rs X[k,m] W[k,n]. So the ls of
// a layer's W and the rs of its X are the two products of its backward pass, without a transpose.
Value collective_os(SpmdBuilder& b, Value X, Value W, const ProductNames& names = {});
Value collective_ls(SpmdBuilder& b, Value X, Value W, const ProductNames& names = {});
Value collective_rs(SpmdBuilder& b, Value X, Value W, const ProductNames& names = {});

Value wang_os(SpmdBuilder& b, Value X, Value W, const ProductNames& names = {});
Value wang_ls(SpmdBuilder& b, Value X, Value W, const ProductNames& names = {});
Value wang_rs(SpmdBuilder& b, Value X, Value W, const ProductNames& names = {});

Value meshslice_os(SpmdBuilder& b, const StrategyOptions& options, Value X, Value W,
                   const ProductNames& names = {});
Value meshslice_ls(SpmdBuilder& b, const StrategyOptions& options, Value X, Value W,
                   const ProductNames& names = {});
Value meshslice_rs(SpmdBuilder& b, const StrategyOptions& options, Value X, Value W,
                   const ProductNames& names = {});

// "slices", or "slices.dX" in a chain.
std::string choice_name(const char* option, const ProductNames& names);

// A strategy of one such product alone: plans its inputs as the dataflow stores them.
Result<Program> single_product(std::string_view id, Dataflow dataflow, const Mesh& mesh,
                               const MatmulProblem& p, const StrategyOptions& options,
                               const std::function<Value(SpmdBuilder&, Value X, Value W)>& product);

}  // namespace shardscope
