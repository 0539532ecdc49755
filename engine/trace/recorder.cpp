// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/recorder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/run/trace_order.h"
#include "engine/trace/blocks/event_numbers.h"
#include "engine/trace/run_columns.h"
#include "engine/trace/step_rows.h"

namespace shardscope::inline trace {
namespace {

constexpr int64_t kRowsPerBatch = 65'536;  // about 30 ms: nobody waits longer for the file
// Rows of one lane have more in common than those of several (GeneratedRows::append): worth a statement.
constexpr int64_t kRowsOfLane = kRowsPerBatch / 4;

// Of a run's events, from the first row; -1: a row that has another one's number.
std::vector<int32_t> rows_of_events(const DeviceGroups& groups, std::span<const LaneOrder> by_lane,
                                    size_t events) {
  std::vector<int32_t> row_of(events, -1);
  int32_t row = 0;
  for (const auto& group : groups)
    for (const int32_t number : by_lane[static_cast<size_t>(group.front())].numbers)
      row_of[static_cast<size_t>(number)] = row++;
  return row_of;
}

// Not with equal times but no pattern in who talks to whom. A row of `event` takes about four times the bytes
// of one of `permutation` and its index.
bool sharing_pays(const DeviceGroups& groups, std::span<const LaneOrder> by_lane,
                  const Permutations& permutations) {
  size_t saved = 0;
  for (const auto& group : groups)
    saved += (group.size() - 1) * by_lane[static_cast<size_t>(group.front())].numbers.size();
  return permutations.rows().size() <= 4 * saved;
}

}  // namespace

Recorder::Recorder(const Database& db, int64_t id, const Run& run, std::function<bool()> go_on)
    : db_(db), id_(id), run_(run), timeline_(run.timeline), go_on_(std::move(go_on)) {}

Result<void> Recorder::record() {
  share();
  TRY(rows_, GeneratedRows::of(db_, "event"));
  TRY(auto first_batch, Transaction::begin(db_));
  batch_.emplace(std::move(first_batch));
  TRY_VOID(insert_frame());
  TRY_VOID(insert_lanes());
  TRY_VOID(insert_events());
  TRY_VOID(insert_permutations());
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
    if (sharing_pays(groups_, by_lane_, permutations_)) continue;
    groups_ = share_nothing(timeline_.devices);
    permutations_ = {};
    return;
  }
}

SharedNumber Recorder::share_numbers(size_t group, int64_t modulus,
                                     const std::function<int64_t(int32_t)>& number_of) {
  scratch_.clear();
  for (const int32_t device : groups_[group]) scratch_.push_back(number_of(device));
  return permutations_.encode(static_cast<int64_t>(group), groups_[group], scratch_, modulus);
}

SharedNumber Recorder::number(size_t group, size_t place) {
  const int32_t first = groups_[group].front();
  if (groups_[group].size() == 1) return {order(first).numbers[place], {}};
  return share_numbers(group, static_cast<int64_t>(timeline_.events.size()),
                       [&](int32_t d) { return order(d).numbers[place]; });
}

EventNumbers Recorder::encode(size_t group, size_t place) {
  const Event& first = event(groups_[group].front(), place);
  if (groups_[group].size() == 1)
    return {number(group, place), {first.peer, {}}, {first.chunk, {}}, {first.cause, {}}};
  const int64_t chunks = first.chunk < 0 ? 1 : chunk_moduli_.at(first.instruction);
  return {number(group, place),
          share_numbers(group, timeline_.devices, [&](int32_t d) { return event(d, place).peer; }),
          share_numbers(group, chunks, [&](int32_t d) { return event(d, place).chunk; }),
          share_numbers(group, static_cast<int64_t>(timeline_.events.size()),
                        [&](int32_t d) { return event(d, place).cause; })};
}

Result<void> Recorder::insert_frame() {
  TRY_VOID(insert_numerics(db_, id_, run_.numerics));
  if (run_.steps) TRY_VOID(insert_steps(db_, id_, *run_.steps));
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
  if (first_event_ < 1 || first_event_ > kMaxRow)
    return io_error("the workspace is damaged: rows of its lanes", db_.path(),
                    "restore the file from a copy");
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
  rows_to_write_ = row - first_event_;
  return next_batch();
}

// Rows and level of detail in one walk: the way to an event is what costs most.
Result<void> Recorder::insert_events() {
  TRY_VOID(batch_->commit());
  batch_.reset();
  for (size_t g = 0; g < groups_.size(); ++g) {
    const LaneOrder& events = order(groups_[g].front());
    for (const LaneStretch& lane : events.lanes) {
      const std::span<const int32_t> numbers =
          std::span(events.numbers).subspan(lane.begin, lane.end - lane.begin);
      EventBins bins(numbers.size(), std::move(bins_));
      Picoseconds covered = 0;
      for (size_t place = 0; place < numbers.size(); ++place) {
        prefetch_lane(timeline_.events, numbers, place);
        const Event& event = timeline_.events[static_cast<size_t>(numbers[place])];
        bins.add(event);
        block_.add(event, encode(g, lane.begin + place));
        if (block_.size() < kEventsPerBlock && place + 1 < numbers.size()) continue;
        end_block(std::exchange(covered, bins.covered()));
        TRY_VOID(hand_over_from(kRowsPerBatch));
      }
      bins_ = bins.take();
      add_pyramid(g, lane, bins_);
      if (std::ssize(numbers) >= kRowsOfLane) TRY_VOID(hand_over_from(kRowsOfLane));
    }
  }
  steps_ = trace_steps(timeline_.events);
  make_numbers(rows_to_write_);
  TRY_VOID(hand_over(std::launch::deferred));
  TRY_VOID(wait_for_events());
  return next_batch();
}

// Numbers are made while rows are written, for the next batch: the first one waits for none.
Result<void> Recorder::hand_over_from(int64_t rows) {
  if (rows_->rows() < rows) return {};
  TRY_VOID(hand_over(std::launch::async));
  make_numbers(next_event_ - first_event_);
  return {};
}

void Recorder::make_numbers(int64_t written) {
  if (numbers_.numbers() == 0)
    numbers_ = NumberPieces(rows_of_events(groups_, by_lane_, timeline_.events.size()));
  const size_t rows = static_cast<size_t>(std::max<int64_t>(rows_to_write_, 1));
  numbers_.make(numbers_.numbers() * static_cast<size_t>(written) / rows, pieces_.numbers);
}

Result<void> Recorder::hand_over(std::launch how) {
  TRY_VOID(wait_for_events());
  if (!go_on_()) return cancelled("recording stopped");
  rows_->show();
  writing_ = std::async(how, [this, pieces = std::exchange(pieces_, {})] { return write_events(pieces); });
  return {};
}

Result<void> Recorder::wait_for_events() {
  return writing_.valid() ? writing_.get() : Result<void>();
}

Result<void> Recorder::write_events(const Pieces& pieces) {
  TRY(Transaction batch, Transaction::begin(db_));
  TRY_VOID(rows_->append());
  TRY_VOID(insert_pieces(pieces));
  return batch.commit();
}

void Recorder::end_block(Picoseconds covered) {
  pieces_.blocks.push_back({next_event_, static_cast<int64_t>(block_.size()),
                            block_.at(EventColumn::start, 0), covered, block_.drawn(), block_.others()});
  add_rows();
  block_.clear();
}

// The columns of `event` in their order.
void Recorder::add_rows() {
  using enum EventColumn;
  const size_t rows = block_.size();
  std::array<int64_t, kEventsPerBlock> ends;
  for (size_t i = 0; i < rows; ++i) ends[i] = block_.at(start, i) + block_.at(length, i);
  std::vector<RowColumn> columns = {{block_.column(start)}, {ends}};
  for (const EventColumn column : {kind, instruction, step, transfer_step, chunk_count, bytes})
    columns.push_back({block_.column(column)});
  columns.push_back({block_.column(flops), RowColumn::Kind::real});
  using Pair = std::pair<EventColumn, EventColumn>;
  for (const auto& [offset, permutation] : {Pair(number, number_permutation), Pair(peer, peer_permutation),
                                            Pair(chunk, chunk_permutation), Pair(cause, cause_permutation)}) {
    columns.push_back({block_.column(offset)});
    columns.push_back({block_.column(permutation), RowColumn::Kind::optional});
  }
  rows_->add(next_event_, rows, columns);
  next_event_ += static_cast<int64_t>(rows);
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
    const LaneOrder& device = order(e.device);
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
  for (size_t i = 0; i < steps_.size(); ++i) {
    insert.bind_all(id_, static_cast<int64_t>(i), steps_[i].step, steps_[i].transfer_step,
                    steps_[i].range.start, steps_[i].range.end);
    TRY_VOID(insert.run());
  }
  return {};
}

}  // namespace shardscope::inline trace
