// SPDX-License-Identifier: Apache-2.0
#include "views/scene/timeline/row_edits.h"

#include <algorithm>
#include <numeric>

namespace shardscope::inline views {

void hide(RowChoice& rows, const std::vector<int32_t>& devices) {
  rows.hidden.insert(rows.hidden.end(), devices.begin(), devices.end());
  std::ranges::sort(rows.hidden);
  rows.hidden.erase(std::unique(rows.hidden.begin(), rows.hidden.end()), rows.hidden.end());
}

void toggle_pin(RowChoice& rows, int32_t device) {
  if (std::erase(rows.pinned, device) == 0) rows.pinned.push_back(device);
}

void group_by(RowChoice& rows, const std::string& axis) {
  if (axis != rows.group) rows.folded.clear();
  rows.group = axis;
}

void group_by_next(RowChoice& rows, const Mesh& mesh) {
  const auto axis = mesh.axis_index(rows.group);
  const int next = axis ? *axis + 1 : 0;
  group_by(rows, next < mesh.rank() ? mesh.axes()[static_cast<size_t>(next)].name : "");
}

void toggle_fold(RowChoice& rows, int64_t coordinate) {
  const auto at = std::ranges::lower_bound(rows.folded, coordinate);
  if (at != rows.folded.end() && *at == coordinate)
    rows.folded.erase(at);
  else
    rows.folded.insert(at, coordinate);
}

void toggle_folds(RowChoice& rows, const Mesh& mesh) {
  const auto axis = mesh.axis_index(rows.group);
  if (!axis) return;
  const bool all = std::ssize(rows.folded) == mesh.axis_size(*axis);
  rows.folded.resize(all ? 0 : static_cast<size_t>(mesh.axis_size(*axis)));
  std::iota(rows.folded.begin(), rows.folded.end(), 0);
}

void show_all(RowChoice& rows) {
  RowChoice out;
  out.height = rows.height;
  out.fit = rows.fit;
  out.counts = rows.counts;
  rows = out;
}

void stretch(RowChoice& rows, float height, double factor) {
  // A row of a pixel or two grows by a whole one.
  const float wanted = static_cast<float>(height * factor);
  const float least = factor > 1 ? height + 1 : 1;
  rows.height = std::clamp(factor > 1 ? std::max(wanted, least) : wanted, 1.0F, kHighestRow);
  rows.fit = false;
}

}  // namespace shardscope::inline views
