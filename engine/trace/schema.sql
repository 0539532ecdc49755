-- SPDX-License-Identifier: Apache-2.0
--
-- The tables of a Shardscope workspace (version 1). For questions of your own use the views at the end:
-- run_summary (a row a run) and device_event (a row an event of a device). Read them with any SQLite, in the
-- window's SQL box, or with `sqlite3 FILE.shardscope`.
--
-- Times are integer picoseconds of simulated time unless a name ends in _s (seconds). Sizes are bytes.
-- A run whose status is 'recording' is being written; nothing shows it. Finished runs never change.
--
-- Sharing. Devices that do the same things at the same times share one timeline: its events are stored once, and
-- device_timeline says which devices it is for. Four things still differ from device to device: the event's number,
-- its peer, its first chunk and its cause. Each is stored as an offset and a permutation id, and is for a device
--     (permutation.value of that device + offset) % permutation.modulus
-- or simply the offset when the permutation id is null.

CREATE TABLE setting (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What was asked and what came of it.
CREATE TABLE run (
  id                 INTEGER PRIMARY KEY,
  status             TEXT NOT NULL,     -- recording | done | failed | cancelled
  writer             TEXT,              -- while recording: boot id, process id and its start time
  created            TEXT NOT NULL,     -- ISO 8601, UTC
  title              TEXT NOT NULL,     -- of the experiment
  strategy           TEXT NOT NULL,
  kind               TEXT NOT NULL,     -- matmul | part | example | broken
  label              TEXT NOT NULL,
  mesh               TEXT NOT NULL,     -- "row=2,col=4"
  mesh_json          TEXT NOT NULL,     -- axes with wrap, device order
  m INTEGER NOT NULL, k INTEGER NOT NULL, n INTEGER NOT NULL,
  dtype              TEXT NOT NULL,
  accumulate         TEXT NOT NULL,
  fill               TEXT NOT NULL,
  seed               INTEGER NOT NULL,  -- the bits of a uint64
  overlap            INTEGER NOT NULL,  -- 0 | 1
  collective         TEXT NOT NULL,     -- as asked: auto, ring, ...
  options            TEXT NOT NULL,     -- JSON
  ignored_options    TEXT NOT NULL,     -- JSON array
  hardware           TEXT NOT NULL,     -- name
  hardware_toml      TEXT NOT NULL,
  program            TEXT NOT NULL,     -- HLO text
  devices            INTEGER NOT NULL,
  total              INTEGER NOT NULL,  -- end of the last event
  event_count        INTEGER NOT NULL,  -- over all devices; those of totals-only runs are counted but not kept
  events_kept        INTEGER NOT NULL,
  memory_kept        INTEGER NOT NULL,  -- devices with a memory profile, be it empty: all or none
  mxu_utilisation    REAL NOT NULL,
  lanes              TEXT NOT NULL,     -- JSON array, by lane number
  collectives        TEXT NOT NULL,     -- JSON array
  assumptions        TEXT NOT NULL,     -- JSON array
  critical_compute   INTEGER NOT NULL,  -- the critical path's time, by what it was spent on
  critical_memory    INTEGER NOT NULL,
  critical_latency   INTEGER NOT NULL,
  critical_bandwidth INTEGER NOT NULL,
  critical_overhead  INTEGER NOT NULL,
  -- of the device with the largest exposed communication
  total_s REAL NOT NULL, compute_s REAL NOT NULL, comm_s REAL NOT NULL, exposed_comm_s REAL NOT NULL,
  idle_s REAL NOT NULL,
  communication_overlap REAL,           -- null without communication
  bound              TEXT NOT NULL,
  -- means over devices, and the largest peak
  flops REAL NOT NULL, bytes_sent REAL NOT NULL, bytes_received REAL NOT NULL, bytes_relayed REAL NOT NULL,
  peak_bytes         REAL NOT NULL,
  wall_s REAL, mean_s REAL, median_s REAL, stdev_s REAL, min_s REAL, max_s REAL, p95_s REAL, p99_s REAL,  -- measured
  repeat INTEGER, warmup INTEGER, kernel TEXT,
  hbm_bytes REAL,                       -- memory of a chip
  request            TEXT NOT NULL,     -- what was asked, whole: JSON, of which columns above are parts
  -- beside which runs it can be put, from which shardings it goes to which, and what that costs (null: nothing to
  -- compare with)
  rivals TEXT NOT NULL, inputs TEXT NOT NULL, outputs TEXT NOT NULL,
  price INTEGER, price_legs TEXT,
  module             TEXT,              -- JSON, of a module's run
  loop               TEXT,              -- JSON, of a run step by step: what is of all its steps
  -- what its user says of it (tags: words between commas), and from where it was brought in
  name TEXT NOT NULL, tags TEXT NOT NULL, note TEXT NOT NULL, origin TEXT NOT NULL
) STRICT;

-- How the result compares with the reference. A null number is NaN.
CREATE TABLE numerics (
  run             INTEGER PRIMARY KEY,
  checked         INTEGER NOT NULL,
  allclose        INTEGER NOT NULL,
  rtol REAL, atol REAL, max_abs REAL, mean_abs REAL, median_abs REAL, percent_bad REAL,
  worst_index     TEXT NOT NULL,        -- JSON array
  worst_value REAL, worst_reference REAL,
  shape           TEXT NOT NULL,        -- JSON array
  region_rows INTEGER NOT NULL, region_cols INTEGER NOT NULL,
  warnings        TEXT NOT NULL,        -- JSON array
  reference       TEXT NOT NULL,        -- what the result was compared with
  array           TEXT NOT NULL,        -- which result
  smallest_atol   REAL,                 -- that passes
  exact           TEXT,                 -- JSON: distance of both sides from the f64 product
  tolerance_max   REAL,                 -- of an element, where roundings count
  percent_above_0_1 REAL NOT NULL,      -- elements with a relative difference above 0.1
  proof_size      TEXT NOT NULL,        -- how much of a module was proved: full, shrunk, off
  proof_scale     REAL NOT NULL,        -- elements that were compared, of all
  proof_reason    TEXT NOT NULL         -- why not all
) STRICT;

-- The steps of a run that was carried out step by step.
CREATE TABLE loop_step (
  run INTEGER, number INTEGER,
  marker TEXT NOT NULL,                 -- how profilers name the step
  warmup INTEGER NOT NULL,              -- 1: statistics leave it out
  start INTEGER NOT NULL, end INTEGER NOT NULL,
  wall_s REAL,                          -- measured
  result_values TEXT NOT NULL,          -- JSON array, of the names in run.loop
  PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE numerics_region (
  run INTEGER, place INTEGER,
  start TEXT NOT NULL, stop TEXT NOT NULL,  -- JSON arrays: index range per dimension
  mean_abs REAL, percent_bad REAL,
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;

-- The program's instructions by their number over all computations.
CREATE TABLE instruction (
  run INTEGER, number INTEGER,
  computation TEXT NOT NULL, name TEXT NOT NULL, opcode TEXT NOT NULL, shape TEXT NOT NULL,
  op_name TEXT NOT NULL,                -- what the paper calls this
  step INTEGER NOT NULL,                -- the algorithm's own, -1 outside of any
  PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE device_total (
  run INTEGER, device INTEGER,
  compute INTEGER NOT NULL, comm INTEGER NOT NULL, exposed INTEGER NOT NULL, idle INTEGER NOT NULL,
  flops REAL NOT NULL, padded_flops REAL NOT NULL,
  bytes_sent INTEGER NOT NULL, bytes_received INTEGER NOT NULL, bytes_relayed INTEGER NOT NULL,
  peak_bytes INTEGER NOT NULL,
  PRIMARY KEY (run, device)
) STRICT, WITHOUT ROWID;

-- Which timeline and which memory profile a device has. A timeline is named by its first device.
CREATE TABLE device_timeline (
  run INTEGER, device INTEGER,
  timeline INTEGER NOT NULL,
  memory INTEGER NOT NULL,
  PRIMARY KEY (run, device)
) STRICT, WITHOUT ROWID;

-- A lane of a timeline: where its events stand in `event`, by start.
CREATE TABLE lane (
  run INTEGER, timeline INTEGER, lane INTEGER,
  name TEXT NOT NULL,
  first_event INTEGER NOT NULL, event_count INTEGER NOT NULL,
  longest INTEGER NOT NULL,             -- event
  serial INTEGER NOT NULL,              -- 1: no event starts before the last one ended
  PRIMARY KEY (run, timeline, lane)
) STRICT, WITHOUT ROWID;

-- `id` stands last so that rows whose ids SQLite makes are copied without a detour (sql/generated_rows.h).
CREATE TABLE event (
  start         INTEGER NOT NULL,
  end           INTEGER NOT NULL,
  kind          INTEGER NOT NULL,       -- 0 compute, 1 transfer, 2 copy; + 4: a further hop of a transfer
  instruction   INTEGER NOT NULL,
  step          INTEGER NOT NULL,
  transfer_step INTEGER NOT NULL,
  chunk_count   INTEGER NOT NULL,
  bytes         INTEGER NOT NULL,
  flops         REAL NOT NULL,
  number        INTEGER NOT NULL, number_permutation INTEGER,  -- place in the run's events, by (start, device)
  peer          INTEGER NOT NULL, peer_permutation   INTEGER,  -- final target of a transfer, -1: none
  chunk         INTEGER NOT NULL, chunk_permutation  INTEGER,  -- first chunk of the collective's array, -1: none
  cause         INTEGER NOT NULL, cause_permutation  INTEGER,  -- number of the event that let it start, -1: none
  id            INTEGER PRIMARY KEY
) STRICT;

-- Events again, by columns, up to 1,024 neighbours of a lane in a row; blocks/event_block.h says what the blobs hold.
CREATE TABLE event_block (
  id          INTEGER PRIMARY KEY,      -- of its first event in `event`
  count       INTEGER NOT NULL,
  first_start INTEGER NOT NULL,
  covered     INTEGER NOT NULL,         -- everything before is counted by earlier events of the lane
  drawn BLOB NOT NULL, others BLOB NOT NULL
) STRICT;

CREATE TABLE permutation (
  run INTEGER, id INTEGER, device INTEGER,
  value INTEGER NOT NULL, modulus INTEGER NOT NULL,
  PRIMARY KEY (run, device, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX permutation_value ON permutation (run, id, value);

-- From an event's number to its row: pieces of (event.number, event.id), ascending; blocks/event_numbers.h says how.
CREATE TABLE event_number (
  run INTEGER, first_number INTEGER,
  rows BLOB NOT NULL,
  PRIMARY KEY (run, first_number)
) STRICT;

-- Level of detail of a lane, in pieces; blocks/bins.h says what the blob holds.
CREATE TABLE pyramid (
  run INTEGER, timeline INTEGER, lane INTEGER, width INTEGER, piece INTEGER,
  first_start INTEGER NOT NULL, last_end INTEGER NOT NULL,
  bins BLOB NOT NULL,
  PRIMARY KEY (run, timeline, lane, width, piece)
) STRICT;

CREATE TABLE critical_event (
  run INTEGER, place INTEGER,
  number INTEGER NOT NULL, device INTEGER NOT NULL, lane INTEGER NOT NULL,
  lane_place INTEGER NOT NULL,          -- among the events of its lane
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;

-- (program step, transfer step) pairs in time order.
CREATE TABLE step (
  run INTEGER, place INTEGER,
  step INTEGER NOT NULL, transfer_step INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;

-- Live bytes of a memory profile from `time` on.
CREATE TABLE memory_point (
  run INTEGER, memory INTEGER, place INTEGER,
  time INTEGER NOT NULL, bytes INTEGER NOT NULL,
  PRIMARY KEY (run, memory, place)
) STRICT, WITHOUT ROWID;

-- Buffers of a memory profile; `place` is the place among all devices' buffers, shared like an event's number.
CREATE TABLE buffer (
  run INTEGER, memory INTEGER, number INTEGER,
  instruction INTEGER NOT NULL, bytes INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
  place INTEGER NOT NULL, place_permutation INTEGER,
  PRIMARY KEY (run, memory, number)
) STRICT, WITHOUT ROWID;

-- A kernel under many schedules.
CREATE TABLE kernel_run (
  id INTEGER PRIMARY KEY,
  created           TEXT NOT NULL,
  kernel            TEXT NOT NULL,
  mesh              TEXT NOT NULL,
  devices           INTEGER NOT NULL,
  schedules         INTEGER NOT NULL,
  seed              INTEGER NOT NULL,   -- of the first schedule
  correct_runs      INTEGER NOT NULL,
  wrong_runs        INTEGER NOT NULL,
  time_s            REAL,
  vmem_peak_bytes   INTEGER NOT NULL,
  max_dma_in_flight INTEGER NOT NULL,
  listing           TEXT NOT NULL
) STRICT;

-- What its schedules found, with the first seed that shows it and the lines that it is about (0: none).
CREATE TABLE kernel_finding (
  run INTEGER, place INTEGER,
  kind TEXT NOT NULL, runs INTEGER NOT NULL, first_seed INTEGER NOT NULL,
  devices TEXT NOT NULL,                -- JSON array
  message TEXT NOT NULL, missing TEXT NOT NULL,
  first_line INTEGER NOT NULL, second_line INTEGER NOT NULL,
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;

-- A profile of a real run.
CREATE TABLE measured_trace (
  id INTEGER PRIMARY KEY,
  created       TEXT NOT NULL,
  format        TEXT NOT NULL,
  source        TEXT NOT NULL,
  title         TEXT NOT NULL,
  devices       INTEGER NOT NULL,
  event_count   INTEGER NOT NULL,
  device_time_s REAL NOT NULL,
  matched_share REAL NOT NULL,
  device_names TEXT NOT NULL, lanes TEXT NOT NULL, notes TEXT NOT NULL  -- JSON arrays
) STRICT;

CREATE TABLE measured_operation (
  trace INTEGER, number INTEGER,
  op TEXT NOT NULL, kind TEXT NOT NULL, opcode TEXT NOT NULL, module TEXT NOT NULL, instruction TEXT NOT NULL,
  shapes TEXT NOT NULL, dtype TEXT NOT NULL,
  bytes INTEGER NOT NULL, flops REAL NOT NULL,
  batch INTEGER NOT NULL, m INTEGER NOT NULL, k INTEGER NOT NULL, n INTEGER NOT NULL,
  group_size INTEGER NOT NULL, matched INTEGER NOT NULL, count INTEGER NOT NULL,
  total_s REAL NOT NULL, mean_s REAL NOT NULL, p50_s REAL NOT NULL, p95_s REAL NOT NULL, wait_s REAL NOT NULL,
  PRIMARY KEY (trace, number)
) STRICT, WITHOUT ROWID;

-- Times are from the first step; `wait` is the part of a collective before its last device arrived.
CREATE TABLE measured_event (
  trace INTEGER, number INTEGER,
  start INTEGER NOT NULL, end INTEGER NOT NULL, wait INTEGER NOT NULL,
  device INTEGER NOT NULL, lane INTEGER NOT NULL, operation INTEGER NOT NULL,
  PRIMARY KEY (trace, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE measured_step (
  trace INTEGER, place INTEGER,
  start INTEGER NOT NULL, end INTEGER NOT NULL,
  PRIMARY KEY (trace, place)
) STRICT, WITHOUT ROWID;

-- For everybody's SQL: a row a finished run.
CREATE VIEW run_summary AS
SELECT r.id AS run, r.created, r.title, r.strategy, r.label, r.name, r.tags, r.note, r.origin, r.mesh, r.devices,
       r.hardware, r.m, r.k, r.n, r.dtype, r.accumulate, r.total_s, r.compute_s, r.comm_s, r.exposed_comm_s,
       r.idle_s, r.communication_overlap AS overlap, r.bound, r.flops AS flops_per_device,
       r.bytes_sent AS bytes_sent_per_device, r.peak_bytes, r.event_count AS events,
       q.checked AS numerics_checked, q.allclose, q.max_abs, q.percent_bad, r.wall_s AS measured_wall_s
FROM run r LEFT JOIN numerics q ON q.run = r.id
WHERE r.status = 'done';

-- For everybody's SQL: a row an event of a device, shared or not. Ask for one run: WHERE run = 1.
CREATE VIEW device_event AS
SELECT d.run, d.device, l.name AS lane,
       CASE e.kind & 3 WHEN 0 THEN 'compute' WHEN 1 THEN 'transfer' ELSE 'copy' END AS kind,
       e.kind >> 2 AS relayed,
       e.start * 1e-12 AS start_s, e.end * 1e-12 AS end_s, (e.end - e.start) * 1e-12 AS duration_s,
       i.name AS instruction, i.opcode, i.op_name, e.step, e.transfer_step, e.bytes, e.flops, e.chunk_count,
       iif(e.peer_permutation IS NULL, e.peer, (p.value + e.peer) % p.modulus) AS peer,
       iif(e.chunk_permutation IS NULL, e.chunk, (c.value + e.chunk) % c.modulus) AS chunk,
       iif(e.number_permutation IS NULL, e.number, (o.value + e.number) % o.modulus) AS number,
       iif(e.cause_permutation IS NULL, e.cause, (u.value + e.cause) % u.modulus) AS cause
FROM device_timeline d
CROSS JOIN run r ON r.id = d.run AND r.status = 'done'
CROSS JOIN lane l ON l.run = d.run AND l.timeline = d.timeline
CROSS JOIN event e ON e.id >= l.first_event AND e.id < l.first_event + l.event_count
LEFT JOIN instruction i ON i.run = d.run AND i.number = e.instruction
LEFT JOIN permutation p ON p.run = d.run AND p.id = e.peer_permutation AND p.device = d.device
LEFT JOIN permutation c ON c.run = d.run AND c.id = e.chunk_permutation AND c.device = d.device
LEFT JOIN permutation o ON o.run = d.run AND o.id = e.number_permutation AND o.device = d.device
LEFT JOIN permutation u ON u.run = d.run AND u.id = e.cause_permutation AND u.device = d.device;

-- For everybody's SQL: a row an event of a profile. Ask for one: WHERE trace = 1.
CREATE VIEW measured_device_event AS
SELECT e.trace, e.device, json_extract(t.lanes, '$[' || e.lane || ']') AS lane, o.op, o.kind, o.opcode, o.shapes,
       e.start * 1e-12 AS start_s, e.end * 1e-12 AS end_s, (e.end - e.start) * 1e-12 AS duration_s,
       e.wait * 1e-12 AS wait_s, o.bytes, o.flops
FROM measured_event e
JOIN measured_trace t ON t.id = e.trace
JOIN measured_operation o ON o.trace = e.trace AND o.number = e.operation;
