// SPDX-License-Identifier: Apache-2.0
#include "engine/base/say.h"
#include "engine/help/groups.h"

namespace shardscope::inline help {
namespace {

std::vector<HelpTopic> moving_topics() {
  return {
      {"timeline", to_say("Timeline"),
       to_say("The timeline shows what every device computes and sends, when, and which communication is "
              "exposed."),
       to_say(
           "Time goes to the right. A device has a row with its lanes: *compute*, one for each direction of "
           "its links, and *copy*. Communication that nothing hides is hatched; what the run's length comes "
           "from, the critical path, is underlined. Equal devices share a row, \"×16 same\".\n\n"
           "Click on an event to see what it waited for and what waited for it; `[` and `]` follow these "
           "arrows. The line is the moment that all views share: drag it on the ruler. Drag the rest to "
           "move, "
           "turn the wheel to zoom, Shift+drag marks a range, which *Details* sums up. Layers of a module "
           "that "
           "are alike stand above as one band, zoomed in each by itself."),
       "timeline"},
      {"grid", to_say("Sharding"),
       to_say("The sharding grid shows which device holds which block of X, W and Y at every step."),
       to_say(
           "An array is cut into blocks; a block's name is its number (a5), its colour and pattern are the "
           "device that owns it. \"×3\": three devices hold it now, the small mesh inside says which. A "
           "hatched block is a sum in the making, \"2 of 4\" of its terms. Grey: on no device yet.\n\n"
           "Point at a block to see its owners everywhere, or at a device below to see its blocks. Arrays "
           "of more than two dimensions have sliders."),
       "plane"},
      {"ring", to_say("Ring"),
       to_say("The ring shows the devices, their links and the blocks that travel along them."),
       to_say("Devices stand where the mesh has them; a link that leads back to the first one goes round. "
              "The label on a link is the block that it carries now (a3.1/2: half of block a3), in its "
              "owner's colour. "
              "A box lists what its device holds. The darker a link, the more it carries.\n\n"
              "Space plays, Left and Right go from step to step. Beyond 256 devices the mesh is a table of "
              "loads."),
       "plane"},
      {"product", to_say("Product"),
       to_say("Product shows which block of X times which block of W is added to which block of Y, and on "
              "which device."),
       to_say(
           "X stands to the left, W above, Y in the corner, on one scale: a row of X meets a column of W "
           "in Y. The sum's dimension, k, goes to the right in X and down in W; the diagonal leads from "
           "one to the other. The outlined parts are what a device multiplies now, and where the product "
           "is added; a click on another device, in the list or anywhere else, shows that one. Grey: on "
           "no device yet; hatched: a sum in the making.\n\n"
           "*Numbers* writes the elements into small arrays, of Y as far as it is summed. What a product's "
           "time comes from stands in *Details* when it is clicked."),
       "plane"},
      {"operations", to_say("Operations"),
       to_say(
           "Operations shows how busy the devices are with each operation, from the beginning to the end."),
       to_say(
           "A row is an operation, a column an equal part of the run's time. The number is the part of the "
           "time that the devices spend in it, of the selected device where one is selected. A click on a "
           "cell marks its time and selects its operation in all views. Layers of a module that are alike "
           "are one, under the name of all of them."),
       "operations"},
  };
}

std::vector<HelpTopic> still_topics() {
  return {
      {"links", to_say("Links"),
       to_say("Links shows how long each link of the mesh sends, and which of them is the busiest."),
       to_say(
           "A row is a device, a column a direction of its links. 80 %: the link sends for that part of the "
           "run, or of the range that is marked on the timeline. A dash carries nothing. Uneven rows are "
           "worth a question: a slow chip, a bad order of devices, or an axis that does not wrap.")},
      {"memory", to_say("Memory"),
       to_say("Memory shows the bytes that live on a device over time, and what holds the peak."),
       to_say(
           "Layers are buffers, from when they are made to when they are last read; the list beside them is "
           "what lives at the peak. It is the selected device's memory, else the fullest one's. A line shows "
           "how much the chip has, where that is near.")},
      {"roofline", to_say("Roofline"),
       to_say("The roofline shows whether the products are bound by compute or by memory."),
       to_say(
           "A point is a product: to the right the work for each byte of memory traffic, upwards the work a "
           "second that it reaches. Below the slope memory is the limit, below the flat part the chip's "
           "peak. A point far below the line waits for something else: launches, padding to the size of the "
           "matrix unit, small blocks.")},
      {"numerics", to_say("Numerics"),
       to_say("Numerics shows where a result differs from its reference, and how far both are from the "
              "product in f64."),
       to_say(
           "A cell is a region of the result with its mean difference. Below, the element that decides and "
           "its partial sums, as each device adds them. With integers as inputs every number is exact, so "
           "any difference is a fault of the program; with others the tolerance says how large a difference "
           "rounding may make.")},
      {"bits", to_say("Bit microscope"),
       to_say("The bit microscope shows the element that decides a comparison: its partial sums on the grid "
              "of their type, and what each rounding loses."),
       to_say(
           "A row is one addition. The grid has a line for each number that the type can hold: a sum between "
           "two lines goes to the nearer one, and what is lost is written beside it, in units of the last "
           "place. Follow the losses down: they add up to the difference that *Numerics* reports.")},
      {"steps", to_say("Steps"),
       to_say("Steps shows what each step of a loop gives, the loss first, and how long it took here."),
       to_say(
           "A run has steps where *steps* asks for some. Above, the scalar results that do not carry over: a "
           "curve each. Below, the time that executing each step took on this machine; striped bars are "
           "warm-up, which statistics leave out. Simulated time is the same for each step.")},
  };
}

}  // namespace

// The pictures of a run.
std::vector<HelpTopic> view_topics() {
  std::vector<HelpTopic> all = moving_topics();
  const std::vector<HelpTopic> still = still_topics();
  all.insert(all.end(), still.begin(), still.end());
  return all;
}

}  // namespace shardscope::inline help
