// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTreeWidget>
#include <functional>

namespace shardscope::inline window {

// A double click or Enter on a row of the table opens it.
void open_rows(QTreeWidget* table, std::function<void(QTreeWidgetItem*)> open);

}  // namespace shardscope::inline window
