// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/ring.h"

namespace shardscope {

RingSchedule::RingSchedule(CollectiveKind kind, RingForm form, int32_t ranks)
    : kind_(kind),
      form_(form),
      ranks_(ranks),
      parts_(form == RingForm::halves || form == RingForm::whole ? 2 : 1) {
  CHECK(ranks >= 1, ranks);
}

int32_t RingSchedule::phase_steps() const {
  return form_ == RingForm::whole ? ranks_ / 2 : ranks_ - 1;
}

int32_t RingSchedule::steps() const {
  return kind_ == CollectiveKind::all_reduce ? 2 * phase_steps() : phase_steps();
}

void RingSchedule::append_step(int32_t step, std::vector<Transfer>& out) const {
  CHECK(step >= 0 && step < steps(), step, steps());
  Transfer base;
  base.step = step;
  const bool scatters = kind_ == CollectiveKind::reduce_scatter ||
                        (kind_ == CollectiveKind::all_reduce && step < phase_steps());
  base.adds = scatters;
  if (scatters) {
    scatter_step(step, base, out);
  } else {
    gather_step(step % phase_steps(), base, out);
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

void RingSchedule::gather_step(int32_t s, Transfer base, std::vector<Transfer>& out) const {
  const bool last_halves = form_ == RingForm::whole && ranks_ % 2 == 0 && s + 1 == phase_steps();
  for (int32_t r = 0; r < ranks_; ++r) {
    switch (form_) {
      case RingForm::one_way:
        out.push_back(up(base, r, r - s, 0, 1));
        break;
      case RingForm::halves:
        out.push_back(up(base, r, r - s, 0, 1));
        out.push_back(down(base, r, r + s, 1, 1));
        break;
      case RingForm::whole:
        out.push_back(up(base, r, r - s, 0, last_halves ? 1 : 2));
        out.push_back(last_halves ? down(base, r, r + s, 1, 1) : down(base, r, r + s, 0, 2));
        break;
      case RingForm::line:
        if (r + 1 < ranks_ && r - s >= 0) out.push_back(up(base, r, r - s, 0, 1));
        if (r > 0 && r + s < ranks_) out.push_back(down(base, r, r + s, 0, 1));
        break;
    }
  }
}

void RingSchedule::scatter_step(int32_t s, Transfer base, std::vector<Transfer>& out) const {
  const int32_t far = phase_steps() - s;  // whole: how far the shard's owner is
  const bool first_halves = form_ == RingForm::whole && ranks_ % 2 == 0 && s == 0;
  for (int32_t r = 0; r < ranks_; ++r) {
    switch (form_) {
      case RingForm::one_way:
        out.push_back(up(base, r, r - s - 1, 0, 1));
        break;
      case RingForm::halves:
        out.push_back(up(base, r, r - s - 1, 0, 1));
        out.push_back(down(base, r, r + s + 1, 1, 1));
        break;
      case RingForm::whole:
        out.push_back(up(base, r, r + far, 0, first_halves ? 1 : 2));
        out.push_back(first_halves ? down(base, r, r - far, 1, 1) : down(base, r, r - far, 0, 2));
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
}

}  // namespace shardscope
