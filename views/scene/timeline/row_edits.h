// SPDX-License-Identifier: Apache-2.0
// What one does to the rows of a timeline.
#pragma once

#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

void hide(RowChoice& rows, const std::vector<int32_t>& devices);
void toggle_pin(RowChoice& rows, int32_t device);  // pinned: below those that are
// "" ends grouping; the groups of another axis are unfolded.
void group_by(RowChoice& rows, const std::string& axis);
// The mesh's axes one after the other, then none.
void group_by_next(RowChoice& rows, const Mesh& mesh);
void toggle_fold(RowChoice& rows, int64_t coordinate);
// All groups; where all are folded, none.
void toggle_folds(RowChoice& rows, const Mesh& mesh);
// No filter, nothing hidden, pinned or grouped; heights and counts stay.
void show_all(RowChoice& rows);
// `height`: what a row has now, at 100 %.
void stretch(RowChoice& rows, float height, double factor);
inline constexpr float kHighestRow = 800;

}  // namespace shardscope::inline views
