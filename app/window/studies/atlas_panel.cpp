// SPDX-License-Identifier: Apache-2.0
#include "app/window/studies/atlas_panel.h"

#include <QEvent>
#include <QVBoxLayout>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/flow_layout.h"
#include "app/window/widgets/form_parts.h"
#include "engine/base/text.h"
#include "engine/help/topics.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline window {
namespace {

constexpr int kSliderPauseMs = 120;                    // of a slider that is being dragged
constexpr int64_t kLeastLine = 64, kMostLine = 65536;  // sizes of a line, by doubling

// A field for that many letters, whatever size they have.
class ShortField : public QLineEdit {
 public:
  ShortField(const QString& text, int letters, QWidget* parent) : QLineEdit(text, parent), letters_(letters) {
    fit();
  }

 protected:
  void changeEvent(QEvent* event) override {
    QLineEdit::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) fit();
  }

 private:
  void fit() { setMaximumWidth(fontMetrics().averageCharWidth() * letters_); }
  int letters_;
};

QLineEdit* field(const QString& text, const QString& name, const QString& tip, int letters, QWidget* parent) {
  auto* out = new ShortField(text, letters, parent);
  out->setAccessibleName(name);
  out->setToolTip(tip);
  return out;
}

QStringList way_words(const AtlasTriple& t, const std::vector<std::string>& specs) {
  const auto spec = [&](size_t split) { return QString::fromStdString(specs[split]); };
  const auto way = [](const QString& who, const AtlasWay& w) {
    return "%1: %2, %3"_tr.arg(
        who, QString::fromStdString(format_picoseconds(w.time)),
        w.collectives.empty() ? "no collective"_tr : QString::fromStdString(join(w.collectives, ", ")));
  };
  return {"X %1, W %2, Y %3"_tr.arg(spec(t.lhs), spec(t.rhs), spec(t.result)),
          QString::fromStdString(case_words(t.which)),
          "fastest: %1"_tr.arg(QString::fromStdString(t.strategy)),
          way("XLA", t.xla),
          way("Shardy", t.shardy),
          "A click draws where its ways cross over, a double click opens it as a module"_tr};
}

}  // namespace

AtlasPanel::AtlasPanel(QWidget* parent)
    : QWidget(parent),
      mesh_(field("x=2,y=4", "Mesh of the atlas"_tr, "Axes of the mesh, up to three: x=2,y=4"_tr, 16, this)),
      sizes_(field("4096,4096,4096", "Sizes of the product"_tr, "m, k and n of X[m,k] W[k,n]"_tr, 20, this)),
      chip_(field("tpu-v5e", "Chip of the atlas"_tr, "A built-in chip's name or a chip's file"_tr, 14, this)),
      of_(choice("What the atlas shows"_tr, {"time"_tr, "bytes"_tr, "memory"_tr})),
      who_(choice("Whose ways the atlas shows"_tr, {"the fastest"_tr, "XLA's"_tr, "Shardy's"_tr})),
      along_(choice("Size along which ways cross over"_tr, {"along m"_tr, "along k"_tr, "along n"_tr})),
      job_(new JobBar("Compute"_tr, this)),
      pictures_(new QSplitter(Qt::Horizontal, this)),
      chart_(new PictureCanvas(spoken(help_topic("atlas").shows), this)),
      curves_(new PictureCanvas("A click on a place of the map draws where its ways cross over"_tr, this)) {
  setObjectName("Atlas");
  for (size_t k = 0; k < 3; ++k) {
    const QString size = QStringList{"m", "k", "n"}[static_cast<qsizetype>(k)];
    sliders_[k] = new SizeSlider(
        size, "Times all shardings again at another size; rings mark where another way is the fastest"_tr,
        this);
    const QString array = QStringList{"X", "W", "Y"}[static_cast<qsizetype>(k)];
    pins_[k] = choice("Sharding of %1"_tr.arg(array), {k == 2 ? "Y: best"_tr : "%1: any"_tr.arg(array)});
  }
  chart_->setAccessibleName("Shardings of X by shardings of W"_tr);
  chart_->setTooltip([this](const ItemId& item) {
    const AtlasTriple* t = at(item);
    return t == nullptr ? QStringList() : way_words(*t, specs_);
  });
  curves_->setAccessibleName("Where ways cross over"_tr);
  curves_->setObjectName("Atlas crossovers");
  curves_->hide();
  pause_.setSingleShot(true);
  pause_.setInterval(kSliderPauseMs);
  layOut();
  connectParts();
}

void AtlasPanel::layOut() {
  auto* form = new QWidget(this);
  auto* flow = new FlowLayout(form, 8);
  flow->setContentsMargins(8, 6, 8, 4);
  for (QWidget* each :
       std::initializer_list<QWidget*>{mesh_, sizes_, chip_, sliders_[0], sliders_[1], sliders_[2], of_, who_,
                                       pins_[0], pins_[1], pins_[2], along_})
    flow->addWidget(each);
  pictures_->addWidget(chart_);
  pictures_->addWidget(curves_);
  pictures_->setStretchFactor(0, 3);
  pictures_->setStretchFactor(1, 2);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(form);
  layout->addWidget(job_);
  layout->addWidget(pictures_, 1);
  job_->setContentsMargins(8, 0, 8, 4);
}

void AtlasPanel::connectParts() {
  for (QLineEdit* each : {mesh_, sizes_, chip_})
    connect(each, &QLineEdit::returnPressed, this, &AtlasPanel::run);
  for (SizeSlider* each : sliders_) {
    connect(each, &SizeSlider::moved, &pause_, qOverload<>(&QTimer::start));
    each->setSize(4096);
  }
  connect(&pause_, &QTimer::timeout, this, [this] {
    sizes_->setText(
        QString("%1,%2,%3").arg(sliders_[0]->size()).arg(sliders_[1]->size()).arg(sliders_[2]->size()));
    start(first_ == nullptr);
  });
  connect(chart_, &PictureCanvas::activated, this, &AtlasPanel::open);
  connect(chart_, &PictureCanvas::chosen, this, &AtlasPanel::cross);
  connect(along_, &QComboBox::activated, this, [this] { cross(chart_->selected()); });
  connect(job_, &JobBar::startRequested, this, &AtlasPanel::run);
  connect(job_, &JobBar::cancelRequested, this, [this] { work_.stop(); });
}

void AtlasPanel::setTheme(const Theme& theme) {
  chart_->setTheme(theme);
  curves_->setTheme(theme);
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
  if (!job_->busy()) start(true);
}

// A newer question takes the older one's place.
void AtlasPanel::start(bool anew) {
  const auto asked = question();
  if (!asked.ok()) return job_->end(in_window(asked.error()), true);
  for (size_t k = 0; k < 3; ++k) sliders_[k]->setSize(std::array{asked->m, asked->k, asked->n}[k]);
  if (!job_->busy()) job_->begin();
  const QString meanwhile = "partitioning every sharding"_tr;
  job_->setProgress(meanwhile, 0);
  work_.startReporting(
      [this, meanwhile, question = *asked](std::stop_token stop, auto post) {
        const Workers workers(0);
        return make_atlas(question, workers, stop, [this, meanwhile, post](double part) {
          post([this, meanwhile, part] { job_->setProgress(meanwhile, part); });
        });
      },
      [this, question = *asked, anew](const Result<Atlas>& made) { take(question, made, anew); });
}

void AtlasPanel::take(const AtlasQuestion& question, const Result<Atlas>& made, bool anew) {
  if (!made.ok()) {
    const bool cancelled = made.error().kind == ErrorKind::cancelled;
    const QString reason = in_window(made.error());
    job_->end(cancelled ? "Cancelled."_tr : reason, !cancelled);
    if (!cancelled && anew) chart_->setMessage(reason, true);
    return;
  }
  const bool same_mesh = first_ != nullptr && asked_.mesh == question.mesh;
  result_ = std::make_shared<const Atlas>(*made);
  asked_ = question;
  if (anew || !same_mesh) {
    first_ = result_;
    fillPins();
  }
  draw();
  QString said = "%1 of the three arrays"_tr.arg(counted_tr(std::ssize(made->triples), "sharding"));
  if (first_ != result_)
    said += "; " + QString::fromStdString(
                       say_count("{} place of the map has another fastest way than at the first sizes",
                                 "{} places of the map have another fastest way than at the first sizes",
                                 crossed_cells(*result_, *first_, view())));
  job_->end(said);
  if (line_) cross(chart_->selected());
}

void AtlasPanel::fillPins() {
  specs_.clear();
  for (const AxisSplit& split : result_->splits) specs_.push_back(split_text(split, asked_.mesh));
  for (size_t k = 0; k < 3; ++k) {
    const QSignalBlocker quiet(pins_[k]);
    while (pins_[k]->count() > 1) pins_[k]->removeItem(1);
    for (const std::string& spec : specs_)
      pins_[k]->addItem(QString("%1: %2").arg(QStringList{"X", "W", "Y"}[static_cast<qsizetype>(k)],
                                              QString::fromStdString(spec)));
  }
  chart_->select({});
  line_.reset();
  lines_.cancel();
  crossing_ = false;
  curves_->hide();
}

AtlasView AtlasPanel::view() const {
  AtlasView out{static_cast<AtlasView::Of>(of_->currentIndex()),
                static_cast<AtlasView::Who>(who_->currentIndex())};
  const auto pinned = [this](size_t array) {
    const int row = pins_[array]->currentIndex();
    return row > 0 ? std::optional(static_cast<size_t>(row - 1)) : std::nullopt;
  };
  out.lhs = pinned(0);
  out.rhs = pinned(1);
  out.result = pinned(2);
  return out;
}

void AtlasPanel::draw() {
  if (result_ == nullptr) return;
  const auto before = first_ == result_ ? nullptr : first_;
  chart_->setPicture(
      [shown = result_, specs = specs_, of = view(), before](const Selection&, const Canvas& canvas) {
        return layout_atlas(*shown, specs, of, canvas, before.get());
      });
}

const AtlasTriple* AtlasPanel::at(const ItemId& item) const {
  if (result_ == nullptr || item.kind != ItemId::Kind::candidate || item.index < 0) return nullptr;
  const AtlasGrid grid = atlas_grid(*result_, view());
  const auto cell = static_cast<size_t>(item.index);
  if (cell >= grid.rows * grid.columns) return nullptr;
  return &shown_triple(*result_, view(), cell / grid.columns, cell % grid.columns);
}

void AtlasPanel::open(const ItemId& item) {
  const AtlasTriple* t = at(item);
  if (t == nullptr) return;
  const auto& splits = result_->splits;
  Q_EMIT moduleRequested(
      QString::fromStdString(atlas_module(asked_, splits[t->lhs], splits[t->rhs], splits[t->result])),
      "product.mlir");
}

// How the ways of a place cross over as one of the sizes grows, the others as they are.
void AtlasPanel::cross(const ItemId& item) {
  const AtlasTriple* t = at(item);
  if (t == nullptr) return;
  const auto& splits = result_->splits;
  line_ = AtlasLine{splits[t->lhs],
                    splits[t->rhs],
                    splits[t->result],
                    static_cast<AtlasLine::Along>(along_->currentIndex()),
                    {}};
  for (int64_t size = kLeastLine; size <= kMostLine; size *= 2) line_->sizes.push_back(size);
  const QString title = way_words(*t, specs_).front();
  if (curves_->isHidden()) {
    curves_->show();
    pictures_->setSizes({3 * width() / 5, 2 * width() / 5});
  }
  curves_->setMessage("timing its ways at every size…"_tr, false);
  crossing_ = true;
  lines_.start([question = asked_,
                line = *line_](std::stop_token stop) { return atlas_crossovers(question, line, stop); },
               [this, title](const Result<CrossoverTable>& found) {
                 crossing_ = false;
                 if (!found.ok()) return curves_->setMessage(in_window(found.error()), true);
                 auto table = std::make_shared<CrossoverTable>(*found);
                 table->title = title.toStdString();
                 curves_->setPicture([table](const Selection& selection, const Canvas& canvas) {
                   return layout_crossover(*table, selection, canvas);
                 });
               });
}

}  // namespace shardscope::inline window
