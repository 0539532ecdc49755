// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/recorder.h"

#include <algorithm>

#include "engine/run/trace_order.h"
#include "engine/trace/event_numbers.h"
#include "engine/trace/run_columns.h"

namespace shardscope {
namespace {

constexpr size_t kPrefetch = 12;           // events
constexpr int64_t kRowsPerBatch = 65'536;  // about 30 ms: nobody waits longer for the file

int kind_code(const Event& event) {
  return static_cast<int>(event.kind) + (event.relayed ? 4 : 0);
}

}  // namespace

Recorder::Recorder(const Database& db, int64_t id, const Run& run, std::function<bool()> go_on)
    : db_(db), id_(id), run_(run), timeline_(run.timeline), go_on_(std::move(go_on)) {}

Result<void> Recorder::record() {
  share();
  TRY(auto rows, RowPages::of(db_, "event"));
  rows_.emplace(std::move(rows));
  TRY(auto first_batch, Transaction::begin(db_));
  batch_.emplace(std::move(first_batch));
  TRY_VOID(insert_frame());
  TRY_VOID(insert_lanes());
  TRY_VOID(insert_events());
  TRY_VOID(insert_numbers());
  TRY_VOID(insert_permutations());
  TRY_VOID(insert_pyramids());
  TRY_VOID(insert_memory());
  TRY_VOID(insert_path_and_steps());
  TRY_VOID(db_.run("UPDATE run SET status = ?, writer = NULL WHERE id = ?", name(run_.status), id_));
  return batch_->commit();
}

Result<void> Recorder::next_batch() {
  if (batch_) TRY_VOID(batch_->commit());
  batch_.reset();
  if (!go_on_()) return cancelled("recording stopped");
  TRY(auto next, Transaction::begin(db_));
  batch_.emplace(std::move(next));
  return {};
}

const Event& Recorder::event(int32_t device, size_t place) const {
  return timeline_.events[static_cast<size_t>(order(device).numbers[place])];
}

void Recorder::share() {
  by_lane_ = events_by_lane(timeline_);
  buffers_ = buffers_by_device(timeline_);
  groups_ = share_events(timeline_, by_lane_);
  if (groups_.size() < by_lane_.size()) chunk_moduli_ = chunk_moduli(timeline_);
  memory_groups_ = share_memory(timeline_, buffers_);
  for (size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].size() == 1) continue;
    const size_t places = order(groups_[g].front()).numbers.size();
    for (size_t place = 0; place < places; ++place) encode(g, place);
    if (sharing_pays()) continue;
    groups_ = share_nothing(timeline_.devices);
    permutations_ = {};
    return;
  }
}

// Not with equal times but no pattern in who talks to whom. A row of `event` takes about four times the bytes
// of one of `permutation` and its index.
bool Recorder::sharing_pays() const {
  size_t saved = 0;
  for (const auto& group : groups_) saved += (group.size() - 1) * order(group.front()).numbers.size();
  return permutations_.rows().size() <= 4 * saved;
}

Recorder::Encoded Recorder::encode(size_t group, size_t place) {
  const std::vector<int32_t>& devices = groups_[group];
  const auto shared = [&](int64_t modulus, const auto& value_of) {
    scratch_.clear();
    for (const int32_t device : devices) scratch_.push_back(value_of(device));
    return permutations_.encode(static_cast<int64_t>(group), devices, scratch_, modulus);
  };
  const Event& first = event(devices.front(), place);
  if (devices.size() == 1)
    return {
        {order(devices.front()).numbers[place], {}}, {first.peer, {}}, {first.chunk, {}}, {first.cause, {}}};
  const auto events = static_cast<int64_t>(timeline_.events.size());
  const int64_t chunks = first.chunk < 0 ? 1 : chunk_moduli_.at(first.instruction);
  return {shared(events, [&](int32_t d) { return order(d).numbers[place]; }),
          shared(timeline_.devices, [&](int32_t d) { return event(d, place).peer; }),
          shared(chunks, [&](int32_t d) { return event(d, place).chunk; }),
          shared(events, [&](int32_t d) { return event(d, place).cause; })};
}

Result<void> Recorder::insert_frame() {
  TRY_VOID(insert_numerics(db_, id_, run_.numerics));
  TRY_VOID(insert_instructions(db_, id_, run_.program));
  TRY_VOID(insert_device_totals(db_, id_, timeline_));
  const auto first_of = [&](const DeviceGroups& groups) {
    std::vector<int32_t> first(static_cast<size_t>(timeline_.devices));
    for (const auto& group : groups)
      for (const int32_t device : group) first[static_cast<size_t>(device)] = group.front();
    return first;
  };
  const std::vector<int32_t> timelines = first_of(groups_), memories = first_of(memory_groups_);
  TRY(Statement insert, db_.prepare("INSERT INTO device_timeline VALUES (?, ?, ?, ?)"));
  for (size_t device = 0; device < timelines.size(); ++device) {
    insert.bind_all(id_, static_cast<int64_t>(device), timelines[device], memories[device]);
    TRY_VOID(insert.run());
  }
  return {};
}

// Also reserves the rows of the events: the transaction sees all reservations of other programs.
Result<void> Recorder::insert_lanes() {
  TRY(first_event_, db_.integer("SELECT coalesce(max(first_event + event_count), 1) FROM lane"));
  TRY(Statement insert, db_.prepare("INSERT INTO lane VALUES (?, ?, ?, ?, ?, ?, ?, ?)"));
  next_event_ = first_event_;
  int64_t row = first_event_;
  for (const auto& group : groups_) {
    const int32_t device = group.front();
    for (const LaneStretch& lane : order(device).lanes) {
      const auto size = static_cast<int64_t>(lane.end - lane.begin);
      insert.bind_all(id_, device, lane.lane, timeline_.lanes[static_cast<size_t>(lane.lane)].name, row, size,
                      lane.longest, lane.serial);
      TRY_VOID(insert.run());
      row += size;
    }
  }
  return next_batch();
}

Result<void> Recorder::insert_events() {
  for (size_t g = 0; g < groups_.size(); ++g) {
    const int32_t device = groups_[g].front();
    const size_t count = order(device).numbers.size();
    for (size_t place = 0; place < count; ++place) {
      // Neighbours on a lane stand far apart in memory.
      if (place + kPrefetch < count) __builtin_prefetch(&event(device, place + kPrefetch));
      add_row(event(device, place), encode(g, place));
      if (rows_->rows() == kRowsPerBatch) TRY_VOID(insert_rows());
    }
  }
  return rows_->rows() > 0 ? insert_rows() : Result<void>();
}

// The columns of `event` in their order.
void Recorder::add_row(const Event& e, const Encoded& n) {
  rows_->begin(next_event_++);
  for (const int64_t value : {e.start, e.end, int64_t{kind_code(e)}, int64_t{e.instruction}, int64_t{e.step},
                              int64_t{e.transfer_step}, int64_t{e.chunk_count}, e.bytes})
    rows_->add(value);
  rows_->add_real(e.flops);
  for (const SharedNumber* number : {&n.number, &n.peer, &n.chunk, &n.cause}) {
    rows_->add(number->offset);
    if (number->permutation)
      rows_->add(*number->permutation);
    else
      rows_->add_null();
  }
  rows_->end();
}

Result<void> Recorder::insert_rows() {
  TRY_VOID(batch_->commit());
  batch_.reset();
  TRY_VOID(rows_->show());
  TRY_VOID(next_batch());
  TRY_VOID(db_.execute("INSERT INTO main.event SELECT * FROM made.event"));
  return next_batch();
}

Result<void> Recorder::insert_numbers() {
  std::vector<int32_t> row_of(timeline_.events.size(), -1);
  int32_t row = 0;
  for (const auto& group : groups_)
    for (const int32_t number : order(group.front()).numbers) row_of[static_cast<size_t>(number)] = row++;
  TRY(Statement insert, db_.prepare("INSERT INTO event_number VALUES (?, ?, ?)"));
  std::vector<NumberedRow> piece;
  for (size_t number = 0; number < row_of.size(); ++number) {
    if (row_of[number] >= 0) piece.push_back({static_cast<int32_t>(number), row_of[number]});
    if (piece.empty() || (piece.size() < kNumbersPerPiece && number + 1 < row_of.size())) continue;
    insert.bind_all(id_, piece.front().number);
    insert.bind_blob(2, numbers_blob(piece));
    TRY_VOID(insert.run());
    piece.clear();
  }
  return next_batch();
}

Result<void> Recorder::insert_permutations() {
  const std::vector<PermutationRow>& rows = permutations_.rows();
  TRY(Statement insert, db_.prepare("INSERT INTO permutation VALUES (?, ?, ?, ?, ?)"));
  for (size_t i = 0; i < rows.size(); ++i) {
    insert.bind_all(id_, rows[i].id, rows[i].device, rows[i].value, rows[i].modulus);
    TRY_VOID(insert.run());
    if ((i + 1) % kRowsPerBatch == 0) TRY_VOID(next_batch());
  }
  return {};
}

Result<void> Recorder::insert_path_and_steps() {
  TRY(Statement critical, db_.prepare("INSERT INTO critical_event VALUES (?, ?, ?, ?, ?, ?)"));
  const std::vector<int32_t>& path = timeline_.critical_path.events;
  for (size_t i = 0; i < path.size(); ++i) {
    const Event& e = timeline_.events[static_cast<size_t>(path[i])];
    const EventOrder& device = order(e.device);
    const auto lane = std::find_if(device.lanes.begin(), device.lanes.end(),
                                   [&](const LaneStretch& stretch) { return stretch.lane == e.lane; });
    const auto begin = device.numbers.begin() + static_cast<std::ptrdiff_t>(lane->begin);
    const auto end = device.numbers.begin() + static_cast<std::ptrdiff_t>(lane->end);
    const auto place = std::lower_bound(begin, end, path[i]);
    critical.bind_all(id_, static_cast<int64_t>(i), path[i], e.device, int{e.lane},
                      static_cast<int64_t>(place - begin));
    TRY_VOID(critical.run());
  }
  TRY(Statement insert, db_.prepare("INSERT INTO step VALUES (?, ?, ?, ?, ?, ?)"));
  const std::vector<TraceSource::Step> steps = trace_steps(timeline_.events);
  for (size_t i = 0; i < steps.size(); ++i) {
    insert.bind_all(id_, static_cast<int64_t>(i), steps[i].step, steps[i].transfer_step, steps[i].range.start,
                    steps[i].range.end);
    TRY_VOID(insert.run());
  }
  return {};
}

}  // namespace shardscope
