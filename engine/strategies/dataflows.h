// SPDX-License-Identifier: Apache-2.0
// One distributed product as a piece of a program: the single strategies and the chains are written with
// these.
#pragma once

#include <string>

#include "engine/program/build/builder.h"
#include "engine/strategies/dataflow.h"
#include "engine/strategies/strategy.h"

namespace shardscope::inline strategy {

// What one product Y[m,n] = X[m,k] W[k,n] of a chain calls its sizes, in refusals, and its axes: roles.
struct ProductNames {
  std::string m = "m", k = "k", n = "n";
  std::string row = "row", col = "col";
};

// Local shards in, local shard of Y P(row,col) out, in the accumulation type. All three arrays of a product
// are split P(row,col) as they are stored: os X[m,k] W[k,n]; ls X[m,k] W[n,k]; rs X[k,m] W[k,n]. So the ls of
// a layer's W and the rs of its X are the two products of its backward pass, without a transpose.
using Product = Value(SpmdBuilder& b, const StrategyOptions& options, Value X, Value W,
                      const ProductNames& names);
Product collective_os, collective_ls, collective_rs;
Product wang_os, wang_ls, wang_rs;
Product meshslice_os, meshslice_ls, meshslice_rs;

// A strategy of one such product alone: its inputs lie as the dataflow stores them.
template <Dataflow flow, Product product>
Result<Program> single(SpmdBuilder& b, const StrategyOptions& options) {
  auto X = b.lhs(flow == Dataflow::rs ? "km" : "mk", P("row", "col"));
  auto W = b.rhs(flow == Dataflow::ls ? "nk" : "kn", P("row", "col"));
  return b.finish(product(b, options, X, W, {}), P("row", "col"));
}

}  // namespace shardscope::inline strategy
