// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/report/document/audience.h"
#include "engine/report/report.h"
#include "views/host/canvas_view.h"

namespace shardscope::inline window {

// The canvas as it is seen, as PNG (two pixels per pixel), SVG or PDF by the file's ending.
Result<void> export_picture(const CanvasView& canvas, const QString& path);
Result<void> export_text(const QString& text, const QString& path);
// A report as the command line writes it, by the file's ending. `db`: the workspace that its commands name.
// `extent`: how much it says. Who let the file be replaced gives up its pictures beside it,
// too; where it is new and pictures of that name are there, `may_replace` is asked about their folder, once.
// Cancelled: it said no, and nothing was written.
Result<void> export_report(const Comparison& comparison, const QString& path, const std::string& db,
                           const std::function<bool(const QString& folder)>& may_replace,
                           const ReportExtent& extent = {});

}  // namespace shardscope::inline window
