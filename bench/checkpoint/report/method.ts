import type { Effort } from "../measure/effort.ts";

/** What a reader has to know to trust or repeat the figures. */
export function describeMethod({ repetitions, sampleMs, warmUpMs, countedRuns, longThread }: Effort): string {
  const count = (number: number): string => number.toLocaleString("en-US");
  return [
    "A run is a user message of 1 kB, one call of a tool that changes something, and an answer of 1 kB in 50 pieces, on a thread of its own: four commits. The model answers at once and in the process.",
    "Minimal raw is the floor. Each of the four commits is one insert of its payload, the commit's messages as JSON (2.9 kB a run), into a table with a number, a thread, a version and a text. It keeps no events, state, calls, runs, leases or queue, computes nothing and checks nothing. Postgres: a prepared statement through `pg`, committed by itself, one round trip, as many connections as runs at a time. SQLite: `node:sqlite` on the main thread, a transaction a commit, one after the other however many runs there are.",
    "Reprise runtime is everything: `start`, the loop, leases, and a follower that reads the events to the end in the same process. The targets are about it. Reprise store is our store alone, given what a runtime wrote in a real run under new ids. LangGraph does the same run with the same message, tool and answer, and its PostgresSaver keeps it in nine transactions; `sync` waits for each step as we do.",
    "Before the first sample every contestant must have kept every run, ours and raw in exactly four transactions each.",
    `All ran in one process, beside a Postgres on the same disk and cores, with \`fsync\` and \`synchronous_commit\` on and no checkpoint meanwhile, everything else as it comes; SQLite in WAL mode with \`synchronous\` FULL. In every repetition each took one sample of about ${sampleMs} ms, in a new order, after a warm-up of ${warmUpMs} ms; it stayed open and its tables grew meanwhile. The figure is the median of ${repetitions} samples, a ratio the median of the ratios within each repetition. Anything under 1.3x is a tie.`,
    "CPU is `process.cpuUsage` over a sample: user and system time of all threads of this process, SQLite's writer included, Postgres not. The target is about 1 at a time.",
    "Bytes written, SQLite: what the process gave to the operating system to write (`wchar` of `/proc/self/io`, all threads), which is the log and the copies of its pages into the file. Postgres: growth of the write-ahead log (`pg_current_wal_insert_lsn`). Both are the mean over all samples.",
    `Statements are counted by a second server that logs every execution (\`log_statement = all\`), over ${count(countedRuns)} runs after 20 to warm up: whatever reaches the server counts, also \`begin\`, notifications, leases and polls. \`npm run statements\` lists them.`,
    "One transaction at a time: blocks of 20 runs by turns; the median of each of the four transactions of a run; what is added is the mean of their differences.",
    "The event loop: how late a timer of 1 ms is while 20 runs at a time are kept; and for how long the loop was busy without its thread computing, which is when it waits for a disk or for a core.",
    `One more turn: on a thread of ${count(longThread)} messages and on short ones, all in memory, by turns; the whole run from \`start\` to its outcome. Loading a thread: one more turn on the long thread by a runtime that has never seen it, less one by a runtime that has it in memory; beside it the same messages as rows of minimal raw, read and parsed.`,
    "Bytes: five threads of so many turns, and one alone in an empty store, 1 kB in and 1 kB out, with everything that is kept of a run: state, journal, data for a replay; the growth of the store over an empty one, a thread. SQLite: the file after a checkpoint. Postgres: tables and indexes as they are, without a vacuum. LangGraph: one thread.",
  ].join("\n\n");
}
