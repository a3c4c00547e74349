import type { Effort } from "./effort.ts";

/** What a reader has to know to trust or repeat the figures. */
export function describeMethod({ repetitions, sampleMs, warmUpMs, heapRuns, lengthRepetitions }: Effort): string {
  return [
    "A run is one question, a model that calls one tool, the tool, and the model's answer in 50 pieces. The model answers at once and in the process, so what is measured is the framework around it. Every contestant's stream is read to its end.",
    "Before the first sample everybody must have called the tool exactly once a run, and its reader must have seen the same answer. A wrong contestant ends the benchmark.",
    `Each contestant ran in a process of its own, with the bare generator beside it: a ratio to that one is of samples taken in turns, so a slow moment of the machine hits both, and nobody pays for what another framework does to a process. Ratios to ours are quotients of these. A sample is about ${sampleMs} ms of CPU after a warm-up of ${warmUpMs} ms, in whole rounds of the runs at a time; the figure is the median of ${repetitions} samples. A ratio is the median of the ratios within each repetition. Anything under 1.5x is a tie.`,
    "CPU is that of the whole process, with its helper threads: garbage collection and compilation are paid for. Wall time on a machine with other work is there for completeness.",
    "Ours has everything on: four commits a run to the memory store, leases, the idle timeout of the model, the tool's timeout, schema checks, the journal. A sample begins with a new runtime and a new store. The others store nothing, as they do by default; tracing and telemetry are off.",
    `Heap: ${heapRuns.toLocaleString("en-US")} runs in one runtime, each on a new thread that is deleted after it; the heap is what remains after a full collection. Growth is counted from a fifth of the runs on.`,
    `Thread length: one more run, whose model says one word, on threads in memory that hold so many messages; the median of ${lengthRepetitions} repetitions of 12 runs, the lengths in a new order each time.`,
  ].join("\n\n");
}
