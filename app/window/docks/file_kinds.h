// SPDX-License-Identifier: Apache-2.0
// The kinds of files that the window opens, in one table: File > Open, recent files, files that are dropped,
// and the file on the command line are read from it. A new kind is a row.
#pragma once

#include <functional>
#include <vector>

#include "app/window/docks/context.h"

namespace shardscope::inline window {

struct FileKind {
  QString id, title;                                // "experiment", "Experiments"
  QStringList endings;                              // without the dot
  QString does;                                     // what opening does: "becomes the experiment"
  std::function<bool(const QByteArray& head)> has;  // of a file that begins so; empty: the ending says it
  std::function<Result<void>(const Context&, const QString& path)> open;
  bool replaces = false;  // the experiment; others stand beside it
};

const std::vector<FileKind>& file_kinds();
// What a file is, by its ending and, where several kinds share that, by its first bytes. Error: why it cannot
// be opened.
Result<const FileKind*> kind_of(const QString& path);
QString open_filter();                     // of a file dialog: all kinds, then each
QString open_filter(const QString& kind);  // of one that asks for this kind

Result<void> open_file(const Context& context, const QString& path);  // as what it is
// The same, a workspace as a job; says in the status bar what went wrong, and remembers what went well.
void open_path(const Context& context, const QString& path);

}  // namespace shardscope::inline window
