import { formatReport } from "./report/format-report.ts";
import { runSession } from "./session/run-session.ts";
import { readSessionOptions, type SessionOptions, USAGE } from "./session/session-options.ts";
import { UsageError } from "./session/usage-error.ts";

const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopped.abort());

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (stopped.signal.aborted) {
    console.error("Stopped: nothing was checked.");
    process.exitCode = 130;
  } else if (error instanceof UsageError) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exitCode = 2;
  } else throw error;
}

async function main(parameters: readonly string[]): Promise<number> {
  const options = readSessionOptions(parameters);
  const startedAt = performance.now();
  const { tally, unvisited, kept } = await runSession(options, { progress: showProgress, signal: stopped.signal });
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  showProgress("");
  console.log(formatReport(`${titleOf(options)}, ${seconds} s`, tally));
  for (const { invariant, message, thread_id, run_id } of tally.violations.slice(0, 50)) {
    console.log([invariant, thread_id, run_id, message].filter((part) => part !== undefined).join(" · "));
  }
  for (const folder of kept) console.log(`What happened lies in ${folder}.`);
  if (unvisited.length > 0) console.log(`Fault points that were not reached: ${unvisited.join(", ")}.`);
  return tally.violations.length === 0 && unvisited.length === 0 ? 0 : 1;
}

function titleOf({ store, seed, workers, leaseMs, clients, skewMs }: SessionOptions): string {
  const clocks = skewMs === 0 ? [] : [`clocks wrong by up to ${skewMs} ms`];
  const parts = [`chaos on ${store}`, `seed ${seed}`, `${workers} at a time`, `clients by ${clients}`, ...clocks];
  return [...parts, `lease ${leaseMs} ms`].join(", ");
}

/** One line that is written over and over where somebody looks at it; nothing where nobody does. */
function showProgress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
}
