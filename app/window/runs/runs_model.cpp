// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/runs_model.h"

#include <QFont>
#include <QGuiApplication>
#include <QLocale>
#include <QPalette>
#include <QSize>
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/units.h"

namespace shardscope {
namespace {

constexpr std::array<const char*, RunsModel::column_count> kHeaders{
    "#",       "strategy", "mesh", "group",   "time",     "× group",  "price", "× best",
    "compute", "exposed",  "idle", "overlap", "sent/dev", "peak mem", "bound", "numbers"};
constexpr std::array<const char*, RunsModel::column_count> kHeaderTips{
    "Number of the run in the workspace",
    "Strategy",
    "Mesh axes",
    "Runs of one group start and end alike, on the same links: their times compare as they are",
    "Simulated time: end of the last event",
    "Time over the time of the fastest run of its group",
    "What it takes to start from the experiment's own shardings and to end there",
    "Time and price over those of the best run of the same problem",
    "Time that the device computes, of the one with the most exposed communication",
    "Communication that nothing hides: comm minus compute, on the device with the most of it",
    "Time without compute and communication on that device",
    "1 − exposed / comm",
    "Bytes that a device sends, mean over devices",
    "Most bytes that live at once on a device",
    "Largest share of the critical path",
    "Comparison with the reference"};

// Pieces of a product are no rivals: they sort behind every ratio.
constexpr double kBehindRanked = 1e12;

bool does_not_fit(const RunSummary& row) {
  return row.hbm_bytes && row.peak_bytes > *row.hbm_bytes;
}

bool assumes(const Run* run) {
  return run != nullptr && !run->timeline.assumptions.empty();
}

// What the number is, then the formula with the values put in, then what was assumed.
QString explained(int column, const QString& formula, const Run* run = nullptr) {
  QString text = QString(kHeaderTips[static_cast<size_t>(column)]) + "\n" + formula;
  if (assumes(run)) {
    for (const std::string& assumption : run->timeline.assumptions)
      text += "\n≈ " + QString::fromStdString(assumption);
  }
  return text;
}

// "all-gather over col 3.0 MiB + … = 7.0 MiB": what a device sends, by collective.
QString sent_formula(const Run* run, const RunSummary& row) {
  const auto bytes = [](double b) { return QString::fromStdString(format_bytes(b)); };
  const QString sum = bytes(row.bytes_sent) + " a device";
  if (run == nullptr || run->timeline.collectives.empty()) return sum;
  QStringList parts;
  for (const CollectiveSummary& c : run->timeline.collectives) {
    QString part = QString("%1 × %2").arg(c.count).arg(QString::fromStdString(c.opcode));
    if (!c.axis.empty()) part += " over " + QString::fromStdString(c.axis);
    parts << part + " " + bytes(c.bytes_sent_per_device);
  }
  return parts.join(" + ") + " = " + sum;
}

// "(part)": why a run is not ranked.
QString kind_mark(const RunSummary& row, const Rank& rank) {
  if (rank.ranked) return {};
  const bool finished = row.status == name(RunStatus::done);
  return QString("  (%1)").arg(finished ? QString(name(row.kind)) : QString::fromStdString(row.status));
}

bool is_number(int column) {
  return column == RunsModel::id || (column >= RunsModel::time && column <= RunsModel::peak);
}

}  // namespace

RunsModel::RunsModel(QObject* parent) : QAbstractTableModel(parent) {}

void RunsModel::setRows(std::vector<RunSummary> rows, const std::set<int64_t>& shown,
                        std::vector<SkippedRun> skipped, const std::map<int64_t, RunPtr>& known) {
  beginResetModel();
  known_ = known;
  rows_.clear();
  for (RunSummary& row : rows) {
    if (shown.empty() || shown.count(row.id) > 0) rows_.push_back(std::move(row));
  }
  skipped_ = std::move(skipped);
  ranks_.assign(rows_.size(), Rank());
  worst_.assign(rows_.size(), 1);
  for (const Rank& rank : rank(rows_)) {
    ranks_[rank.place] = rank;
    if (rank.ranked) worst_[*rank.best] = std::max(worst_[*rank.best], rank.ratio_to_best);
  }
  endResetModel();
}

void RunsModel::setOld(std::set<int64_t> ids) {
  if (ids == old_) return;
  old_ = std::move(ids);
  if (!rows_.empty())
    Q_EMIT dataChanged(index(0, 0), index(static_cast<int>(rows_.size()) - 1, column_count - 1));
}

int RunsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size() + skipped_.size());
}

int RunsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

Qt::ItemFlags RunsModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  return Qt::ItemIsEnabled | Qt::ItemIsSelectable;
}

const Run* RunsModel::runOf(size_t row) const {
  const auto known = known_.find(rows_[row].id);
  return known == known_.end() ? nullptr : known->second.get();
}

QVariant RunsModel::text(size_t row, int column) const {
  const RunSummary& r = rows_[row];
  const auto quoted = [](const std::string& s) { return QString::fromStdString(s); };
  switch (column) {
    case id:
      return QString::number(r.id);
    case strategy:
      return quoted(r.label.empty() ? r.strategy : r.strategy + "  " + r.label) + kind_mark(r, ranks_[row]) +
             (old_.count(r.id) > 0 ? "  (earlier experiment)" : "");
    case mesh:
      return quoted(r.mesh);
    case time:
      return QString(assumes(runOf(row)) ? "≈ " : "") + quoted(format_seconds(r.total_s));
    case group:
      return ranks_[row].group ? quoted(group_name(*ranks_[row].group)) : QString("–");
    case groupRatio:
      return ranks_[row].group ? quoted(format_ratio(ranks_[row].ratio_in_group)) : QString("–");
    case price:
      return ranks_[row].ranked && r.price ? quoted(format_picoseconds(*r.price)) : QString("–");
    case ratio:
      return ranks_[row].ranked ? quoted(format_ratio(ranks_[row].ratio_to_best)) : QString("–");
    case compute:
      return quoted(format_seconds(r.compute_s));
    case exposed:
      return quoted(format_seconds(r.exposed_comm_s));
    case idle:
      return quoted(format_seconds(r.idle_s));
    case overlap:
      return r.overlap ? quoted(format_percent(*r.overlap)) : QString("–");
    case sent:
      return quoted(format_bytes(r.bytes_sent));
    case peak:
      return quoted(format_bytes(r.peak_bytes)) + (does_not_fit(r) ? " > HBM" : "");
    case bound:
      return quoted(r.bound);
    case numerics:
      return !r.numerics_checked ? QString("not checked")
             : r.allclose        ? QString("✓ equal")
                                 : QString("✗ differ");
    default:
      return {};
  }
}

QVariant RunsModel::sortKey(size_t row, int column) const {
  const RunSummary& r = rows_[row];
  switch (column) {
    case id:
      return QVariant::fromValue(static_cast<qlonglong>(r.id));
    case time:
      return r.total_s;
    case ratio:
      return ranks_[row].ranked ? ranks_[row].ratio_to_best : kBehindRanked + r.total_s;
    case group:
      return ranks_[row].group ? static_cast<double>(*ranks_[row].group) : kBehindRanked;
    case groupRatio:
      return ranks_[row].group ? ranks_[row].ratio_in_group : kBehindRanked + r.total_s;
    case price:
      return ranks_[row].ranked && r.price ? to_seconds(*r.price) : kBehindRanked;
    case compute:
      return r.compute_s;
    case exposed:
      return r.exposed_comm_s;
    case idle:
      return r.idle_s;
    case overlap:
      return r.overlap.value_or(-1);
    case sent:
      return r.bytes_sent;
    case peak:
      return r.peak_bytes;
    default:
      return text(row, column);
  }
}

// Whom a run is compared with.
QString RunsModel::rankTooltip(size_t row, int column) const {
  const RunSummary& r = rows_[row];
  const Rank& rank = ranks_[row];
  const auto quoted = [](const std::string& s) { return QString::fromStdString(s); };
  const auto quotient = [&](Picoseconds own, Picoseconds least, double times) {
    return explained(column, QString("%1 / %2 = %3")
                                 .arg(quoted(format_picoseconds(own)), quoted(format_picoseconds(least)),
                                      quoted(format_ratio(times))));
  };
  if (!rank.ranked) return QString("a part, an example or unfinished: not ranked");
  if (column == ratio)
    return quotient(r.priced_total(), rows_[*rank.best].priced_total(), rank.ratio_to_best);
  if (column == price) {
    if (!r.price) return explained(column, "none is known");
    return explained(column, r.price_words.empty()
                                 ? QString("it starts and ends in the experiment's own shardings")
                                 : QString("to ") + quoted(r.price_words));
  }
  if (!rank.group) return QString(kHeaderTips[static_cast<size_t>(column)]);
  if (column == groupRatio) return quotient(r.total, rows_[*rank.best_in_group].total, rank.ratio_in_group);
  return explained(column, QString("from %1 to %2").arg(quoted(r.inputs), quoted(r.outputs)));
}

// Where its time goes.
QString RunsModel::timeTooltip(size_t row, int column) const {
  const RunSummary& r = rows_[row];
  const auto seconds = [](double s) { return QString::fromStdString(format_seconds(s)); };
  if (column == exposed)
    return explained(column, QString("%1 of %2 communication; %3 of it run beside the %4 of compute")
                                 .arg(seconds(r.exposed_comm_s), seconds(r.comm_s),
                                      seconds(r.comm_s - r.exposed_comm_s), seconds(r.compute_s)));
  if (column == overlap && !r.overlap) return explained(column, "none: nothing is communicated");
  if (column == overlap)
    return explained(column, QString("1 − %1 / %2 = %3")
                                 .arg(seconds(r.exposed_comm_s), seconds(r.comm_s),
                                      QString::fromStdString(format_percent(*r.overlap))));
  return explained(
      column,
      QString("%1 = compute %2 + exposed communication %3 + idle %4")
          .arg(seconds(r.total_s), seconds(r.compute_s), seconds(r.exposed_comm_s), seconds(r.idle_s)),
      column == time ? runOf(row) : nullptr);
}

QString RunsModel::tooltip(size_t row, int column) const {
  const RunSummary& r = rows_[row];
  const auto bytes = [](double b) { return QString::fromStdString(format_bytes(b)); };
  switch (column) {
    case group:
    case groupRatio:
    case price:
    case ratio:
      return rankTooltip(row, column);
    case time:
    case compute:
    case exposed:
    case idle:
    case overlap:
      return timeTooltip(row, column);
    case sent:
      return explained(column, sent_formula(runOf(row), r));
    case peak:
      return explained(
          column, QString("%1 = %2 bytes on the fullest device, inputs and result included%3")
                      .arg(bytes(r.peak_bytes), QLocale::c().toString(r.peak_bytes, 'f', 0),
                           does_not_fit(r) ? QString("; does not fit the %1 of HBM of %2")
                                                 .arg(bytes(*r.hbm_bytes), QString::fromStdString(r.hardware))
                                           : QString()));
    case mesh:
    case strategy:
      return QString("[%1,%2] · [%2,%3] in %4 on %5, %6%7")
          .arg(r.m)
          .arg(r.k)
          .arg(r.n)
          .arg(QString::fromStdString(r.dtype), QString::fromStdString(r.mesh),
               QString::fromStdString(r.hardware),
               old_.count(r.id) > 0 ? "\nof an earlier experiment: it has been edited since" : "");
    case bound:
      return explained(
          column, QString("%1: most of the critical path waits for it").arg(QString::fromStdString(r.bound)));
    case numerics:
      return r.measured_wall_s ? QString("measured on this machine: %1 (not the simulated time)")
                                     .arg(QString::fromStdString(format_seconds(*r.measured_wall_s)))
                               : QString(kHeaderTips[static_cast<size_t>(column)]);
    default:
      return kHeaderTips[static_cast<size_t>(column)];
  }
}

QVariant RunsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const auto row = static_cast<size_t>(index.row());
  const int column = index.column();
  if (role == Qt::TextAlignmentRole) {
    return QVariant(static_cast<int>(
        (is_number(column) && row < rows_.size() ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
  }
  if (row >= rows_.size()) {
    const SkippedRun& s = skipped_[row - rows_.size()];
    if (role == kRunIdRole) return -1;
    if (role == Qt::ForegroundRole) return QGuiApplication::palette().brush(QPalette::PlaceholderText);
    if (role == Qt::ToolTipRole) return QString::fromStdString(s.strategy + " did not run: " + s.reason);
    if (role == Qt::SizeHintRole && column == time) return QSize(0, 0);  // spans the row
    if (role != Qt::DisplayRole) return {};
    if (column == strategy) return QString::fromStdString(s.strategy);
    if (column == time) return QString::fromStdString("did not run: " + s.reason);
    return {};
  }
  const bool best = ranks_[row].ranked && ranks_[row].ratio_to_best <= 1;
  switch (role) {
    case Qt::DisplayRole:
      return text(row, column);
    case kSortRole:
      return sortKey(row, column);
    case kRunIdRole:
      return QVariant::fromValue(static_cast<qlonglong>(rows_[row].id));
    case Qt::ToolTipRole:
      return tooltip(row, column);
    case kBarRole:
      if (column != ratio || !ranks_[row].ranked) return {};
      return ranks_[row].ratio_to_best / worst_[*ranks_[row].best];
    case Qt::FontRole: {
      QFont font;
      font.setBold(column == ratio || (best && (column == strategy || column == time)));
      return font.bold() ? QVariant(font) : QVariant();
    }
    case Qt::ForegroundRole:
      if (old_.count(rows_[row].id) > 0) return QGuiApplication::palette().brush(QPalette::PlaceholderText);
      if ((column == numerics && rows_[row].numerics_checked && !rows_[row].allclose) ||
          (column == peak && does_not_fit(rows_[row]))) {
        return QGuiApplication::palette().brush(QPalette::BrightText);
      }
      return {};
    default:
      return {};
  }
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  if (role == Qt::DisplayRole) return QString(kHeaders[static_cast<size_t>(section)]);
  if (role == Qt::ToolTipRole) return QString(kHeaderTips[static_cast<size_t>(section)]);
  if (role == Qt::TextAlignmentRole) {
    return QVariant(
        static_cast<int>((is_number(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
  }
  return {};
}

}  // namespace shardscope
