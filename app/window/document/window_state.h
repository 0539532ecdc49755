// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QString>
#include <optional>
#include <vector>

#include "engine/report/report.h"
#include "engine/request/experiment.h"
#include "views/scene/core/selection.h"

namespace shardscope {

// What a window is at one moment, beside the runs themselves: what its journal and its workspace file keep.
struct WindowState {
  Experiment experiment;
  QString file;                     // the one that is open; empty: none
  std::optional<Experiment> saved;  // what that file holds
  bool numerics = true;
  std::vector<int64_t> current;  // the runs of the experiment
  std::vector<int64_t> hidden;   // deleted ones, of a file that was not saved since
  std::vector<SkippedRun> skipped;
  std::optional<int64_t> shown;  // the run on the canvases
  std::vector<int64_t> others;   // that it is compared with
  Selection selection;           // without what is hovered
  QJsonObject parts;             // what docks and pages say of themselves, by their ids
  bool operator==(const WindowState&) const = default;
};

// JSON. read_state(text(s)) == s; fields of a newer program are passed over, those that are missing keep
// their defaults. Error: no state.
QByteArray text(const WindowState& state);
Result<WindowState> read_state(const QByteArray& text);

}  // namespace shardscope
