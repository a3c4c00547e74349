import type { Effort } from "./measure.ts";

/** What a reader has to know to trust or repeat the figures. */
export function describeMethod(effort: Effort, isIsolated: boolean): string {
  const { repetitions, replayRepetitions, sampleMs, longestReplayMs } = effort;
  const processes = isIsolated
    ? "Every contestant ran in a process of its own (`--isolate`), one after another: no contestant suffers from the shapes of another, but a slow minute of the machine hits one contestant only, and a ratio compares samples taken minutes apart."
    : `All contestants ran in one process. In every repetition each took one sample per case, in a new order, so a slow moment of the machine hits all of them.`;
  return [
    processes,
    `A sample is about ${sampleMs} ms of work after a calibration and a warm-up; the figure is the median of ${repetitions} samples (replay: ${replayRepetitions}), with the slowest and the fastest beside it. A ratio is the median of the ratios within each repetition. Anything under 1.5x is a tie.`,
    "Before the first sample everybody runs every case and must give a document deeply equal to the expected one, without changing its input, its patches or its earlier results (in-place mutation may). A wrong contestant ends the run. This also shows every contestant all the shapes of all the cases: nobody is measured on code that has only ever seen one.",
    "Documents come out of `JSON.parse`, one per contestant. Patches are prepared in the contestant's own format before the clock starts, since they come from a log: a ring of 256 with different keys, indexes and values. Each patch applies to the result of the one before; the chain begins again at the end of the ring (small append: every 16).",
    `A replay starts from a document just parsed, which is not timed. "One by one" makes a new document for every patch; "one step" is the best way of a contestant to apply the whole log at once. A contestant that would take much longer than ${longestReplayMs} ms is measured on the first patches of the log and scaled.`,
  ].join("\n\n");
}
