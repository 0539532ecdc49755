// SPDX-License-Identifier: Apache-2.0
#include "app/window/studies/atlas_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "engine/base/text.h"
#include "engine/help/topics.h"

namespace shardscope {
namespace {

QLineEdit* field(const QString& text, const QString& name, const QString& tip, int letters, QWidget* parent) {
  auto* out = new QLineEdit(text, parent);
  out->setAccessibleName(name);
  out->setToolTip(tip);
  out->setMaximumWidth(out->fontMetrics().averageCharWidth() * letters);
  return out;
}

}  // namespace

AtlasPanel::AtlasPanel(QWidget* parent)
    : QWidget(parent),
      mesh_(field("x=2,y=4", "Mesh of the atlas"_tr, "Axes of the mesh, up to three: x=2,y=4"_tr, 16, this)),
      sizes_(field("4096,4096,4096", "Sizes of the product"_tr, "m, k and n of X[m,k] W[k,n]"_tr, 20, this)),
      chip_(field("tpu-v5e", "Chip of the atlas"_tr, "A built-in chip's name or a chip's file"_tr, 14, this)),
      of_(choice("What the atlas shows"_tr, {"time"_tr, "bytes"_tr, "memory"_tr})),
      who_(choice("Whose ways the atlas shows"_tr, {"the fastest"_tr, "XLA's"_tr, "Shardy's"_tr})),
      result_choice_(choice("Sharding of the result"_tr, {"best"_tr})),
      job_(new JobBar("Compute"_tr, this)),
      chart_(new PictureCanvas(spoken(help_topic("atlas").shows), this)) {
  setObjectName("Atlas");
  chart_->setAccessibleName("Shardings of X by shardings of W"_tr);
  chart_->setTooltip([this](const ItemId& item) { return words(item); });
  auto* line = new QHBoxLayout;
  line->setContentsMargins(8, 6, 8, 6);
  line->setSpacing(8);
  for (QWidget* each : std::initializer_list<QWidget*>{mesh_, sizes_, chip_, of_, who_, result_choice_})
    line->addWidget(each);
  line->addWidget(job_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(line);
  layout->addWidget(chart_, 1);
  for (QLineEdit* each : {mesh_, sizes_, chip_})
    connect(each, &QLineEdit::returnPressed, this, &AtlasPanel::run);
  connect(chart_, &PictureCanvas::activated, this, &AtlasPanel::open);
  connect(job_, &JobBar::startRequested, this, &AtlasPanel::run);
  connect(job_, &JobBar::cancelRequested, this, [this] { work_.stop(); });
}

QComboBox* AtlasPanel::choice(const QString& name, const QStringList& words) {
  auto* out = new QComboBox(this);
  out->addItems(words);
  out->setAccessibleName(name);
  out->setToolTip(name);
  out->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  connect(out, &QComboBox::currentIndexChanged, this, [this] { draw(); });
  return out;
}

Result<AtlasQuestion> AtlasPanel::question() const {
  AtlasQuestion out;
  TRY(out.mesh, Mesh::parse(mesh_->text().trimmed().toStdString()));
  const std::vector<std::string> sizes = split(sizes_->text().toStdString(), ',');
  std::vector<int64_t> read;
  for (const std::string& size : sizes)
    if (const auto number = parse_int(trim(size)); number && *number > 0) read.push_back(*number);
  if (sizes.size() != 3 || read.size() != 3)
    return invalid("expected three sizes, got '" + sizes_->text().toStdString() + "'", "sizes",
                   "write m, k and n as in 4096,4096,4096");
  out.m = read[0];
  out.k = read[1];
  out.n = read[2];
  TRY(out.hardware, find_hardware(chip_->text().trimmed().toStdString()));
  return out;
}

void AtlasPanel::run() {
  if (job_->busy()) return;
  const auto asked = question();
  if (!asked.ok()) return job_->end(in_window(asked.error()), true);
  job_->begin();
  const QString meanwhile = "partitioning every sharding"_tr;
  job_->setProgress(meanwhile, 0);
  work_.startReporting(
      [this, meanwhile, question = *asked](std::stop_token stop, auto post) {
        const Workers workers(0);
        return make_atlas(question, workers, stop, [this, meanwhile, post](double part) {
          post([this, meanwhile, part] { job_->setProgress(meanwhile, part); });
        });
      },
      [this, question = *asked](const Result<Atlas>& made) {
        if (!made.ok()) {
          const bool cancelled = made.error().kind == ErrorKind::cancelled;
          const QString reason = in_window(made.error());
          job_->end(cancelled ? "Cancelled."_tr : reason, !cancelled);
          if (!cancelled) chart_->setMessage(reason, true);
          return;
        }
        result_ = std::make_shared<const Atlas>(*made);
        asked_ = question;
        specs_.clear();
        const QSignalBlocker quiet(result_choice_);
        while (result_choice_->count() > 1) result_choice_->removeItem(1);
        for (const AxisSplit& split : made->splits) {
          specs_.push_back(split_text(split, asked_.mesh));
          result_choice_->addItem(QString::fromStdString(specs_.back()));
        }
        draw();
        job_->end("%1 shardings of the three arrays"_tr.arg(made->triples.size()));
      });
}

AtlasView AtlasPanel::view() const {
  AtlasView out{static_cast<AtlasView::Of>(of_->currentIndex()),
                static_cast<AtlasView::Who>(who_->currentIndex()), std::nullopt};
  if (result_choice_->currentIndex() > 0)
    out.result = static_cast<size_t>(result_choice_->currentIndex() - 1);
  return out;
}

void AtlasPanel::draw() {
  if (result_ == nullptr) return;
  chart_->setPicture([shown = result_, specs = specs_, of = view()](const Selection&, const Canvas& canvas) {
    return layout_atlas(*shown, specs, of, canvas);
  });
}

QStringList AtlasPanel::words(const ItemId& item) const {
  if (result_ == nullptr || item.kind != ItemId::Kind::candidate) return {};
  const size_t n = specs_.size(), cell = static_cast<size_t>(item.index);
  const AtlasTriple& t = shown_triple(*result_, view(), cell / n, cell % n);
  const auto way = [](const QString& who, const AtlasWay& w) {
    return "%1: %2, %3"_tr.arg(
        who, QString::fromStdString(format_picoseconds(w.time)),
        w.collectives.empty() ? "no collective"_tr : QString::fromStdString(join(w.collectives, ", ")));
  };
  return {
      "X %1, W %2, Y %3"_tr.arg(QString::fromStdString(specs_[t.lhs]), QString::fromStdString(specs_[t.rhs]),
                                QString::fromStdString(specs_[t.result])),
      "fastest: %1"_tr.arg(QString::fromStdString(t.strategy)), way("XLA", t.xla), way("Shardy", t.shardy)};
}

void AtlasPanel::open(const ItemId& item) {
  if (result_ == nullptr || item.kind != ItemId::Kind::candidate) return;
  const size_t n = specs_.size(), cell = static_cast<size_t>(item.index);
  const AtlasTriple& t = shown_triple(*result_, view(), cell / n, cell % n);
  const auto& splits = result_->splits;
  Q_EMIT moduleRequested(
      QString::fromStdString(atlas_module(asked_, splits[t.lhs], splits[t.rhs], splits[t.result])),
      "product.mlir");
}

}  // namespace shardscope
