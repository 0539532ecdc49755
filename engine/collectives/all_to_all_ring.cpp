// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/all_to_all_ring.h"

namespace shardscope::inline collectives {

namespace {

int32_t parts(AllToAllForm form, int32_t n) {
  return form == AllToAllForm::shorter && n % 2 == 0 ? 2 : 1;
}

}  // namespace

AllToAllRing::AllToAllRing(AllToAllForm form, int32_t n, bool one_axis)
    : CollectiveSchedule({CollectiveKind::all_to_all, n, n * n * parts(form, n),
                          form == AllToAllForm::shorter ? n / 2 : n - 1, Dependency::previous_step, 1,
                          one_axis && form != AllToAllForm::line}),
      form_(form) {}

void AllToAllRing::append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const {
  const int32_t n = ranks();
  const int32_t cut = parts(form_, n);
  // Passes on what rank `from` sends over the distances first, …, last, without its first or last part.
  const auto pass = [&](int32_t from, int32_t first, int32_t last, int8_t way, int32_t less_first,
                        int32_t less_last) {
    const int32_t count = (last - first + 1) * cut - less_first - less_last;
    if (count <= 0) return;
    out.push_back(
        {step, source, (source + n + way) % n, (from * n + first) * cut + less_first, count, way, false});
  };
  const int32_t below = (source - step + n) % n;
  const int32_t above = (source + step) % n;
  switch (form_) {
    case AllToAllForm::one_way:
      pass(below, step + 1, n - 1, 1, 0, 0);
      break;
    case AllToAllForm::shorter:
      pass(below, step + 1, n / 2, 1, 0, cut - 1);
      pass(above, n - n / 2, n - 1 - step, -1, cut - 1, 0);
      break;
    case AllToAllForm::line:
      if (source - step >= 0) pass(below, step + 1, n - 1 - below, 1, 0, 0);
      if (source + step < n) pass(above, n - above, n - 1 - step, -1, 0, 0);
      break;
  }
}

}  // namespace shardscope::inline collectives
