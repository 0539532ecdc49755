// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/torus_exchange.h"

#include <limits>
#include <utility>

#include "engine/base/check.h"

namespace shardscope::inline collectives {

namespace {

bool closes(const TorusAxis& axis) {
  return axis.wraps && axis.size > 2;
}

// What is for the far side of an even ring goes both ways.
int32_t halves(const TorusAxis& axis) {
  return closes(axis) && axis.size % 2 == 0 ? 2 : 1;
}

int32_t steps_along(const TorusAxis& axis) {
  return closes(axis) ? axis.size / 2 : axis.size - 1;
}

}  // namespace

int64_t TorusExchange::chunks_of(int32_t ranks, const std::vector<TorusAxis>& axes, int32_t colours) {
  int64_t chunks = int64_t{ranks} * ranks * colours;
  for (const TorusAxis& axis : axes) chunks *= halves(axis);
  return chunks;
}

CollectiveSchedule::Outline TorusExchange::outline_of(int32_t ranks, const std::vector<TorusAxis>& axes,
                                                      int32_t colours, bool turns) {
  const int64_t chunks = chunks_of(ranks, axes, colours);
  CHECK(chunks <= std::numeric_limits<int32_t>::max(), ranks, chunks);
  Outline outline{CollectiveKind::all_to_all,
                  ranks,
                  static_cast<int32_t>(chunks),
                  0,
                  Dependency::every_earlier,
                  colours,
                  turns};
  for (const TorusAxis& axis : axes) outline.steps += steps_along(axis);
  return outline;
}

TorusExchange::TorusExchange(int32_t ranks, const std::vector<TorusAxis>& axes, int32_t colours, bool turns)
    : CollectiveSchedule(outline_of(ranks, axes, colours, turns)), colours_(colours) {
  for (const TorusAxis& axis : axes) axes_.push_back({axis, halves(axis), steps_along(axis), 1});
  for (size_t a = axes_.size() - 1; a > 0; --a) axes_[a - 1].unit = axes_[a].unit * axes_[a].slots();
  CHECK(per_rank() * ranks * colours == chunks(), per_rank(), chunks());
}

TorusExchange::Phase TorusExchange::phase(int32_t step, int32_t colour) const {
  Phase it;
  it.step = step;
  for (;; ++it.done) {
    it.axis = (static_cast<size_t>(colour) + it.done) % axes_.size();
    if (it.step < axes_[it.axis].steps) return it;
    it.step -= axes_[it.axis].steps;
  }
}

TorusExchange::Slots TorusExchange::slots(const Axis& axis, int32_t step, int32_t place, bool up) const {
  const int32_t size = axis.of.size, halves = axis.halves;
  Slots out;
  if (size == 2) {
    if (up) out = {1, 2};
  } else if (axis.of.wraps) {
    // Up what goes no farther than half of the way round, of the far side the first half.
    const int32_t middle = halves == 2 ? size + 1 : size / 2 + 1;
    out = up ? Slots{(step + 1) * halves, middle} : Slots{middle, (size - step) * halves};
  } else if (up && place >= step) {
    out = {step + 1, size - (place - step)};
  } else if (!up && place + step < size) {
    out = {size - place - step, size - step};
  }
  return out;
}

void TorusExchange::append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const {
  for (int32_t colour = 0; colour < colours_; ++colour) {
    const Phase now = phase(step, colour);
    const Axis& axis = axes_[now.axis];
    const int32_t place = axis.place(source);
    for (const bool up : {true, false}) {
      const Slots moves = slots(axis, now.step, place, up);
      if (moves.count() <= 0) continue;
      Transfer t;
      t.step = step;
      t.source = source;
      t.direction = up ? 1 : -1;
      t.target = source + (axis.moved(place, t.direction) - place) * axis.of.stride;
      t.count = moves.count() * (per_rank() / axis.slots());
      t.chunk = colour * ranks() * per_rank();
      std::vector<int32_t> offsets;
      for (size_t b = 0; b < axes_.size(); ++b) {
        offsets.clear();
        append_offsets(t, b, offsets);
        t.chunk += offsets.front();
      }
      out.push_back(t);
    }
  }
}

void TorusExchange::append_offsets(const Transfer& t, size_t b, std::vector<int32_t>& out) const {
  const Axis& it = axes_[b];
  const auto colour = static_cast<size_t>(stream_of(t.chunk));
  const Phase now = phase(t.step, static_cast<int32_t>(colour));
  const int32_t place = it.place(t.source), from = it.of.stride * per_rank();
  const auto add = [&](int32_t source_place, const Slots& slots) {
    for (int32_t s = slots.first; s < slots.last; ++s) out.push_back(source_place * from + s * it.unit);
  };
  if (b == now.axis) {
    // It came that many steps ago from the rank that far behind.
    const int32_t behind = it.moved(place, t.direction > 0 ? -now.step : now.step);
    add(behind, slots(it, now.step, place, t.direction > 0));
  } else if ((b + axes_.size() - colour) % axes_.size() < now.done) {
    for (int32_t source = 0; source < it.of.size; ++source) {
      const int32_t distance = it.moved(place, -source);
      add(source, {distance * it.halves, (distance + 1) * it.halves});
    }
  } else {
    add(place, {0, it.slots()});
  }
}

void TorusExchange::append_chunks(const Transfer& t, std::vector<int32_t>& out) const {
  std::vector<int32_t> sums{stream_of(t.chunk) * ranks() * per_rank()};
  for (size_t b = 0; b < axes_.size(); ++b) {
    std::vector<int32_t> offsets, longer;
    append_offsets(t, b, offsets);
    for (const int32_t sum : sums) {
      for (const int32_t offset : offsets) longer.push_back(sum + offset);
    }
    sums = std::move(longer);
  }
  out.insert(out.end(), sums.begin(), sums.end());
}

int32_t TorusExchange::home(int32_t chunk) const {
  return chunk / per_rank() % ranks();
}

int32_t TorusExchange::goal(int32_t chunk) const {
  const int32_t source = home(chunk);
  int32_t rank = 0;
  for (const Axis& axis : axes_) {
    const int32_t distance = chunk / axis.unit % axis.slots() / axis.halves;
    rank += axis.moved(axis.place(source), distance) * axis.of.stride;
  }
  return rank;
}

}  // namespace shardscope::inline collectives
