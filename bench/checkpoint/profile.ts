import { parseArgs } from "node:util";
import { repriseRuntime } from "./contestants/reprise-runtime.ts";
import { repriseStore } from "./contestants/reprise-store.ts";
import { recordRun } from "./load/record-run.ts";
import { runAll } from "./measure/throughput.ts";
import { openPostgres } from "./postgres/open-store.ts";
import { startServer } from "./postgres/start-server.ts";
import { profileThreads } from "./profile/profile-threads.ts";
import { summarizeProfile, type TimesByName } from "./profile/summarize-profile.ts";
import { openSqlite } from "./sqlite/open-store.ts";

const { values: flags } = parseArgs({
  options: {
    store: { type: "string", default: "sqlite" },
    part: { type: "string", default: "runtime" },
    runs: { type: "string", default: "500" },
    concurrency: { type: "string", default: "1" },
    top: { type: "string", default: "25" },
  },
});

const [runs, concurrency] = [Number(flags.runs), Number(flags.concurrency)];
const server = flags.store === "postgres" ? await startServer() : undefined;
const open = server === undefined ? openSqlite : () => openPostgres(server.url);
try {
  const contestant =
    flags.part === "store" ? repriseStore("store", await recordRun(), open) : repriseRuntime("runtime", open);
  const runner = await contestant.open(concurrency);
  await runAll(runner, concurrency, runs);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const profiles = await profileThreads(() => runAll(runner, concurrency, runs));
  const { user, system } = process.cpuUsage(cpuBefore);
  const [clockMs, cpuMs] = [performance.now() - startedAt, (user + system) / 1_000].map((ms) => (ms / runs).toFixed(2));
  await runner.close();
  process.stdout.write(
    `${flags.part} on ${flags.store}, ${concurrency} at a time: ${clockMs} ms a run, CPU ${cpuMs} ms, while profiled\n\n`,
  );
  for (const { thread, profile } of profiles) {
    const { busyMs, parts, functions } = summarizeProfile(profile);
    const title = `${thread}: ${(busyMs / runs).toFixed(3)} ms busy a run`;
    process.stdout.write([title, ...list(parts), "", ...list(functions), "", ""].join("\n"));
  }
} finally {
  await server?.stop();
}

function list(times: TimesByName): readonly string[] {
  return times.slice(0, Number(flags.top)).map(([name, ms]) => `${(ms / runs).toFixed(3).padStart(8)} ms  ${name}`);
}
