// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/ring.h"

#include <array>

#include "engine/base/check.h"

namespace shardscope::inline collectives {

int32_t RingSchedule::parts(RingForm form) {
  return form == RingForm::halves || form == RingForm::whole || form == RingForm::whole_oneside ? 2 : 1;
}

int32_t RingSchedule::phase_steps(RingForm form, int32_t ranks) {
  return form == RingForm::whole || form == RingForm::whole_oneside ? ranks / 2 : ranks - 1;
}

RingSchedule::RingSchedule(CollectiveKind kind, RingForm form, int32_t ranks, bool one_axis)
    : CollectiveSchedule({kind, ranks, ranks * parts(form),
                          phase_steps(form, ranks) * (kind == CollectiveKind::all_reduce ? 2 : 1),
                          Dependency::previous_step, 1, one_axis && form != RingForm::line}),
      form_(form),
      ranks_(ranks),
      parts_(parts(form)),
      phase_steps_(phase_steps(form, ranks)) {
  CHECK(ranks >= 1, ranks);
}

void RingSchedule::append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const {
  CHECK(step >= 0 && step < steps(), step, steps());
  Transfer base;
  base.step = step;
  base.adds = kind() == CollectiveKind::reduce_scatter ||
              (kind() == CollectiveKind::all_reduce && step < phase_steps_);
  if (base.adds) {
    scatter(step, source, base, out);
  } else {
    gather(step < phase_steps_ ? step : step - phase_steps_, source, base, out);
  }
}

void RingSchedule::append_step(int32_t step, std::vector<Transfer>& out) const {
  if (form_ == RingForm::line) {
    for (int32_t r = 0; r < ranks_; ++r) append_from(step, r, out);
    return;
  }
  // Those of rank 0, turned round the ring.
  std::array<Transfer, 2> turned;
  size_t each = 0;
  const size_t first = out.size();
  append_from(step, 0, out);
  for (; first + each < out.size(); ++each) turned[each] = out[first + each];
  for (int32_t r = 1; r < ranks_; ++r) {
    for (size_t i = 0; i < each; ++i) {
      Transfer& t = turned[i];
      t.source = r;
      if (++t.target == ranks_) t.target = 0;
      t.chunk += parts_;
      if (t.chunk >= chunks()) t.chunk -= chunks();
      out.push_back({t.step, t.source, t.target, t.chunk, t.count, t.direction, t.adds});
    }
  }
}

Transfer RingSchedule::up(Transfer base, int32_t source, int32_t shard, int32_t part, int32_t count) const {
  base.source = source;
  base.target = wrapped(source + 1);
  base.chunk = wrapped(shard) * parts_ + part;
  base.count = count;
  base.direction = 1;
  return base;
}

Transfer RingSchedule::down(Transfer base, int32_t source, int32_t shard, int32_t part, int32_t count) const {
  Transfer t = up(base, source, shard, part, count);
  t.target = wrapped(source - 1);
  t.direction = -1;
  return t;
}

void RingSchedule::gather(int32_t s, int32_t r, Transfer base, std::vector<Transfer>& out) const {
  const bool last_of_even = ranks_ % 2 == 0 && s + 1 == phase_steps_;
  switch (form_) {
    case RingForm::one_way:
      out.push_back(up(base, r, r - s, 0, 1));
      break;
    case RingForm::one_way_down:
      out.push_back(down(base, r, r + s, 0, 1));
      break;
    case RingForm::halves:
      out.push_back(up(base, r, r - s, 0, 1));
      out.push_back(down(base, r, r + s, 1, 1));
      break;
    case RingForm::whole:
      out.push_back(up(base, r, r - s, 0, last_of_even ? 1 : 2));
      out.push_back(last_of_even ? down(base, r, r + s, 1, 1) : down(base, r, r + s, 0, 2));
      break;
    case RingForm::whole_oneside:
      out.push_back(up(base, r, r - s, 0, 2));
      if (!last_of_even) out.push_back(down(base, r, r + s, 0, 2));
      break;
    case RingForm::line:
      if (r + 1 < ranks_ && r - s >= 0) out.push_back(up(base, r, r - s, 0, 1));
      if (r > 0 && r + s < ranks_) out.push_back(down(base, r, r + s, 0, 1));
      break;
  }
}

void RingSchedule::scatter(int32_t s, int32_t r, Transfer base, std::vector<Transfer>& out) const {
  const int32_t far = phase_steps_ - s;  // whole: how far the shard's owner is
  const bool first_of_even = ranks_ % 2 == 0 && s == 0;
  switch (form_) {
    case RingForm::one_way:
      out.push_back(up(base, r, r - s - 1, 0, 1));
      break;
    case RingForm::one_way_down:
      out.push_back(down(base, r, r + s + 1, 0, 1));
      break;
    case RingForm::halves:
      out.push_back(up(base, r, r - s - 1, 0, 1));
      out.push_back(down(base, r, r + s + 1, 1, 1));
      break;
    case RingForm::whole:
      out.push_back(up(base, r, r + far, 0, first_of_even ? 1 : 2));
      out.push_back(first_of_even ? down(base, r, r - far, 1, 1) : down(base, r, r - far, 0, 2));
      break;
    case RingForm::whole_oneside:
      out.push_back(up(base, r, r + far, 0, 2));
      if (!first_of_even) out.push_back(down(base, r, r - far, 0, 2));
      break;
    case RingForm::line: {
      // The gather backwards in time: sums set out from both ends so that all arrive in the last step.
      const int32_t above = ranks_ - 1 + r - s;
      const int32_t below = r + s - ranks_ + 1;
      if (above > r && above < ranks_) out.push_back(up(base, r, above, 0, 1));
      if (below >= 0 && below < r) out.push_back(down(base, r, below, 0, 1));
      break;
    }
  }
}

}  // namespace shardscope::inline collectives
