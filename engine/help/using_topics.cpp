// SPDX-License-Identifier: Apache-2.0
#include "engine/base/say.h"
#include "engine/help/groups.h"

namespace shardscope::inline help {

std::vector<HelpTopic> using_topics() {
  return {
      {"window", to_say("The window"),
       to_say("Ask for a matrix product on many chips, run it with every strategy, and see what happens and "
              "why."),
       to_say(
           "The tabs under the tool bar are pages, a job each. All views share one moment and one selection: "
           "what is clicked in one is marked in all. The status bar says in a sentence what happens now. F1 "
           "explains what has the focus, of a table every column. Ctrl+F searches in the view that has the "
           "focus, Ctrl+K finds any command, `?` lists the keys."),
       "run"},
      {"presenting", to_say("Presenting"),
       to_say("Presenting shows one view over the whole screen, in letters for the last row."),
       to_say(
           "F5 begins before the first step, Shift+F5 here, F11 shows the view with the focus. Each step "
           "plays from before to after; Esc always leaves. On the Lesson page they present the lesson: a "
           "question's answer comes before the next step. With a second screen the notes, the answer and the "
           "next step stand there; with one, N shows the notes and Shift+N opens them in a window. S lights "
           "what the step changes."),
       "present"},
      {"presets", to_say("Presets"),
       to_say("Presets are experiments to start from, with a picture of a real run."),
       to_say(
           "Narrow them by topic, size, paper or any words. The text beside the list says what to look at. "
           "Enter opens one.")},
      {"preferences", to_say("Preferences"),
       to_say("Preferences has everything that is kept between starts."),
       to_say(
           "Look, playing, what new experiments begin with, memory, keys, and what the window remembers by "
           "itself. Each section can be reset.")},
      {"keys", to_say("Keys"), to_say("The overview lists every key, by what must have the focus."),
       to_say(
           "Search for a key or for what it does. *Change keys* gives a command another key: press it. A key "
           "that another command has is named and can be taken over.")},
      {"palette", to_say("Command palette"),
       to_say("The palette finds commands, runs, strategies, views and help by typing."),
       to_say("Words in any order, or the letters of an abbreviation. Those chosen last come first.")},
      {"chip", to_say("Chip"), to_say("A chip is what times the run: its peak, its memory and its links."),
       to_say("Every number has its unit and its source; what nobody published stays empty, and a run that "
              "needs it is refused. An edited chip is saved as a file and used by its name. Collectives that "
              "were measured have rows of their own, with a launch, a step, a rate and a ramp instead of the "
              "links'; a run of other sizes than were measured is marked ≈ and says by how much.")},
      {"label", to_say("Name, tags and note"), to_say("A run can carry a name, tags and a note of yours."),
       to_say("They stand in the table of runs, which finds and groups by them, and stay in the workspace.")},
      {"measured", to_say("Profiles of real runs"), to_say("A real run's profile becomes a measured trace."),
       to_say(
           "`shardscope measure import` reads those of JAX, PyTorch, Nsight Systems and nccl-tests, a "
           "file a host or rank; `--hlo` joins the module. What nothing explains is listed with its time.")},
      {"bring_in", to_say("Runs of another workspace"),
       to_say("Runs of another workspace can be copied into this one."),
       to_say("Tick the runs. They come with their events and notes, and the file they come from stays as it "
              "is.")},
  };
}

std::vector<HelpTopic> page_topics() {
  return {
      {"page.explore", to_say("Explore"), to_say("What does this strategy do?"),
       to_say("The sharding grid and the ring above, the timeline below, the experiment on the left. Press "
              "Space and watch a block travel; then look for hatched communication on the timeline.")},
      {"page.compare", to_say("Compare"), to_say("Which run is better, and why?"),
       to_say("Select runs in the table and press Ctrl+B. The verdict names the terms that make the "
              "difference.")},
      {"page.what_if", to_say("What if"), to_say("What would help?"),
       to_say("Move a knob: the run is timed again at once, above what it was.")},
      {"page.study", to_say("Study"), to_say("Where does it change?"),
       to_say("Tuner, crossovers and error growth run many experiments and draw one picture of them.")},
      {"page.module", to_say("Module"), to_say("My compiler's program"),
       to_say("A module of yours beside what each device does, with the reason for every collective.")},
      {"page.chip", to_say("Kernel"), to_say("Inside a kernel"),
       to_say("Kernels step by step, their races, and the tiles of a grouped product.")},
      {"page.lesson", to_say("Lesson"), to_say("Teach, or learn"),
       to_say("One or two pictures, and beside them the steps, the questions and the notes.")},
  };
}

}  // namespace shardscope::inline help
