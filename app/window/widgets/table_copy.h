// SPDX-License-Identifier: Apache-2.0
// Every table of the window can be copied as CSV, Markdown and LaTeX.
#pragma once

#include <QAbstractItemView>
#include <QMenu>

#include "engine/report/table.h"

namespace shardscope::inline window {

enum class TableForm { csv, markdown, latex };
QString text(const TextTable& table, TableForm form);

// The selected rows (fewer than two: all of them) in the columns that are shown, in the order in which they
// are; of a tree the rows that are open, set in by their depth.
TextTable table_of(const QAbstractItemView& view);
TextTable all_of(const QAbstractItemModel& model);

// Ctrl+C copies CSV, Ctrl+Alt+M Markdown, Ctrl+Alt+L LaTeX while `view` has the focus; where it has no menu
// of its own it gets one with these.
void offer_copy(QAbstractItemView* view);
void add_copy_menu(QMenu& menu, QAbstractItemView* view);

}  // namespace shardscope::inline window
