// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <vector>

#include "app/window/document/clock.h"
#include "app/window/widgets/form_parts.h"

namespace shardscope::inline window {

// Some events of a run, by their numbers.
class EventsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { device, lane, operation, beat, start, time, bytes, column_count };
  using QAbstractTableModel::QAbstractTableModel;
  void set(ShownRunPtr shown, std::vector<int32_t> numbers);
  int32_t number(int row) const { return numbers_[static_cast<size_t>(row)]; }
  int rowOf(int32_t number) const;  // -1: it is not among them
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  ShownRunPtr shown_;
  std::vector<int32_t> numbers_;
};

// The shown run's events as rows, those that hold all the words of a filter: of the device, the lane, the
// operation. A row selects its event everywhere.
class EventsTable : public QWidget {
  Q_OBJECT
 public:
  explicit EventsTable(Clock& clock, QWidget* parent = nullptr);
  QLineEdit* filter() { return filter_; }
  QTableView* view() { return view_; }
  EventsModel* model() { return model_; }
  QString summary() const { return summary_->text(); }
  void setTheme(const Theme& theme);
  void find() { begin_in(*filter_); }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void read();
  void selectRow();
  void followClock();

  Clock& clock_;
  QLineEdit* filter_;
  QLabel* summary_;
  EventsModel* model_;
  QTableView* view_;
};

}  // namespace shardscope::inline window
