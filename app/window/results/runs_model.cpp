// SPDX-License-Identifier: Apache-2.0
#include "app/window/results/runs_model.h"

#include <QFont>
#include <QGuiApplication>
#include <QLocale>
#include <QPalette>
#include <QSize>
#include <algorithm>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "engine/base/units.h"

namespace shardscope::inline window {
namespace {

const RunColumn& column_at(int column) {
  return run_columns()[static_cast<size_t>(column)];
}

QString about(int column) {
  return spoken(QString::fromUtf8(column_at(column).about));
}

// Pieces of a product are no rivals: they sort behind every ratio.
constexpr double kBehindRanked = 1e12;

bool assumes(const Run* run) {
  return run != nullptr && !run->timeline.assumptions.empty();
}

// What the number is, then the formula with the values put in, then what was assumed.
QString explained(int column, const QString& formula, const Run* run = nullptr) {
  QString text = about(column) + "\n" + formula;
  if (assumes(run)) {
    for (const std::string& assumption : run->timeline.assumptions) text += "\n≈ " + in_window(assumption);
  }
  return text;
}

// "all-gather over col 3.0 MiB + … = 7.0 MiB": what a device sends, by collective.
QString sent_formula(const Run* run, const RunSummary& row) {
  const auto bytes = [](double b) { return QString::fromStdString(format_bytes(b)); };
  QString sum = bytes(row.numbers.get(RunMetric::sent)) + " a device"_tr;
  if (run == nullptr || run->timeline.collectives.empty()) return sum;
  QStringList parts;
  for (const CollectiveSummary& c : run->timeline.collectives) {
    QString part = QString("%1 × %2").arg(c.count).arg(QString::fromStdString(c.opcode));
    if (!c.axis.empty()) part += " over " + QString::fromStdString(c.axis);
    parts << part + " " + bytes(c.bytes_sent_per_device);
  }
  return parts.join(" + ") + " = " + sum;
}

}  // namespace

RunsModel::RunsModel(QObject* parent) : QAbstractTableModel(parent) {
  CHECK(run_columns().size() == column_count, run_columns().size());
}

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

void RunsModel::setProving(std::set<int64_t> ids) {
  if (ids == proving_) return;
  proving_ = std::move(ids);
  if (!rows_.empty())
    Q_EMIT dataChanged(index(0, numerics), index(static_cast<int>(rows_.size()) - 1, numerics));
}

bool RunsModel::setOld(std::set<int64_t> ids) {
  if (ids == old_) return false;
  old_ = std::move(ids);
  if (!rows_.empty())
    Q_EMIT dataChanged(index(0, 0), index(static_cast<int>(rows_.size()) - 1, column_count - 1));
  return true;
}

int RunsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size() + skipped_.size());
}

int RunsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

Qt::ItemFlags RunsModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  const bool run = static_cast<size_t>(index.row()) < rows_.size();
  const Qt::ItemFlags plain = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
  return run && editable(index.column()) ? plain | Qt::ItemIsEditable : plain;
}

bool RunsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || !(flags(index) & Qt::ItemIsEditable)) return false;
  const RunSummary& row = rows_[static_cast<size_t>(index.row())];
  RunLabel wanted = row.given;
  const std::string text = value.toString().trimmed().toStdString();
  if (index.column() == name) wanted.name = text;
  if (index.column() == note) wanted.note = text;
  if (index.column() == tags) wanted.tags = read_tags(text);
  if (wanted != row.given) Q_EMIT labelled(row.id, wanted);
  return true;
}

const Run* RunsModel::runOf(size_t row) const {
  const auto known = known_.find(rows_[row].id);
  return known == known_.end() ? nullptr : known->second.get();
}

QVariant RunsModel::text(size_t row, int column) const {
  if (column == numerics && proving_.contains(rows_[row].id)) return "on the way"_tr;
  QString out = QString::fromStdString(column_at(column).text({rows_[row], ranks_[row]}));
  if (column == strategy && old_.count(rows_[row].id) > 0) out += "  (earlier experiment)"_tr;
  if ((column == time || column == total) && assumes(runOf(row)) && out != kNoNumber) out = "≈ " + out;
  return out;
}

QVariant RunsModel::sortKey(size_t row, int column) const {
  const RunColumn& c = column_at(column);
  if (c.number == nullptr) return text(row, column);
  const auto number = c.number({rows_[row], ranks_[row]});
  return number.value_or(kBehindRanked + rows_[row].numbers.get(RunMetric::time));
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
  if (!rank.ranked) return "a part, an example or unfinished: not ranked"_tr;
  if (column == total)
    return explained(column,
                     "%1 and %2 of resharding"_tr.arg(quoted(format_picoseconds(r.total)),
                                                      quoted(format_picoseconds(r.price.value_or(0)))));
  if (column == ratio)
    return quotient(r.priced_total(), rows_[*rank.best].priced_total(), rank.ratio_to_best);
  if (column == price) {
    if (!r.price) return explained(column, "none is known"_tr);
    return explained(column, r.price_words.empty() ? "it starts and ends in the experiment's own shardings"_tr
                                                   : QString("to ") + quoted(r.price_words));
  }
  if (!rank.group) return about(column);
  if (column == groupRatio) return quotient(r.total, rows_[*rank.best_in_group].total, rank.ratio_in_group);
  return explained(column, "from %1 to %2"_tr.arg(quoted(r.inputs), quoted(r.outputs)));
}

// Where its time goes.
QString RunsModel::timeTooltip(size_t row, int column) const {
  const RunNumbers& numbers = rows_[row].numbers;
  const auto of = [&](RunMetric which) { return QString::fromStdString(numbers.text(which)); };
  const QString bare = of(RunMetric::exposed), all = of(RunMetric::communication);
  if (column == exposed) {
    const double hidden = numbers.get(RunMetric::communication) - numbers.get(RunMetric::exposed);
    return explained(column,
                     "%1 of %2 communication; %3 of it run beside the %4 of compute"_tr.arg(
                         bare, all, QString::fromStdString(format_seconds(hidden)), of(RunMetric::compute)));
  }
  if (column == overlap && !numbers[RunMetric::overlap])
    return explained(column, "none: nothing is communicated"_tr);
  if (column == overlap)
    return explained(column, QString("1 − %1 / %2 = %3").arg(bare, all, of(RunMetric::overlap)));
  return explained(column,
                   "%1 = compute %2 + exposed communication %3 + idle %4"_tr.arg(
                       of(RunMetric::time), of(RunMetric::compute), bare, of(RunMetric::idle)),
                   column == time ? runOf(row) : nullptr);
}

QString RunsModel::tooltip(size_t row, int column) const {
  const RunSummary& r = rows_[row];
  const auto bytes = [](double b) { return QString::fromStdString(format_bytes(b)); };
  switch (column) {
    case group:
    case groupRatio:
    case price:
    case total:
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
      return explained(column,
                       "%1 = %2 bytes on the fullest device, inputs and result included%3"_tr.arg(
                           bytes(r.numbers.get(RunMetric::peak)),
                           QLocale::c().toString(r.numbers.get(RunMetric::peak), 'f', 0),
                           r.exceeds_hbm() ? "; does not fit the %1 of HBM of %2"_tr.arg(
                                                 bytes(*r.hbm_bytes), QString::fromStdString(r.hardware))
                                           : QString()));
    case mesh:
    case strategy:
      return QString("[%1,%2] · [%2,%3] in %4 on %5, %6%7")
          .arg(r.m)
          .arg(r.k)
          .arg(r.n)
          .arg(QString::fromStdString(r.dtype), QString::fromStdString(r.mesh),
               QString::fromStdString(r.hardware),
               old_.count(r.id) > 0 ? "\nof an earlier experiment: it has been edited since"_tr : QString());
    case bound:
      return explained(column,
                       "%1: most of the critical path waits for it"_tr.arg(QString::fromStdString(r.bound)));
    case numerics:
      if (proving_.contains(r.id))
        return explained(column, "times come first; numbers follow in the order of the ranking"_tr);
      return r.numbers[RunMetric::wall] ? "measured on this machine: %1 (not the simulated time)"_tr.arg(
                                              QString::fromStdString(r.numbers.text(RunMetric::wall)))
                                        : about(column);
    default:
      return about(column);
  }
}

// What did not run.
QVariant RunsModel::skipped(size_t row, int column, int role) const {
  const SkippedRun& s = skipped_[row];
  const QString strategy_id = QString::fromStdString(s.strategy);
  const QString reason = in_window("did not run: " + s.reason);
  switch (role) {
    case kRunIdRole:
      return -1;
    case kLineRole:
      return strategy_id + "   " + reason;
    case Qt::ForegroundRole:
      return QGuiApplication::palette().brush(QPalette::PlaceholderText);
    case Qt::ToolTipRole:
      return in_window(s.strategy + " did not run: " + s.reason);
    case Qt::SizeHintRole:
      return column == time ? QVariant(QSize(0, 0)) : QVariant();  // the line takes the whole row
    case Qt::DisplayRole:
      return column == strategy ? QVariant(strategy_id) : column == time ? QVariant(reason) : QVariant();
    default:
      return {};
  }
}

QVariant RunsModel::look(size_t row, int column, int role) const {
  if (role == Qt::FontRole) {
    const bool best = ranks_[row].is_best();
    QFont font;
    font.setBold(column == ratio || (best && (column == strategy || column == total)));
    return font.bold() ? QVariant(font) : QVariant();
  }
  const RunSummary& r = rows_[row];
  if (old_.count(r.id) > 0) return QGuiApplication::palette().brush(QPalette::PlaceholderText);
  if ((column == numerics && r.numerics_differ()) || (column == peak && r.exceeds_hbm()))
    return QGuiApplication::palette().brush(QPalette::BrightText);
  return {};
}

QVariant RunsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const auto row = static_cast<size_t>(index.row());
  const int column = index.column();
  if (role == Qt::TextAlignmentRole) {
    const bool right = column_at(column).right() && row < rows_.size();
    return QVariant(static_cast<int>((right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
  }
  if (row >= rows_.size()) return skipped(row - rows_.size(), column, role);
  switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
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
    case Qt::FontRole:
    case Qt::ForegroundRole:
      return look(row, column, role);
    default:
      return {};
  }
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  const RunColumn& c = column_at(section);
  if (role == Qt::DisplayRole) return spoken(QString::fromUtf8(c.header));
  if (role == Qt::ToolTipRole) return about(section);
  if (role == Qt::TextAlignmentRole)
    return QVariant(static_cast<int>((c.right() ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
  return {};
}

}  // namespace shardscope::inline window
