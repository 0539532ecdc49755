// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_tables.h"

#include <QHeaderView>
#include <QResizeEvent>
#include <QScrollArea>
#include <QTabBar>
#include <QTextDocument>
#include <QVBoxLayout>
#include <algorithm>
#include <map>

#include "app/window/document/language.h"
#include "app/window/widgets/csv.h"
#include "app/window/widgets/fit_columns.h"
#include "app/window/widgets/job_bar.h"
#include "app/window/widgets/table_columns.h"
#include "app/window/widgets/table_copy.h"
#include "engine/base/units.h"
#include "engine/sharding/sharding_text.h"

namespace shardscope::inline window {
namespace {

enum CollectiveColumn { kOpcode, kName, kData, kSent, kTime, kShare, kShape, kGroups, kRule };
constexpr int kPlace = Qt::UserRole;       // of a row: its place among the module's collectives
constexpr int kNumber = Qt::UserRole + 1;  // of a cell that is sorted as a number
constexpr size_t kMostCollectives = 5000;  // collectives; the file has all of them
constexpr int kWidestGroups = 26;          // letters; the tooltip has all of them

QString hlo_words(const std::string& text) {
  return QString::fromStdString(text);
}

QTreeWidget* hlo_table(const QList<TableColumn>& columns, const QString& name, bool opens) {
  auto* table = new QTreeWidget;
  set_columns(*table, columns);
  table->setUniformRowHeights(true);
  table->setAlternatingRowColors(true);
  table->setRootIsDecorated(opens);
  table->setAccessibleName(name);
  offer_copy(table);
  table->header()->setStretchLastSection(true);
  return table;
}

// Sorted by what a cell stands for, not by its text.
class HloCollectiveItem : public QTreeWidgetItem {
 public:
  using QTreeWidgetItem::QTreeWidgetItem;
  bool operator<(const QTreeWidgetItem& other) const override {
    const int column = treeWidget()->sortColumn();
    const QVariant mine = data(column, kNumber), others = other.data(column, kNumber);
    if (mine.isValid() && others.isValid()) return mine.toDouble() < others.toDouble();
    return text(column) < other.text(column);
  }
};

// A sharding of one of XLA's messages, as all shardings are shown.
QString sharding_in_message(const std::string& text, const Program& program) {
  const auto parsed = HloSharding::parse(text);
  return hlo_words(parsed.ok() ? sharding_text(*parsed, program.mesh, parsed->data_rank()) : text);
}

// Those that are listed, in program order: of very many the ones that matter most for the time.
std::vector<size_t> listed(const std::vector<ModuleCollective>& all) {
  std::vector<size_t> out(all.size());
  for (size_t k = 0; k < out.size(); ++k) out[k] = k;
  if (out.size() <= kMostCollectives) return out;
  std::ranges::stable_sort(out, std::greater(), [&](size_t k) {
    return std::pair(all[k].critical_share.value_or(0), all[k].time.value_or(0));
  });
  out.resize(kMostCollectives);
  std::ranges::sort(out);
  return out;
}

QString share_text(const std::optional<double>& share) {
  return share ? QString("%1 %").arg(*share * 100, 0, 'f', *share < 0.1 ? 1 : 0) : QString("–");
}

QString rounds_text(const ModuleCollective& c) {
  return c.rounds > 1 ? QString(" × %1").arg(c.rounds) : QString();
}

// SentenceList below a table: as high as they are where there is room, else two lines and a bar to scroll.
class SentenceList : public QScrollArea {
 public:
  SentenceList(std::initializer_list<QWidget*> said, QWidget* parent) : QScrollArea(parent) {
    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    for (QWidget* each : said) layout->addWidget(each);
    setWidget(content);
    setWidgetResizable(true);
    setFocusPolicy(Qt::NoFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
  }
  QSize sizeHint() const override {
    const QLayout& said = *widget()->layout();
    return {0, said.isEmpty() ? 0 : std::max(0, said.heightForWidth(viewport()->width()))};
  }
  QSize minimumSizeHint() const override {
    return {0, std::min(sizeHint().height(), 3 * fontMetrics().lineSpacing())};
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (watched == widget() && event->type() == QEvent::LayoutRequest) updateGeometry();
    return QScrollArea::eventFilter(watched, event);
  }
  void resizeEvent(QResizeEvent* event) override {
    QScrollArea::resizeEvent(event);
    if (event->oldSize().width() != event->size().width()) updateGeometry();
  }
};

// Its pages scroll: none asks for the height that its wrapped text would like.
class TableTabs : public QTabWidget {
 public:
  using QTabWidget::QTabWidget;
  bool hasHeightForWidth() const override { return false; }
};

constexpr int kLeastRows = 3;  // of a table, whatever is said below it

}  // namespace

HloTables::HloTables(QWidget* parent)
    : QWidget(parent),
      tabs_(new TableTabs(this)),
      collectives_(hlo_table({{"opcode", "Kind of collective"_tr},
                              {"name"_tr, "Instruction in the partitioned program; ×: rounds of its loop"_tr},
                              {"data"_tr, "Bytes of the array, once"_tr},
                              {"sent by a device"_tr, "Bytes that a device sends by the algorithm chosen"_tr},
                              {"time"_tr, "Simulated time from its first to its last transfer"_tr},
                              {"critical"_tr, "Share of the critical path"_tr},
                              {"shape"_tr, "Shape of its result on a device"_tr},
                              {"groups"_tr, "Devices that take part together"_tr},
                              {"rule"_tr, "Rule of the partitioner that put it in"_tr}},
                             "Collectives of the module"_tr, false)),
      warnings_(hlo_table({{"warning", "What the partitioner had to do, with its instructions"_tr},
                           {"what to do"_tr, "A sharding or a size that avoids it"_tr}},
                          "Warnings of the partitioner"_tr, true)),
      memory_(
          hlo_table({{"size", "Bytes on a device"_tr}, {"array"_tr, "The instruction whose result it is"_tr}},
                    "Largest arrays"_tr, true)),
      why_(new QLabel(this)),
      alternative_(new HloAlternative(this)) {
  for (const int c : {kData, kSent, kTime, kShare})
    collectives_->headerItem()->setTextAlignment(c, Qt::AlignRight | Qt::AlignVCenter);
  // In the program's order until a heading is clicked.
  collectives_->header()->setSortIndicator(-1, Qt::DescendingOrder);
  collectives_->header()->setSortIndicatorShown(true);
  collectives_->header()->setSectionsClickable(true);
  connect(collectives_->header(), &QHeaderView::sortIndicatorChanged, collectives_, &QTreeWidget::sortItems);
  collectives_->setToolTip(
      "Select a row: its lines are marked, and the sentences below say why it is there and what the module "
      "would cost without it. A click on a heading sorts"_tr);
  memory_->setToolTip("Sizes of single arrays as XLA logs them; what lives at once is the peak above"_tr);
  tabs_->setDocumentMode(true);
  tabs_->addTab(collectives_, "Collectives"_tr);
  tabs_->addTab(warnings_, "Warnings"_tr);
  tabs_->addTab(memory_, "Memory"_tr);
  why_->setProperty("role", "verdict");
  why_->setWordWrap(true);
  why_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  why_->setAccessibleName("Why"_tr);
  why_->hide();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(tabs_, 1);
  layout->addWidget(new SentenceList({why_, alternative_}, this));
  connect(collectives_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
    if (!filling_ && item != nullptr) Q_EMIT collectiveChosen(currentCollective());
  });
  connect(warnings_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
    const QString source = item == nullptr ? QString() : item->data(0, Qt::UserRole).toString();
    if (!filling_ && !source.isEmpty()) Q_EMIT instructionChosen(source);
  });
}

void HloTables::fitColumns() {
  for (QTreeWidget* each : {collectives_, warnings_, memory_}) fit_columns(*each);
  const int row = 2 * fontMetrics().lineSpacing();  // with what the style puts round it
  tabs_->setMinimumHeight(tabs_->tabBar()->sizeHint().height() + (1 + kLeastRows) * row);
}

void HloTables::setWhy(const QString& sentence) {
  why_->setText(sentence);
  why_->setVisible(!sentence.isEmpty());
}

int HloTables::currentCollective() const {
  const QTreeWidgetItem* item = collectives_->currentItem();
  return item == nullptr ? -1 : item->data(0, kPlace).toInt();
}

void HloTables::selectCollective(int collective) {
  if (collective == currentCollective()) return;
  filling_ = true;
  collectives_->setCurrentItem(nullptr);
  for (int row = 0; collective >= 0 && row < collectives_->topLevelItemCount(); ++row)
    if (collectives_->topLevelItem(row)->data(0, kPlace).toInt() == collective)
      collectives_->setCurrentItem(collectives_->topLevelItem(row));
  filling_ = false;
}

void HloTables::setModule(const ExplainedModule* explained) {
  filling_ = true;
  for (QTreeWidget* each : {collectives_, warnings_, memory_}) each->clear();
  setWhy("");
  if (explained != nullptr) {
    fillCollectives(*explained);
    fillWarnings(*explained);
    fillMemory(*explained);
  }
  fitColumns();
  const auto title = [&](int tab, const QString& name, int count) {
    tabs_->setTabText(tab, count > 0 ? QString("%1 (%2)").arg(name).arg(count) : name);
  };
  title(0, "Collectives"_tr, explained == nullptr ? 0 : static_cast<int>(explained->collectives.size()));
  title(1, "Warnings"_tr, warnings_->topLevelItemCount());
  filling_ = false;
}

void HloTables::fillCollectives(const ExplainedModule& explained) {
  QList<QTreeWidgetItem*> rows;
  for (const size_t place : listed(explained.collectives)) {
    const ModuleCollective& c = explained.collectives[place];
    auto* row = new HloCollectiveItem;
    rows << row;
    row->setData(0, kPlace, static_cast<int>(place));
    row->setData(kData, kNumber, static_cast<double>(c.origin.bytes));
    row->setData(kSent, kNumber, c.origin.bytes_sent * static_cast<double>(c.rounds));
    row->setData(kTime, kNumber, static_cast<double>(c.time.value_or(-1)));
    row->setData(kShare, kNumber, c.critical_share.value_or(-1));
    row->setText(kShare, share_text(c.critical_share));
    row->setToolTip(kShare,
                    "the part of the critical path's time that this collective is, of all its rounds"_tr);
    row->setText(kOpcode, hlo_words(c.opcode));
    row->setText(kName, hlo_words(c.display_name));
    const CollectiveVolume volume = explained.volume(c);
    row->setText(kData, hlo_words(format_bytes(volume.data)));
    row->setText(kSent, hlo_words(format_bytes(volume.sent)) + rounds_text(c));
    row->setText(kTime, c.time ? hlo_words(format_picoseconds(*c.time)) : QString("–"));
    row->setText(kShape, hlo_words(c.shape));
    const QString groups = hlo_words(c.groups);
    row->setText(kGroups, groups.size() > kWidestGroups ? groups.left(kWidestGroups - 1) + "…" : groups);
    row->setText(kRule, c.origin.rule.empty() ? "already in the module"_tr : hlo_words(c.origin.rule));
    for (const int column : {kData, kSent, kTime, kShare})
      row->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    row->setToolTip(kGroups, groups);
    row->setToolTip(kRule, Qt::convertFromPlainText(hlo_words(explained.reason(c))));
    for (const int column : {kData, kSent}) row->setToolTip(column, hlo_words(volume.text()));
    row->setToolTip(kTime, c.time
                               ? "from its first transfer's start to its last one's end, waiting for links "
                                 "included"_tr
                               : "not timed"_tr);
  }
  collectives_->addTopLevelItems(rows);
  const QHeaderView* header = collectives_->header();
  if (header->sortIndicatorSection() >= 0)
    collectives_->sortItems(header->sortIndicatorSection(), header->sortIndicatorOrder());
}

// One row per kind, its cases below.
void HloTables::fillWarnings(const ExplainedModule& explained) {
  if (explained.cut) {
    auto* row = new QTreeWidgetItem(warnings_, {hlo_words(say("the text is cut: {}", explained.cut->text())),
                                                "what stands before it is read"_tr});
    row->setToolTip(0, row->text(0));
  }
  if (explained.untimed) {
    new QTreeWidgetItem(warnings_, {hlo_words(say("not timed: {}", explained.untimed->what)),
                                    hlo_words(explained.untimed->fix)});
  }
  const auto partitioned = explained.partitioned();
  if (partitioned == nullptr) return;
  std::map<std::pair<std::string, std::string>, std::vector<const Rematerialization*>> kinds;
  for (const Rematerialization& r : partitioned->rematerializations) kinds[{r.from, r.to}].push_back(&r);
  for (const auto& [ends, cases] : kinds) {
    auto* kind =
        new QTreeWidgetItem(warnings_, {"full rematerialization, %1 → %2  ×%3"_tr
                                            .arg(sharding_in_message(ends.first, *explained.program()),
                                                 sharding_in_message(ends.second, *explained.program()))
                                            .arg(cases.size()),
                                        hlo_words(cases.front()->suggestion)});
    for (const Rematerialization* r : cases) {
      auto* row = new QTreeWidgetItem(kind, {hlo_words(r->message), hlo_words(r->suggestion)});
      row->setData(0, Qt::UserRole, hlo_words(r->instruction));
      row->setToolTip(0, Qt::convertFromPlainText(row->text(0)));
      row->setToolTip(1, Qt::convertFromPlainText(row->text(1)));
    }
    kind->setData(0, Qt::UserRole, hlo_words(cases.front()->instruction));
    kind->setToolTip(0, Qt::convertFromPlainText(hlo_words(cases.front()->message)));
    kind->setToolTip(1, Qt::convertFromPlainText(kind->text(1)));
  }
}

void HloTables::fillMemory(const ExplainedModule& explained) {
  const auto partitioned = explained.partitioned();
  if (partitioned == nullptr) return;
  const SpmdLog& log = partitioned->log;
  const auto group = [&](const QString& title, const std::vector<MemoryLine>& lines) {
    auto* head = new QTreeWidgetItem(memory_, {title, ""});
    head->setFirstColumnSpanned(true);
    for (const MemoryLine& line : lines) {
      auto* row = new QTreeWidgetItem(
          head, {hlo_words(format_bytes(static_cast<double>(line.bytes))), hlo_words(line.text)});
      row->setTextAlignment(0, Qt::AlignRight | Qt::AlignVCenter);
      QStringList created{row->text(1)};
      for (const std::string& one : line.created) created << hlo_words(one);
      row->setToolTip(1, Qt::convertFromPlainText(created.join('\n')));
    }
    head->setExpanded(true);
  };
  group("largest arrays before partitioning"_tr, log.before);
  group("after, on each device"_tr, log.after);
  group("added by the partitioner"_tr, log.during);
}

QString collectives_csv(const ExplainedModule& explained) {
  QString out =
      "opcode,name,shape,groups,bytes_sent_per_device,rounds,time_s,critical_share,rule,operand,instruction,"
      "from,to,source_"
      "line,bytes,bytes_moved,algorithm\n";
  for (const ModuleCollective& c : explained.collectives) {
    out += csv_line({hlo_words(c.opcode), hlo_words(c.origin.name), hlo_words(c.shape), hlo_words(c.groups),
                     QString::number(c.origin.bytes_sent, 'g', 15), QString::number(c.rounds),
                     c.time ? QString::number(to_seconds(*c.time), 'g', 12) : QString(),
                     c.critical_share ? QString::number(*c.critical_share, 'g', 12) : QString(),
                     hlo_words(c.origin.rule), hlo_words(c.origin.operand), hlo_words(c.origin.instruction),
                     hlo_words(c.origin.from), hlo_words(c.origin.to), hlo_words(c.origin.source_line),
                     QString::number(c.origin.bytes), QString::number(explained.volume(c).moved, 'g', 15),
                     hlo_words(c.origin.algorithm)});
  }
  return out;
}

}  // namespace shardscope::inline window
