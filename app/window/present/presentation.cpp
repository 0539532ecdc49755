// SPDX-License-Identifier: Apache-2.0
#include "app/window/present/presentation.h"

#include <QApplication>
#include <QScreen>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/document/language.h"
#include "app/window/present/presenter_window.h"
#include "app/window/settings/view_keys.h"
#include "app/window/widgets/form_parts.h"
#include "views/scene/story/presented_bands.h"

namespace shardscope::inline window {
namespace {

constexpr const char* kKeys = "key.present.";
constexpr int kLeastHeight = 240;  // of the picture whose size the texts go by

// Those that go with the moment, in the table's order.
QStringList moving_views() {
  QStringList out;
  for (const RunView& view : run_views()) {
    if (view.moves != RunView::Moves::nothing) out << view.id;
  }
  return out;
}

QWidget* make_blank(QWidget* over) {
  auto* blank = new QWidget(over);
  blank->setAutoFillBackground(true);
  QPalette black;
  black.setColor(QPalette::Window, Qt::black);
  blank->setPalette(black);
  blank->setStyleSheet("background: black;");
  blank->setAccessibleName("Blank: B shows the picture again"_tr);
  blank->hide();
  return blank;
}

}  // namespace

// What its keys do: the one door from a key's row to the window.
struct PresentationDeeds {
  using P = Presentation;
  static void step(P& p, void (Talk::*how)()) {
    if (p.blank()) return p.blank_->hide();
    (p.talk().*how)();
  }
  static void say(P& p, SentenceLevel level) { p.context_.preferences.setSentences(level); }
  // Not as an event of the application: the talk would hear it again, and whoever changed the canvas' key.
  static void toCanvas(P& p, Qt::Key key) {
    QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier);
    if (RunCanvas* canvas = p.canvas()) static_cast<QObject*>(canvas)->event(&event);
  }
  static void blank(P& p) { p.blank_->setVisible(!p.blank()), p.blank_->raise(); }
  static void spotlight(P& p) {
    p.stage().setSpotlight(p.spotlight_ = !p.spotlight_);
    if (p.pictures_ == nullptr) return;
    for (auto* canvas : p.pictures_->findChildren<RunCanvas*>()) canvas->setSpotlight(p.spotlight_);
  }
  static void notes(P& p) { p.notes_on_ = !p.notes_on_, p.arrange(); }
};

const std::map<QString, std::function<void(Presentation&)>>& Presentation::deeds() {
  using D = PresentationDeeds;
  using P = Presentation;
  static const std::map<QString, std::function<void(P&)>> kDeeds = {
      {"next", [](P& p) { D::step(p, &Talk::goOn); }},
      {"previous", [](P& p) { D::step(p, &Talk::goBack); }},
      {"first", [](P& p) { p.talk().goTo(0); }},
      {"last", [](P& p) { p.talk().goTo(p.talk().last()); }},
      {"play", [](P& p) { p.moments().play(!p.moments().playing()); }},
      {"moment_before", [](P& p) { p.moments().stepBy(-1); }},
      {"moment_after", [](P& p) { p.moments().stepBy(1); }},
      {"again", [](P& p) { p.talk().again(); }},
      {"faster", [](P& p) { p.moments().changeSpeed(1); }},
      {"slower", [](P& p) { p.moments().changeSpeed(-1); }},
      {"blank", D::blank},
      {"spotlight", D::spotlight},
      {"notes", D::notes},
      {"presenter", [](P& p) { p.openPresenter(); }},
      {"idea", [](P& p) { D::say(p, SentenceLevel::idea); }},
      {"moves", [](P& p) { D::say(p, SentenceLevel::moves); }},
      {"program", [](P& p) { D::say(p, SentenceLevel::program); }},
      {"canvas", [](P& p) { p.nextView(); }},
      {"zoom_in", [](P& p) { D::toCanvas(p, Qt::Key_W); }},
      {"zoom_out", [](P& p) { D::toCanvas(p, Qt::Key_S); }},
      {"left", [](P& p) { D::toCanvas(p, Qt::Key_A); }},
      {"right", [](P& p) { D::toCanvas(p, Qt::Key_D); }},
      {"up", [](P& p) { D::toCanvas(p, Qt::Key_Up); }},
      {"down", [](P& p) { D::toCanvas(p, Qt::Key_Down); }},
      {"fit", [](P& p) { D::toCanvas(p, Qt::Key_Home); }},
      {"leave", [](P& p) { p.close(); }},
  };
  return kDeeds;
}

Presentation::Presentation(const Context& context, std::unique_ptr<Talk> talk, const QString& dock)
    : QWidget(&context.window, Qt::Window),
      context_(context),
      talk_(std::move(talk)),
      stage_(new Stage(context, this)),
      pictures_(talk_->pictures(this)),
      head_(new Band(
          [this](const Canvas& canvas) {
            return layout_presented_head(subject().toStdString(), place().toStdString(), canvas);
          },
          this)),
      foot_(new Band(
          [this](const Canvas& canvas) { return layout_presented_foot(talk_->said().toStdString(), canvas); },
          this)),
      notes_(new Band(
          [this](const Canvas& canvas) { return layout_presented_foot(notes().toStdString(), canvas); },
          this)),
      blank_(make_blank(this)),
      own_(context.docks.find(dock) != nullptr ? dock : QString("ring")) {
  setAttribute(Qt::WA_DeleteOnClose);
  setObjectName("presentation");
  explained_by(this, "presenting");
  setFocusPolicy(Qt::StrongFocus);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(head_);
  layout->addWidget(stage_, 1);
  if (pictures_ != nullptr) layout->addWidget(pictures_, 1);
  stage_->setVisible(pictures_ == nullptr);
  layout->addWidget(foot_);
  layout->addWidget(notes_);
  since_.start();
  connect(talk_.get(), &Talk::changed, this, &Presentation::read);
  connect(&moments(), &Moments::changed, head_, &Band::invalidate);
  connect(&context_.preferences, &Preferences::lookChanged, this, &Presentation::arrange);
  qApp->installEventFilter(this);
  arrange();
}

Presentation::~Presentation() {
  delete presenter_;
}

// "Ring · step 3 of 12 · 2×".
QString Presentation::place() const {
  QStringList parts, out;
  for (const QString& id : stage_->shown()) parts << spoken(context_.docks.find(id)->row->title);
  if (!parts.isEmpty()) out << parts.join(" + ");
  if (talk_->last() > 0 && talk_->at() == 0) out << "before step 1 of %1"_tr.arg(talk_->last());
  if (talk_->at() > 0) out << "step %1 of %2"_tr.arg(talk_->at()).arg(talk_->last());
  if (const double speed = moments().speed(); speed != 1) out << QString("%1×").arg(speed);
  return out.join(" · ");
}

QString Presentation::subject() const {
  const QString own = talk_->subject();
  if (pictures_ != nullptr || !own.isEmpty()) return own;
  const ShownRunPtr& shown = context_.bench.clock().shown();
  return shown ? QString::fromStdString(presented_name(*shown->run)) : QString();
}

RunCanvas* Presentation::canvas() const {
  if (pictures_ == nullptr) return stage_->canvas();
  for (auto* canvas : pictures_->findChildren<RunCanvas*>())
    if (canvas->isVisibleTo(this)) return canvas;
  return nullptr;
}

QString Presentation::notes() const {
  if (!notes_on_) return {};
  const QString answer = talk_->answer();
  return answer.isEmpty() ? "Notes: %1"_tr.arg(talk_->note())
                          : "Notes: %1 Answer: %2"_tr.arg(talk_->note(), answer);
}

void Presentation::read() {
  const QString title = talk_->title();
  setWindowTitle(title.isEmpty() ? "Shardscope: presentation"_tr : title);
  if (pictures_ == nullptr) stage_->show(talk_->views().isEmpty() ? QStringList{own_} : talk_->views());
  // It grows and does not shrink: a picture that is the same from step to step stands still; one of a step's
  // own has the room that its step leaves.
  const Canvas canvas = foot_->canvas();
  if (pictures_ != nullptr) foot_height_ = 0;
  for (const QString& saying : talk_->sayings())
    foot_height_ = std::max(foot_height_, presented_foot_height(saying.toStdString(), canvas));
  foot_->setFixedHeight(static_cast<int>(std::ceil(foot_height_)));
  notes_->setVisible(notes_on_);
  notes_->setFixedHeight(static_cast<int>(std::ceil(presented_foot_height(notes().toStdString(), canvas))));
  head_->setFixedHeight(static_cast<int>(
      std::ceil(presented_head_height(subject().toStdString(), place().toStdString(), canvas))));
  for (Band* band : {head_, foot_, notes_}) band->invalidate();
}

// All sizes follow from the picture's height.
void Presentation::arrange() {
  const Theme theme =
      presented(context_.preferences.theme(), static_cast<float>(std::max(kLeastHeight, height())));
  for (Band* band : {head_, foot_, notes_}) {
    band->setTheme(theme);
    band->resize(width(), band->height());
  }
  stage_->setTheme(theme);
  talk_->setTheme(theme);
  blank_->setGeometry(rect());
  foot_height_ = 0;
  read();
}

void Presentation::nextView() {
  if (pictures_ != nullptr) return;  // the step says which
  const QStringList all = moving_views();
  own_ = all[(all.indexOf(own_) + 1) % all.size()];
  read();
}

PresenterWindow* Presentation::presenter() const {
  return static_cast<PresenterWindow*>(presenter_.data());
}

void Presentation::openPresenter(QScreen* screen) {
  if (presenter_ == nullptr) presenter_ = new PresenterWindow(*this, context_);
  if (screen != nullptr) presenter_->setGeometry(screen->availableGeometry());
  presenter_->show();
  presenter_->raise();
}

bool Presentation::press(const QKeySequence& key) {
  for (const KeyRow& row : view_keys()) {
    if (row.focus != "present" || !row.first.contains(key)) continue;
    deeds().at(row.id.mid(static_cast<qsizetype>(std::string_view(kKeys).size())))(*this);
    return true;
  }
  return false;
}

void Presentation::keyPressEvent(QKeyEvent* event) {
  if (!press(pressed(*event))) QWidget::keyPressEvent(event);
}

// Whatever has the focus: a field, a list that is open, another window. Esc leaves from everywhere; the other
// keys of the talk are heard over what is presented and over what the speaker reads.
bool Presentation::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride) return false;
  auto* key = static_cast<QKeyEvent*>(event);
  const bool press_now = event->type() == QEvent::KeyPress;
  if (key->key() == Qt::Key_Escape) {
    event->accept();
    if (press_now) close();
    return true;
  }
  const auto* at = qobject_cast<QWidget*>(watched);
  if (!press_now || at == nullptr || at == this || !isAncestorOf(at)) return false;
  return press(pressed(*key));
}

void Presentation::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

void Presentation::closeEvent(QCloseEvent* event) {
  qApp->removeEventFilter(this);
  if (presenter_ != nullptr) presenter_->close();
  stage_->show({});  // what is lent goes back now
  QWidget::closeEvent(event);
}

Presentation* present(const Context& context, std::unique_ptr<Talk> talk, const QString& dock) {
  for (auto* there : context.window.findChildren<Presentation*>(Qt::FindDirectChildrenOnly)) {
    if (!there->isVisible()) continue;
    there->raise();
    there->activateWindow();
    return there;
  }
  auto* made = new Presentation(context, std::move(talk), dock);
  QScreen* own = context.window.screen();
  const QList<QScreen*> screens = QGuiApplication::screens();
  const auto other = std::find_if(screens.begin(), screens.end(), [own](QScreen* s) { return s != own; });
  if (other != screens.end()) {
    made->setGeometry((*other)->geometry());
    made->openPresenter(own);
  }
  made->showFullScreen();
  made->activateWindow();
  made->setFocus();
  return made;
}

}  // namespace shardscope::inline window
