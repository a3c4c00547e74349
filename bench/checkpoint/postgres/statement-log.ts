import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { execute } from "./schemas.ts";
import type { BenchServer } from "./start-server.ts";

/** A statement the server executed, by its text. */
export interface StatementCount {
  readonly text: string;
  readonly executions: number;
  /** On how many connections. */
  readonly connections: number;
}

/** One line of the server's log, as far as it is of interest. */
interface LogLine {
  readonly pid?: number;
  readonly message?: string;
}

const WAIT_MS = 20;
const MOST_WAITS = 500;

/** Every statement the server executed during some work, whoever sent it; the most frequent first. The server logs them. */
export async function countStatements(
  server: BenchServer,
  work: () => Promise<void>,
): Promise<readonly StatementCount[]> {
  const [before, after] = [`before ${Date.now()}`, `after ${Date.now()}`];
  await execute(server.url, `select '${before}'`);
  await work();
  await execute(server.url, `select '${after}'`);
  const lines = await readLog(server, after);
  const from = lines.findIndex(({ message }) => message?.includes(before));
  const to = lines.findIndex(({ message }) => message?.includes(after));
  return countTexts(lines.slice(from + 1, to));
}

export function totalExecutions(counts: readonly StatementCount[]): number {
  return counts.reduce((sum, { executions }) => sum + executions, 0);
}

/** The collector writes when it likes, so the log is read until the marker is in it. */
async function readLog({ logFolder }: BenchServer, marker: string): Promise<readonly LogLine[]> {
  for (let waits = 0; waits < MOST_WAITS; waits++) {
    const text = readFileSync(join(logFolder, "statements.json"), "utf8");
    // The last line may be half of one.
    const complete = text.slice(0, text.lastIndexOf("\n") + 1);
    // The server's own format; every field is checked where it is used.
    if (complete.includes(marker))
      return complete
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as LogLine);
    await pause(WAIT_MS);
  }
  throw new Error("The server did not log its statements.");
}

const EXECUTION = /^(?:statement|execute [^:]*|execute fetch from [^:]*): ([\s\S]*)$/;

function countTexts(lines: readonly LogLine[]): readonly StatementCount[] {
  const counts = new Map<string, { executions: number; readonly pids: Set<number> }>();
  for (const { pid = 0, message = "" } of lines) {
    const logged = EXECUTION.exec(message)?.[1];
    if (logged === undefined) continue;
    // A simple query may be several statements and is logged as one.
    for (const text of message.startsWith("statement") ? splitStatements(logged) : [logged]) {
      const key = text.replace(/\s+/g, " ").trim();
      const count = counts.get(key) ?? { executions: 0, pids: new Set() };
      counts.set(key, count);
      count.executions += 1;
      count.pids.add(pid);
    }
  }
  return [...counts]
    .map(([text, { executions, pids }]) => ({ text, executions, connections: pids.size }))
    .toSorted((left, right) => right.executions - left.executions);
}

function splitStatements(text: string): readonly string[] {
  return text.split(";").filter((part) => part.trim() !== "");
}
