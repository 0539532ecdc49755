// SPDX-License-Identifier: Apache-2.0
// A lesson as one file that a class takes home: its steps play, its questions are judged, offline.
#pragma once

#include <stop_token>
#include <string>

#include "engine/base/result.h"
#include "engine/lesson/lesson_file.h"

namespace shardscope::inline app_report {

// Asks for a QGuiApplication, whose fonts its pictures are laid out with; on any thread.
// Errors: a step of it is wrong, with its line; stopped.
Result<std::string> lesson_page(const LessonFile& file, const std::stop_token& stop);

}  // namespace shardscope::inline app_report
