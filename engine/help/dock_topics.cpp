// SPDX-License-Identifier: Apache-2.0
#include "engine/base/say.h"
#include "engine/help/groups.h"

namespace shardscope::inline help {
namespace {

std::vector<HelpTopic> run_topics() {
  return {
      {"experiment", to_say("Experiment"),
       to_say("The experiment is what you ask: a mesh, a problem, how its arrays are sharded, a chip, and "
              "strategies."),
       to_say("Change anything; what cannot be is refused in place, with the reason. Tick the strategies to "
              "compare: one that cannot run on this mesh says which number stands in the way. *Run all* runs "
              "them. Ctrl+L filters the strategies. Every edit can be taken back with Ctrl+Z. F1 in a field "
              "says what it means."),
       "mesh"},
      {"runs", to_say("Runs"),
       to_say("Runs lists what has been run, the best first, with the verdict below."),
       to_say(
           "*Time* is the simulated length of the run. *Exposed* is communication that nothing hides, "
           "*overlap* the part of it that is hidden. A ≈ marks a number that rests on an assumption. A click "
           "shows a run in all views; Ctrl+click a second one, then Ctrl+B compares them. F2 writes into "
           "name, tags and note; the field above filters: `strategy:wang time<100us`.")},
      {"program", to_say("Program"), to_say("Program is what one device does, in XLA's own language, HLO."),
       to_say(
           "Every device runs the same text. The line that runs now is marked; a click on a line selects "
           "its operation everywhere. `collective-permute`, `all-gather` and their like move blocks, `dot` "
           "multiplies.")},
      {"events", to_say("Events"), to_say("Events lists everything that a run did, one event a row."),
       to_say(
           "The field above filters by device, lane and operation: `col+ dot (0,1)`. A row selects its event "
           "in all views. Ctrl+C copies the rows as CSV.")},
      {"details", to_say("Details"),
       to_say("Details shows what is selected: its numbers with their formulas, what it waited for and what "
              "waited for it."),
       to_say(
           "A formula is written with its values put in, and says where each constant comes from. Causes and "
           "effects are links. For a range of time, a device or a link it sums up by operation.")},
      {"notes", to_say("Notes"), to_say("Notes keeps what you want to remember of a moment of a run."),
       to_say("Ctrl+Shift+N writes a note at the moment, of what is selected. It becomes a flag on the "
              "timeline. Notes stay in the workspace.")},
      {"compare", to_say("Compare"),
       to_say(
           "Compare shows two to twenty runs on one time axis, and what they differ in. Select them in the "
           "table of runs: click one, Ctrl+click the others."),
       to_say("All timelines share one axis and one cursor; they line up by their start, their end or an "
              "operation. The bars are the terms of the gap, compute, exposed and idle, which add up to it. "
              "In the table below a click on an operation goes to it in all of them."),
       "compare"},
      {"what_if", to_say("What if"),
       to_say("What if: the shown run on faster or slower links, memory and products. It is timed again "
              "while a knob "
              "moves, above what it was, and bars say what would help most."),
       to_say("The pale timeline behind is the run as it was. A bar says what ten per cent more of something "
              "would save, and up to which factor it helps. *Keep as run* puts the answer into the table of "
              "runs. The program "
              "and its algorithms stay what they are."),
       "what_if"},
  };
}

HelpTopic atlas_topic() {
  return {
      "atlas", to_say("Atlas"),
      to_say("An atlas shows every sharding of a product's three arrays: how long XLA's partitioner, "
             "Shardy's and "
             "the fastest way take, what they send and how much memory they need."),
      to_say(
          "X goes down, W across; darker is less. *Free* takes no communication. X and S say that XLA's or "
          "Shardy's way is as fast as the fastest; the case is that of the lesson on sharded products. An "
          "array whose sharding is chosen is pinned, and the map is of the two others. The sliders of m, k "
          "and n time everything again; a ring marks where another way was the fastest at the sizes that "
          "were computed first. A click draws where the ways of a place cross over as one size grows, a "
          "double click opens it as a module. `shardscope atlas` writes all of it as JSON or CSV.")};
}

std::vector<HelpTopic> measured_topics() {
  return {
      {"beside", to_say("Measured"),
       to_say(
           "Measured shows a trace of the real program below the simulated run, on one time axis, and what "
           "it takes longer. Drop a profile of JAX, PyTorch or Nsight Systems on the window and keep it in "
           "the workspace, or run the shown run for real."),
       to_say(
           "What is measured is lighter, cross-hatched and says *measured*; it begins where its step begins. "
           "Of several steps the one in the middle is drawn and times are medians over all; a step can be "
           "chosen. A click on an operation, in the lanes, the bars or the table, marks it on both sides; "
           "`,` and `.` go to the operation before and after.\n\n"
           "An operation is known by the instruction's name where the trace has it, else by kind, shapes, "
           "type "
           "and group, in the order of the program. What no operation of the run explains is *unmatched*, "
           "and the share that is "
           "known is always said. The causes are those of the simulated critical path: what an operation on "
           "it "
           "takes longer counts as its largest one; what operations do not explain, gaps between kernels and "
           "other overlap, is unmatched too. What is simulated adds up to the run, the residuals to what the "
           "step takes longer."),
       "compare"},
      {"profile", to_say("Profile"),
       to_say("Profile shows where a step of a real run spends its time, beside the simulation of its "
              "modules. Drop a profile of JAX, PyTorch or Nsight Systems here, or choose one."),
       to_say("The terms of a step add up to it: computing, collectives and copies that nothing hides, and "
              "the device that waits for its host. Each instruction has its measured and its simulated "
              "time, the reason of the residual, and how sure it is that these kernels are its: kernels of "
              "command buffers are given back to their instructions. A profile of JAX holds its modules; "
              "for others choose the compiled module with *Module…*. *Keep in the workspace* puts the trace "
              "beside any run, in the view Measured.")},
  };
}

std::vector<HelpTopic> study_topics() {
  return {
      {"tuner", to_say("Tuner"),
       to_say(
           "The tuner tries every mesh shape of so many chips and, layer by layer, every strategy: here its "
           "candidates stand by time and peak memory, with the best front joined. A double click opens one "
           "as a run."),
       to_say("Nothing that is on the joined front is beaten in both time and memory. The time is the "
              "simulator's, or by the published costs, which say nothing of memory.")},
      {"crossover", to_say("Crossover"),
       to_say(
           "Crossovers: the experiment's strategies timed over a range of sizes or options. A curve for each "
           "strategy, and the points where another one becomes the fastest."),
       to_say(
           "Ranges are written as `n=1024..65536x2` (times two), `k=64..256+64` (plus 64) or `slices=1,2,4`; "
           "several make a panel each. The strip below the curves says who wins where.")},
      {"calibration", to_say("Calibration"),
       to_say("Calibration fits a chip's numbers to measured times, and says how near the predictions are on "
              "points that the fit has not seen."),
       to_say("Each point is one measurement: 1 is right, above it the prediction is too long. A ring was "
              "fitted to, a full point was held out; a click on one finds it in the table, a click on a "
              "group's bars shows that group alone. A number that the points do not tell stays what it was "
              "and is marked *not identified*. `shardscope calibrate` does the same without a window.")},
      {"errors", to_say("Error growth"),
       to_say("Error growth: the RMS error of a sum of k products, measured for every way to accumulate it, "
              "against k and beside the law for it."),
       to_say(
           "Both axes are logarithmic, so a law is a straight line: an error that grows as √k has slope ½. "
           "Sums kept in bf16 leave it early: small terms no longer change a large sum.")},
      atlas_topic(),
      {"sql", "SQL", to_say("SQL asks the record of the runs anything."),
       to_say("The workspace is a SQLite file. `run_summary` has a row for each run, `device_event` one for "
              "each event of each device. Ctrl+Return asks, reading only; two columns of numbers make a "
              "chart. *Save* keeps a query.")},
  };
}

std::vector<HelpTopic> inside_topics() {
  return {
      {"hlo", "HLO", to_say("HLO shows a module of your own beside its partitioned program."),
       to_say(
           "Open a module that a compiler printed (HLO, or StableHLO with Shardy), or choose one. The lines "
           "of both texts belong together: a click on one marks the other; above them stand the module's "
           "stages, of which a click shows any beside the one before; the outline goes to computations and "
           "layers, Ctrl+F searches. The tables list the collectives with their share of the critical path, "
           "why each is there and what the module would cost without it. A sharding is edited in place with "
           "F2, as {devices=…}, P('x',None) or #sdy.sharding<@mesh, [{\"x\"}, {}]>; *Compare* puts another "
           "module beside it, *Save* (Ctrl+S) writes it, Esc stops what runs; *Run* executes the result as a "
           "run."),
       "module"},
      {"kernel", to_say("Kernel"),
       to_say("Kernel shows a program inside the chips, one step of a schedule at a time."),
       to_say(
           "Each device stands on a line of the text; beside it are its buffers, semaphores and the copies "
           "that are under way. Left and Right step. *Find a failing schedule* looks for an order of events "
           "that breaks the kernel; `]` goes to the next finding, *Fix* runs the mended kernel on the same "
           "schedule."),
       "kernel"},
      {"grouped", to_say("Grouped matmul"),
       to_say("Grouped matmul shows how a product with a matrix for each group of rows is cut into tiles."),
       to_say(
           "A tile that two groups share is visited once for each. Drag a boundary between groups, or move "
           "it with the arrow keys, and the schedule follows; empty tiles are work that is paid for and "
           "thrown away."),
       "grouped"},
      {"lesson", to_say("Lesson"),
       to_say("A lesson explains one thing step by step, and asks before it shows."),
       to_say(
           "Each step shows a moment of a real run. A question has one right answer, which is computed from "
           "the run; a wrong one is told why it is wrong. Some steps let you change the experiment. PgDn "
           "goes on; F11 shows "
           "the lesson over the whole screen."),
       "lesson"},
  };
}

}  // namespace

std::vector<HelpTopic> dock_topics() {
  std::vector<HelpTopic> all = run_topics();
  for (const std::vector<HelpTopic>& more : {measured_topics(), study_topics(), inside_topics()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace shardscope::inline help
