import type { Effort } from "../measure/effort.ts";

/** What a reader has to know to trust or repeat the figures. */
export function describeMethod({ repetitions, sampleMs, warmUpMs, recordedRuns, longThread }: Effort): string {
  const count = (number: number): string => number.toLocaleString("en-US");
  return [
    "A run is a question of 1 kB, one call of a tool that changes something, and an answer of 1 kB in 50 pieces, on a thread of its own: four commits. The model answers at once and in the process.",
    `Raw is what our store did, done again by a bare loop: ${count(recordedRuns)} runs were played to the store one at a time and its statements recorded with their values, reads included; the loop executes the same statements with the same bytes in the same transactions, one transaction a commit, and looks at no answer. It has as many connections as there are runs at a time. Raw Postgres comes in two: as \`pg\` is used everywhere, each statement sent when the one before was answered, and with our own two round trips a transaction. Targets are against the latter, which is faster.`,
    "Reprise store is our store alone, given what a runtime wrote in a real run under new ids; Reprise runtime is everything, the events read to the end. LangGraph does the same run with the same question, tool and answer, and its PostgresSaver keeps it; it makes more transactions of it.",
    "Before the first sample everybody must have kept every run, ours and raw in exactly four transactions each.",
    `All ran in one process, beside a Postgres on the same disk and cores, with \`fsync\` and \`synchronous_commit\` on, everything else as it comes; SQLite in WAL mode with \`synchronous\` FULL. In every repetition each took one sample of about ${sampleMs} ms, in a new order, after a warm-up of ${warmUpMs} ms; it stayed open and its tables grew meanwhile. The figure is the median of ${repetitions} samples, a ratio the median of the ratios within each repetition. Anything under 1.3x is a tie.`,
    "One transaction at a time: blocks of 20 runs by turns; the median of each of the four transactions of a run; what is added is the mean of their differences.",
    "The event loop: how late a timer of 1 ms is while 20 runs at a time are kept; and for how long the loop was busy without its thread computing, which is when it waits for a disk or for a core.",
    `One more turn: on a thread of ${count(longThread)} messages and on short ones, all in memory, by turns; the whole run from \`start\` to its outcome. Loading a thread: the long one, not in memory, as the runtime loads it; beside it the same statements by a bare loop that takes every row, and one that also parses every body.`,
    "Bytes: five threads of so many turns, and one alone in an empty store, 1 kB in and 1 kB out, with everything that is kept of a run: state, journal, what a replay needs; the growth of the store over an empty one, a thread. SQLite: the file after a checkpoint. Postgres: tables, indexes and what lies beside them, as they are, without a vacuum. LangGraph: one thread.",
  ].join("\n\n");
}
