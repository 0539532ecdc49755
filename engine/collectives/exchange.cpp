// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/exchange.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"

namespace shardscope::inline collectives {

namespace {

CollectiveSchedule::Outline exchange_outline(CollectiveKind kind, ExchangeOrder order, int32_t n,
                                             const std::vector<int32_t>& axes) {
  const bool rooted = kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce;
  CHECK(!rooted || order == ExchangeOrder::at_once, "only all ranks take turns");
  CollectiveSchedule::Outline outline;
  outline.kind = kind;
  outline.ranks = n;
  outline.chunks = rooted ? 1 : kind == CollectiveKind::all_to_all ? n * n : n;
  outline.steps = n == 1 ? 0 : order == ExchangeOrder::at_once ? 1 : n - 1;
  if (order != ExchangeOrder::at_once) outline.dependency = Dependency::every_earlier;
  // Shards go straight to everyone in the same way however the ranks are turned; what counts by ranks (turns
  // of r+s+1, chunks of an all-to-all) is so on one axis.
  const bool by_axes = order == ExchangeOrder::at_once && kind != CollectiveKind::all_to_all;
  outline.rotation_symmetric =
      !rooted && (order != ExchangeOrder::bits || n == 2) && (axes.size() <= 1 || by_axes);
  return outline;
}

// By source and distance; the end of all behind them.
std::vector<int32_t> ragged_begins(const std::vector<int64_t>& sizes, int32_t n) {
  std::vector<int32_t> begin{0};
  for (int32_t i = 0; i < n; ++i) {
    for (int32_t d = 0; d < n; ++d) {
      const int64_t size =
          sizes[static_cast<size_t>(i) * static_cast<size_t>(n) + static_cast<size_t>((i + d) % n)];
      begin.push_back(begin.back() + static_cast<int32_t>(size));
    }
  }
  return begin;
}

CollectiveSchedule::Outline ragged_outline(const std::vector<int64_t>& sizes, int32_t n) {
  CollectiveSchedule::Outline outline;
  outline.kind = CollectiveKind::all_to_all;
  outline.ranks = n;
  outline.chunks = std::max(1, ragged_begins(sizes, n).back());
  outline.rotation_symmetric = true;
  const auto size = [&](int32_t i, int32_t j) {
    return sizes[static_cast<size_t>(i) * static_cast<size_t>(n) + static_cast<size_t>(j)];
  };
  for (int32_t i = 0; i < n; ++i) {
    for (int32_t j = 0; j < n; ++j) {
      if (i != j && size(i, j) > 0) outline.steps = 1;
      if (size(i, j) != size((i + 1) % n, (j + 1) % n)) outline.rotation_symmetric = false;
    }
  }
  return outline;
}

}  // namespace

ExchangeSchedule::ExchangeSchedule(CollectiveKind kind, ExchangeOrder order, int32_t ranks,
                                   std::vector<int32_t> axes)
    : CollectiveSchedule(exchange_outline(kind, order, ranks, axes)), order_(order), axes_(std::move(axes)) {}

int32_t ExchangeSchedule::moved(int32_t rank, int32_t distance) const {
  if (axes_.size() <= 1) return rank + distance < ranks() ? rank + distance : rank + distance - ranks();
  int32_t out = 0;
  int32_t stride = ranks();
  for (const int32_t size : axes_) {
    stride /= size;
    out += (rank / stride + distance / stride) % size * stride;
  }
  return out;
}

void ExchangeSchedule::append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const {
  const int32_t n = ranks();
  if (kind() == CollectiveKind::reduce) {
    if (source != 0) append(step, source, 0, out);
    return;
  }
  if (kind() == CollectiveKind::broadcast && source != 0) return;
  switch (order_) {
    case ExchangeOrder::at_once:
      for (int32_t d = 1; d < n; ++d) append(step, source, moved(source, d), out);
      break;
    case ExchangeOrder::shift:
      append(step, source, (source + step + 1) % n, out);
      break;
    case ExchangeOrder::bits:
      append(step, source, source ^ (step + 1), out);
      break;
  }
}

void ExchangeSchedule::append(int32_t step, int32_t source, int32_t target,
                              std::vector<Transfer>& out) const {
  Transfer t;
  t.step = step;
  t.source = source;
  t.target = target;
  t.adds = kind() == CollectiveKind::reduce_scatter || kind() == CollectiveKind::reduce;
  if (kind() == CollectiveKind::all_gather) t.chunk = source;
  if (kind() == CollectiveKind::reduce_scatter) t.chunk = target;
  if (kind() == CollectiveKind::all_to_all)
    t.chunk = source * ranks() + (target - source + ranks()) % ranks();
  out.push_back(t);
}

RaggedExchange::RaggedExchange(const std::vector<int64_t>& sizes, int32_t ranks)
    : CollectiveSchedule(ragged_outline(sizes, ranks)), begin_(ragged_begins(sizes, ranks)) {}

void RaggedExchange::append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const {
  const int32_t n = ranks();
  for (int32_t d = 1; d < n; ++d) {
    const size_t at = static_cast<size_t>(source) * static_cast<size_t>(n) + static_cast<size_t>(d);
    const int32_t count = begin_[at + 1] - begin_[at];
    if (count > 0) out.push_back({step, source, (source + d) % n, begin_[at], count, 0, false});
  }
}

int32_t RaggedExchange::place(int32_t chunk) const {
  const auto after = std::upper_bound(begin_.begin(), begin_.end() - 1, chunk);
  return static_cast<int32_t>(after - begin_.begin() - 1);
}

int32_t RaggedExchange::home(int32_t chunk) const {
  return place(chunk) / ranks();
}

int32_t RaggedExchange::goal(int32_t chunk) const {
  return (place(chunk) / ranks() + place(chunk) % ranks()) % ranks();
}

}  // namespace shardscope::inline collectives
