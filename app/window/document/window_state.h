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

namespace shardscope::inline window {

// What is shown of one subject: runs, several side by side, and where one stands.
struct ShownState {
  std::vector<int64_t> runs;  // on the canvases; the first, and those that it is compared with
  Selection selection;        // without what is hovered
  bool operator==(const ShownState&) const = default;
};

// What a window is at one moment, beside the runs themselves: what its journal and its workspace file keep.
struct WindowState {
  Experiment experiment;
  QString file;                     // the one that is open; empty: none
  std::optional<Experiment> saved;  // what that file holds
  bool numerics = true;
  std::vector<int64_t> current;  // the runs of the experiment
  std::vector<int64_t> hidden;   // deleted ones, of a file that was not saved since
  std::vector<SkippedRun> skipped;
  ShownState shown;   // of the runs
  QJsonObject parts;  // what docks and pages say of themselves, by their ids
  bool operator==(const WindowState&) const = default;
};

// As members of an object: those that are missing keep their defaults.
void put_shown(QJsonObject& out, const ShownState& shown);
ShownState read_shown(const QJsonObject& in);

// JSON. read_state(text(s)) == s; fields of a newer program are passed over, those that are missing keep
// their defaults. Error: no state.
QByteArray text(const WindowState& state);
Result<WindowState> read_state(const QByteArray& text);

}  // namespace shardscope::inline window
