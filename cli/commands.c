/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <string.h>

const struct command command_main = {
	.name = "",
	.bit = FOR_MAIN,
	.summary = "offline analyser of Arm CoreSight trace",
	.about = "Sightline decodes captured ETMv3, PTM, ETMv4 and ETE trace, rebuilds the calls,\n"
		 "and says which function took how long. A capture is a perf.data (or - for one on\n"
		 "standard input), a snapshot directory, or a raw dump with --protocol and --reg.\n",
	.examples = "  sightline info perf.data           what is in it, what is missing\n"
		    "  sightline report perf.data         where the time went, by function\n"
		    "  sightline flow capture/            who called whom, in order\n"
		    "  sightline report etb.bin --protocol etmv4 --trace-id 0x10 \\\n"
		    "      --reg TRCCONFIGR=0x1 --image vmlinux\n",
};

const struct command command_table[] = {
	{ .name = "info", .bit = FOR_INFO, .operand = "CAPTURE", .run = cmd_info,
	  .summary = "what a capture holds, what is missing, what to do",
	  .about = "Says what the capture is, how its trace sources were programmed, what each trace\n"
		   "id decodes to, why trace is missing where it is, and which images are wanted.\n",
	  .examples = "  sightline info capture/\n"
		      "  sightline info capture/ --format json --table gaps\n" },
	{ .name = "packets", .bit = FOR_PACKETS, .operand = "CAPTURE", .run = cmd_packets,
	  .summary = "the trace's packets with their offsets and bytes",
	  .about = "Lists the packets of each trace source as they stand in the buffer. Needs no\n"
		   "image.\n",
	  .examples = "  sightline packets capture/ --id 0x10\n" },
	{ .name = "flow", .bit = FOR_FLOW, .operand = "CAPTURE", .run = cmd_flow,
	  .summary = "calls and returns in order, like source code",
	  .about = "Prints what ran, in order: calls with their durations, exceptions, gaps.\n",
	  .examples = "  sightline flow capture/ --depth 3\n"
		      "  sightline flow capture/ --function 'uart_*' --insn\n" },
	{ .name = "report", .bit = FOR_REPORT, .operand = "CAPTURE", .run = cmd_report,
	  .summary = "one row a function: calls, total, self, durations",
	  .about = "Says which function took how much of the trace. The account at the end closes:\n"
		   "what functions took by themselves and what gaps took is the whole, lane by lane.\n",
	  .examples = "  sightline report capture/ --limit 20\n"
		      "  sightline report capture/ --sort=-max,function --fields function,calls,max\n"
		      "  sightline report capture/ --format csv -o report.csv\n"
		      "  sightline report capture/ --html report.html\n" },
	{ .name = "compare", .bit = FOR_COMPARE, .operand = "A", .more = "B", .more_min = 1, .more_max = OPERANDS_MORE, .run = cmd_compare,
	  .summary = "what differs between two captures, and how sure that is",
	  .about = "Compares captures or kept profiles, function by function and path by path. A\n"
		   "is what was, B what is. Numbers that differ by more than chance are told apart,\n"
		   "and the parts add up to the whole difference.\n",
	  .examples = "  sightline compare before/ after/ --per handle_irq\n"
		      "  sightline compare monday.slp tuesday.slp --clock insns --format json\n"
		      "  sightline compare --fail-if 'p99(handle_irq):+10%' a1.slp a2.slp -- b1.slp b2.slp\n" },
	{ .name = "merge", .bit = FOR_MERGE, .operand = "PROFILE", .more = "PROFILE...", .more_min = 1,
	  .more_max = OPERANDS_MORE, .run = cmd_merge,
	  .summary = "several kept profiles as one",
	  .about = "Adds up profiles that report --save has kept, as if it were one run: calls, times\n"
		   "and the spread of durations.\n",
	  .examples = "  sightline report monday/ --save a.slp\n"
		      "  sightline report tuesday/ --save b.slp\n"
		      "  sightline merge a.slp b.slp -o week.slp\n" },
	{ .name = "graph", .bit = FOR_GRAPH, .operand = "CAPTURE", .run = cmd_graph,
	  .summary = "who calls whom: a tree of calls with their times",
	  .about = "Draws the calls as a tree. A node counts the calls of one path: its children and\n"
		   "its self make its total. System calls and faults lie below what asked for them,\n"
		   "interrupts at the root. Other views are the same calls from a function's side.\n",
	  .examples = "  sightline graph capture/\n"
		      "  sightline graph capture/ --callers memcpy\n"
		      "  sightline graph capture/ --callees sys_write --min-percent 5\n"
		      "  sightline graph capture/ --inverted --depth 3 --clock insns\n"
		      "  sightline graph capture/ --slowest irq_handler\n" },
	{ .name = "events", .bit = FOR_EVENTS, .operand = "CAPTURE", .more = "[LENS]", .more_max = 1, .run = cmd_events,
	  .summary = "interrupts, system calls, work items, switches: how often",
	  .about = "Looks at a capture through lenses: irq, softirq, syscall, work, timer, hrtimer,\n"
		   "tasklet, rcu, task, fault, and own ones. For each event: how often, how long,\n"
		   "in which rhythm and in which bursts, and which function of which module asked\n"
		   "for it. Without LENS all of them.\n",
	  .examples = "  sightline events capture/\n"
		      "  sightline events capture/ syscall --by task\n"
		      "  sightline events capture/ isr --lenses rtos.ini\n" },
	{ .name = "latency", .bit = FOR_LATENCY, .operand = "CAPTURE", .more = "A [B]", .more_min = 1, .more_max = 2,
	  .run = cmd_latency,
	  .summary = "how long it takes from A to B, or from A to A",
	  .about = "Measures from each A to the B that follows it, or from each A to the next: how\n"
		   "long, how it spreads, and where the longest were. A place is NAME or enter:NAME,\n"
		   "leave:NAME, addr:0x8000, exception:14 or irq, return:14 or return:irq, task:12.\n",
	  .examples = "  sightline latency capture/ irq gpio_handler\n"
		      "  sightline latency capture/ enter:control\n"
		      "  sightline latency capture/ wake_up schedule --pair any --format json\n" },
	{ .name = "histogram", .bit = FOR_HISTOGRAM, .operand = "CAPTURE", .more = "FUNCTION", .more_min = 1, .more_max = 1,
	  .run = cmd_histogram,
	  .summary = "how the durations of a function's calls spread",
	  .about = "Draws how often which duration came, in classes that grow with the duration.\n",
	  .examples = "  sightline histogram capture/ irq_handler\n"
		      "  sightline histogram capture/ control --of interval --format csv\n" },
	{ .name = "export", .bit = FOR_EXPORT, .operand = "CAPTURE", .run = cmd_export,
	  .summary = "the calls as a file of another tool",
	  .about = "Writes the calls for viewers and scripts: as a timeline (perfetto, chrome,\n"
		   "speedscope, ctf), as paths (folded, flamegraph, callgrind, pprof), as rows\n"
		   "(json, csv, sqlite); or what was executed (lcov, autofdo). Numbers are report's.\n",
	  .examples = "  sightline export capture/ -f perfetto --open\n"
		      "  sightline export capture/ -f csv --function 'irq_*' -o irqs.csv\n" },
	{ .name = "view", .bit = FOR_VIEW, .operand = "CAPTURE", .run = cmd_view,
	  .summary = "look at it in a browser",
	  .about = "Serves the page of report --html to this machine alone, and prints its address.\n"
		   "Of a capture with more calls than a page can have, the others come from here as\n"
		   "they are scrolled to. Ends when it is stopped.\n",
	  .examples = "  sightline view capture/\n" },
	{ .name = "check", .bit = FOR_CHECK, .operand = "CAPTURE", .run = cmd_check,
	  .summary = "whether two engines agree, and whether the flow can be",
	  .about = "Decodes a capture and checks what holds of every trace: bytes are accounted for,\n"
		   "ranges join, time goes on, the stack is where the program counter is. A\n"
		   "second engine decodes the same bytes; the first difference of each source is\n"
		   "shown with its offset and the packets around.\n",
	  .examples = "  sightline check capture/\n"
		      "  sightline check perf.data --engine opencsd --against fast\n" },
	{ .name = "import", .bit = FOR_IMPORT, .operand = "CAPTURE", .run = cmd_import,
	  .summary = "write a capture as a snapshot directory",
	  .about = "Writes a capture with its registers and images as a snapshot directory, so that\n"
		   "nobody types registers twice.\n",
	  .examples = "  sightline import etb.bin --protocol etmv4 --trace-id 0x10 \\\n"
		      "      --reg TRCCONFIGR=0x1 --image vmlinux -o capture/\n" },
	{ .name = "completion", .bit = FOR_COMPLETION, .operand = "bash|zsh|fish", .run = cmd_completion,
	  .summary = "print the completion script of a shell",
	  .about = "Prints a script that teaches a shell to complete sightline's commands and\n"
		   "options.\n",
	  .examples = "  . <(sightline completion bash)\n" },
};
const size_t command_count = sizeof(command_table) / sizeof(command_table[0]);

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < command_count; i++) {
		if (strcmp(command_table[i].name, name) == 0)
			return &command_table[i];
	}
	return NULL;
}
