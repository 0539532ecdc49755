// SPDX-License-Identifier: Apache-2.0
#include "app/window/studies/calibration_panel.h"

#include <QDate>
#include <QFileDialog>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/fit_columns.h"
#include "app/window/widgets/flow_layout.h"
#include "app/window/widgets/form_parts.h"
#include "app/window/widgets/table_columns.h"
#include "engine/base/say.h"
#include "engine/base/units.h"
#include "engine/help/topics.h"

namespace shardscope::inline window {
namespace {

QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}

// A cell that sorts by its number.
class NumberItem : public QTreeWidgetItem {
 public:
  using QTreeWidgetItem::QTreeWidgetItem;
  void set(int column, const QString& text, double number) {
    setText(column, text);
    setData(column, Qt::UserRole + 1, number);
    setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  }
  bool operator<(const QTreeWidgetItem& other) const override {
    const int column = treeWidget() == nullptr ? 0 : treeWidget()->sortColumn();
    const QVariant mine = data(column, Qt::UserRole + 1), its = other.data(column, Qt::UserRole + 1);
    if (mine.isValid() && its.isValid()) return mine.toDouble() < its.toDouble();
    return text(column) < other.text(column);
  }
};

ItemId candidate_at(int place) {
  return {.kind = ItemId::Kind::candidate, .index = place};
}

}  // namespace

CalibrationPanel::CalibrationPanel(ExperimentDocument& document, QWidget* parent)
    : StudyPanel("Calibrate"_tr, spoken(help_topic("calibration").shows), parent),
      document_(document),
      file_(new QLineEdit(this)),
      hardware_(new QComboBox(this)),
      shown_(new QComboBox(this)),
      group_(new QComboBox(this)),
      held_out_(new QSpinBox(this)),
      seed_(new QSpinBox(this)),
      before_(new QCheckBox("before"_tr, this)),
      save_(small_button("Save chip…"_tr, "The fitted numbers as a hardware file, with their sources"_tr,
                         this)),
      use_(small_button("Use this chip"_tr, "The experiment runs on the fitted chip; undo takes it back"_tr,
                        this)) {
  sayPurpose(
      "Fits a chip's numbers to measured times of products and collectives, and says how far its predictions "
      "are off on points that the fit has not seen."_tr);
  setObjectName("Calibration");
  chart_->setAccessibleName("Predicted over measured times, by size"_tr);
  chart_->setTooltip([this](const ItemId& item) { return words(item); });
  table_->setRootIsDecorated(false);
  table_->setAccessibleName("Points, groups or numbers of the calibration"_tr);
  place(makeForm(), 3, 2);
  connect(chart_, &PictureCanvas::chosen, this, &CalibrationPanel::choose);
  connect(table_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
    if (!filling_ && item != nullptr && shown_->currentIndex() != groups)
      chart_->select(candidate_at(item->data(0, Qt::UserRole).toInt()));
  });
  connect(&document_, &ExperimentDocument::changed, this, &CalibrationPanel::readDocument);
  for (QToolButton* button : {save_, use_}) button->setEnabled(false);
  connect(save_, &QToolButton::clicked, this, [this] { Q_EMIT saveRequested(result_->after); });
  connect(use_, &QToolButton::clicked, this, [this] { Q_EMIT useRequested(result_->after); });
  readDocument();
}

QLayout* CalibrationPanel::makeForm() {
  file_->setAccessibleName("Measurements"_tr);
  file_->setPlaceholderText("built-in measurements of the chip"_tr);
  file_->setToolTip(
      "A table of measured points (.csv) with the columns op, m, k, n, bytes, dtype, devices, topology, "
      "measured_us; empty: those that this program was built with"_tr);
  auto* browse = small_button("file…"_tr, "Choose a table of measurements"_tr, this);
  connect(browse, &QToolButton::clicked, this, [this] {
    const QString path = QFileDialog::getOpenFileName(this, "Open measurements"_tr, "", "Tables (*.csv)"_tr);
    if (!path.isEmpty()) file_->setText(path);
  });
  hardware_->setAccessibleName("Chip to fit"_tr);
  held_out_->setRange(0, 90);
  held_out_->setValue(50);
  held_out_->setSuffix(" %");
  held_out_->setAccessibleName("Share of the points that is held out"_tr);
  held_out_->setToolTip("So many points are not fitted to: the chip is judged by them"_tr);
  seed_->setRange(0, 1'000'000);
  seed_->setValue(1);
  seed_->setAccessibleName("Seed"_tr);
  seed_->setToolTip("Which points are held out; the same seed, the same result"_tr);
  shown_->addItems({"points"_tr, "groups"_tr, "numbers"_tr});
  shown_->setAccessibleName("What is shown"_tr);
  group_->setAccessibleName("Group of points"_tr);
  before_->setChecked(true);
  before_->setToolTip("What the chip's numbers said before the fit, pale"_tr);
  connect(file_, &QLineEdit::returnPressed, this, &CalibrationPanel::run);
  connect(shown_, &QComboBox::currentIndexChanged, this, [this] {
    draw();
    fillTable();
  });
  connect(group_, &QComboBox::currentIndexChanged, this, [this] {
    if (filling_) return;
    draw();
    fillTable();
  });
  connect(before_, &QCheckBox::toggled, this, &CalibrationPanel::draw);
  file_->setMinimumWidth(fontMetrics().horizontalAdvance(file_->placeholderText() + "MM"));
  auto* line = new FlowLayout(nullptr, 8);
  line->addWidget(labelled("points"_tr, file_, this));
  line->addWidget(browse);
  for (const auto& [label, field] : {std::pair<QString, QWidget*>{"chip"_tr, hardware_},
                                     {"held out"_tr, held_out_},
                                     {"seed"_tr, seed_},
                                     {"show"_tr, shown_},
                                     {"of"_tr, group_}})
    line->addWidget(labelled(label, field, this));
  line->addWidget(before_);
  line->addWidget(save_);
  line->addWidget(use_);
  return line;
}

// The chip follows the experiment until another one is picked here.
void CalibrationPanel::readDocument() {
  const QString chosen = hardware_->currentData().toString();
  const QString own = text_of(document_.experiment().hardware);
  const bool follows = hardware_->currentIndex() <= 0;
  hardware_->clear();
  hardware_->addItem("the experiment's: "_tr + own.section('/', -1), own);
  for (const std::string& name : hardware_preset_names()) hardware_->addItem(text_of(name), text_of(name));
  if (!follows) hardware_->setCurrentIndex(std::max(hardware_->findData(chosen), 0));
}

Result<CalibrateRequest> CalibrationPanel::request() const {
  CalibrateRequest out;
  const std::string path = file_->text().trimmed().toStdString();
  TRY(out.preset, find_hardware(hardware_->currentData().toString().toStdString()));
  out.points = published_points();
  if (!path.empty()) {
    TRY(out.points, read_points(path));
  }
  out.holdout = held_out_->value() / 100.0;
  out.seed = static_cast<uint64_t>(seed_->value());
  out.date = QDate::currentDate().toString(Qt::ISODate).toStdString();
  return out;
}

void CalibrationPanel::run() {
  if (job_->busy()) return;
  const auto asked = request();
  mark_invalid(file_, !asked.ok());
  showError(asked.ok() ? QString() : in_window(asked.error()));
  if (!asked.ok()) return;
  struct Fitting {
    std::function<void(const std::string& what, double fraction)> progress;
    std::function<void(const Calibration&)> partial;  // a fit has no half
  };
  begin<Fitting>(
      "Fitting the chip's numbers to the points; intervals come from fitting again and again."_tr,
      [asked = *asked](const Fitting& fitting, const std::stop_token& stop) {
        CalibrateExecution execution;
        execution.progress = fitting.progress;
        return calibrate(asked, execution, stop);
      },
      [this](const Calibration& calibration) { showResult(calibration); },
      [](const Calibration& calibration) {
        const auto identified =
            std::ranges::count_if(calibration.parameters, &CalibratedParameter::identified);
        return "points: %1; numbers identified: %2 of %3; points left out: %4"_tr
            .arg(calibration.points.size())
            .arg(identified)
            .arg(calibration.parameters.size())
            .arg(calibration.left_out.size());
      });
}

void CalibrationPanel::showResult(const Calibration& result) {
  result_ = std::make_shared<const Calibration>(result);
  for (QToolButton* button : {save_, use_}) button->setEnabled(true);
  fillGroups();
  draw();
  fillTable();
}

void CalibrationPanel::fillGroups() {
  filling_ = true;
  group_->clear();
  group_->addItem("all"_tr, QString());
  for (const std::string& group : groups_of(*result_)) group_->addItem(text_of(group), text_of(group));
  filling_ = false;
}

void CalibrationPanel::draw() {
  if (result_ == nullptr) return;
  chart_->select({});
  const CalibrationChoice choice{group_->currentData().toString().toStdString(), before_->isChecked()};
  const bool numbers = shown_->currentIndex() == parameters;
  chart_->setPicture([shown = result_, choice, numbers](const Selection& selection, const Canvas& canvas) {
    return numbers ? layout_calibrated_parameters(*shown, selection, canvas)
                   : layout_calibration(*shown, choice, selection, canvas);
  });
}

void CalibrationPanel::fillTable() {
  if (result_ == nullptr) return;
  filling_ = true;
  table_->setSortingEnabled(false);
  table_->clear();
  switch (shown_->currentIndex()) {
    case points:
      fillPoints();
      break;
    case groups:
      fillErrors();
      break;
    default:
      fillParameters();
  }
  fit_columns(*table_);
  filling_ = false;
}

// The worst first.
void CalibrationPanel::fillPoints() {
  set_columns(*table_, {{"point"_tr, "What was measured"_tr},
                        {"off"_tr, "Predicted over measured time, less 1"_tr},
                        {"measured"_tr, "Time in the file of measurements"_tr},
                        {"predicted"_tr, "Time by the fitted numbers"_tr},
                        {"before"_tr, "How far off the chip's own numbers are"_tr},
                        {"of"_tr, "Group of the point, and whether it was held out of the fit"_tr}});
  const std::string group = group_->currentData().toString().toStdString();
  for (size_t i = 0; i < result_->points.size(); ++i) {
    const CalibratedPoint& point = result_->points[i];
    if (!group.empty() && point.group != group) continue;
    auto* row = new NumberItem(table_);
    row->setData(0, Qt::UserRole, static_cast<int>(i));
    row->setText(0, text_of(point.what));
    row->setText(5, text_of(point.group) + (point.held_out ? ", held out"_tr : QString()));
    row->set(2, text_of(format_seconds(point.measured_s)), point.measured_s);
    row->set(3, text_of(format_seconds(point.after_s)), point.after_s);
    row->set(1, text_of(deviation_text(point.after_s, point.measured_s)),
             error_of(point.after_s, point.measured_s));
    row->set(4, text_of(deviation_text(point.before_s, point.measured_s)),
             error_of(point.before_s, point.measured_s));
    for (int c = 0; c < 6; ++c) row->setToolTip(c, words(candidate_at(static_cast<int>(i))).join('\n'));
  }
  table_->setSortingEnabled(true);
  table_->sortByColumn(1, Qt::DescendingOrder);
}

void CalibrationPanel::fillErrors() {
  set_columns(*table_, {{"group"_tr, "Points of one kind"_tr},
                        {"points"_tr, "How many there are"_tr},
                        {"held out"_tr, "How many of them the fit did not see"_tr},
                        {"error, held out"_tr, "Mean error on points that the fit did not see"_tr},
                        {"error, fitted"_tr, "Mean error on points that it saw"_tr},
                        {"before"_tr, "Mean error of the chip's own numbers"_tr},
                        {"worst"_tr, "Largest error, and the point that has it"_tr}});
  for (size_t i = 0; i < result_->groups.size(); ++i) {
    const CalibratedGroup& group = result_->groups[i];
    auto* row = new NumberItem(table_);
    row->setData(0, Qt::UserRole, static_cast<int>(i));
    row->setText(0, text_of(group.group));
    row->set(1, QString::number(group.points), static_cast<double>(group.points));
    row->set(2, QString::number(group.held_out), static_cast<double>(group.held_out));
    const auto percent = [&](int column, double error, bool there) {
      row->set(column, there ? text_of(format_percent(error)) : QString("–"), there ? error : -1);
    };
    percent(3, group.test_error, group.held_out > 0);
    percent(4, group.train_error, group.points > group.held_out);
    percent(5, group.before_error, true);
    row->set(6, text_of(format_percent(group.worst) + " (" + group.worst_point + ")"), group.worst);
  }
}

void CalibrationPanel::fillParameters() {
  set_columns(*table_,
              {{"number"_tr, "Number of the chip"_tr},
               {"value"_tr, "As it was fitted"_tr},
               {"95 % of refits"_tr, "Range of the value when the fit is repeated on other points"_tr},
               {"before"_tr, "As the chip had it"_tr},
               {"points"_tr, "Points that depend on it"_tr}});
  for (size_t i = 0; i < result_->parameters.size(); ++i) {
    const CalibratedParameter& p = result_->parameters[i];
    auto* row = new NumberItem(table_);
    row->setData(0, Qt::UserRole, static_cast<int>(i));
    row->setText(0, text_of(p.name));
    row->set(1, text_of(value_text(p, p.value)), p.value);
    row->setText(2, text_of(interval_text(p)));
    row->set(3, text_of(value_text(p, p.before)), p.before);
    row->set(4, QString::number(p.points), static_cast<double>(p.points));
  }
}

// A point of the picture is a row of the table; a group's bar shows the group's points alone.
void CalibrationPanel::choose(const ItemId& item) {
  if (result_ == nullptr) return;
  if (item.kind == ItemId::Kind::handle) {
    const int row = group_->findData(text_of(result_->groups[static_cast<size_t>(item.index)].group));
    if (row >= 0) group_->setCurrentIndex(row);
    return;
  }
  if (item.kind != ItemId::Kind::candidate) return;
  if (shown_->currentIndex() == groups) shown_->setCurrentIndex(points);
  for (int i = 0; i < table_->topLevelItemCount(); ++i) {
    if (table_->topLevelItem(i)->data(0, Qt::UserRole).toInt() != item.index) continue;
    table_->setCurrentItem(table_->topLevelItem(i));
    table_->scrollToItem(table_->topLevelItem(i));
  }
  chart_->select(item);
}

// Of a group: its points.
void CalibrationPanel::open(const QTreeWidgetItem* item) {
  if (result_ == nullptr || item == nullptr || shown_->currentIndex() != groups) return;
  const int row = group_->findData(item->text(0));
  if (row < 0) return;
  group_->setCurrentIndex(row);
  shown_->setCurrentIndex(points);
}

QStringList CalibrationPanel::words(const ItemId& item) const {
  QStringList lines;
  if (result_ == nullptr || item.index < 0) return lines;
  const auto place = static_cast<size_t>(item.index);
  if (item.kind == ItemId::Kind::handle && place < result_->groups.size())
    return {text_of(result_->groups[place].group), "A click shows these points alone"_tr};
  if (item.kind != ItemId::Kind::candidate) return lines;
  if (shown_->currentIndex() == parameters) {
    if (place >= result_->parameters.size()) return lines;
    const CalibratedParameter& p = result_->parameters[place];
    return {text_of(p.name), text_of(value_text(p, p.value)), text_of(interval_text(p)),
            "before: %1"_tr.arg(text_of(value_text(p, p.before)))};
  }
  if (place >= result_->points.size()) return lines;
  for (const std::string& line : words_of(result_->points[place])) lines << text_of(line);
  return lines;
}

}  // namespace shardscope::inline window
