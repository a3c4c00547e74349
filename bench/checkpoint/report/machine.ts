import { closeSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { availableParallelism, cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { summarize } from "../measure/statistics.ts";
import { formatMs } from "./tables.ts";

/** Figures of a machine that others use are worth little: they wait for its disk and its cores. */
const LOAD_BEFORE = (loadavg()[0] ?? 0).toFixed(2);

/** Where and with what the figures were taken; no names of hosts or people. */
export function describeMachine(postgresVersion: string): readonly string[] {
  return [
    `Date: ${new Date().toISOString().slice(0, 10)}`,
    `Node ${process.versions.node}, V8 ${process.versions.v8}, ${process.platform} ${process.arch}`,
    `CPU: ${cpus()[0]?.model.trim() ?? "unknown"}, ${availableParallelism()} cores; load average ${LOAD_BEFORE} before the benchmark began`,
    `Postgres ${postgresVersion}, SQLite ${process.versions.sqlite}, flushing 4 kB takes ${measureFlush()} ms (p50)`,
    `Versions: ${installedVersions()}; Reprise from the sources beside this folder`,
  ];
}

function installedVersions(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  // Our own manifest, which pins exact versions.
  const { dependencies } = manifest as { readonly dependencies: Readonly<Record<string, string>> };
  return Object.entries(dependencies)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");
}

/** What no store can be quicker than. */
function measureFlush(): string {
  const folder = mkdtempSync(join(tmpdir(), "reprise-bench-flush-"));
  const descriptor = openSync(join(folder, "flushed"), "w");
  const page = Buffer.alloc(4_096, 1);
  const times = Array.from({ length: 200 }, () => {
    writeSync(descriptor, page);
    const startedAt = performance.now();
    fdatasyncSync(descriptor);
    return performance.now() - startedAt;
  });
  closeSync(descriptor);
  rmSync(folder, { recursive: true });
  return formatMs(summarize(times).median);
}
