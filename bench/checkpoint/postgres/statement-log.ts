import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { execute } from "./schemas.ts";
import type { BenchServer } from "./start-server.ts";

/** A statement the server executed, by its text. */
export interface StatementCount {
  readonly text: string;
  readonly executions: number;
  /** What the server spent on them, parsing and binding included; a commit by itself, without `begin`, is not in it. */
  readonly serverMs: number;
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

/** Every statement the server executed during some work, of all clients, the most frequent first. The server logs them. */
export async function countStatements(
  server: BenchServer,
  work: () => Promise<void>,
): Promise<readonly StatementCount[]> {
  const from = statSync(logFile(server)).size;
  const [before, after] = [`before ${Date.now()}`, `after ${Date.now()}`];
  await execute(server.url, `select '${before}'`);
  await work();
  await execute(server.url, `select '${after}'`);
  const lines = await awaitLines(server, from, after);
  const first = lines.findIndex(({ message }) => message?.includes(before));
  const last = lines.findIndex(({ message }) => message?.includes(after));
  return countTexts(lines.slice(first + 1, last));
}

export function totalExecutions(counts: readonly StatementCount[]): number {
  return counts.reduce((sum, { executions }) => sum + executions, 0);
}

/** The collector writes when it likes, so the log is read until the marker is in it. */
async function awaitLines(server: BenchServer, from: number, marker: string): Promise<readonly LogLine[]> {
  for (let waits = 0; waits < MOST_WAITS; waits++) {
    const text = readLog(server, from).toString("utf8");
    // The last line may be half of one.
    const complete = text.slice(0, text.lastIndexOf("\n") + 1);
    if (complete.includes(marker)) return complete.trim().split("\n").map(parseLine);
    await pause(WAIT_MS);
  }
  throw new Error("The server did not log its statements.");
}

/** The server's own format. The first line may be half of one: it was being written when its place was taken. */
function parseLine(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return {};
  }
}

/** What the log holds from a place on. */
function readLog(server: BenchServer, from: number): Buffer {
  const descriptor = openSync(logFile(server), "r");
  try {
    const bytes = Buffer.alloc(Math.max(fstatSync(descriptor).size - from, 0));
    readSync(descriptor, bytes, 0, bytes.length, from);
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

/** As logged for every step of a statement: `parse` and `bind` are not executions. */
const STEP = /^duration: ([\d.]+) ms {2}(statement|parse [^:]*|bind [^:]*|execute [^:]*): ([\s\S]*)$/;

function countTexts(lines: readonly LogLine[]): readonly StatementCount[] {
  const counts = new Map<string, { executions: number; serverMs: number; readonly pids: Set<number> }>();
  for (const { pid = 0, message = "" } of lines) {
    const [, duration, step = "", logged] = STEP.exec(message) ?? [];
    if (logged === undefined) continue;
    // A simple query may be several statements and is logged as one.
    const texts = step === "statement" ? splitStatements(logged) : [logged];
    for (const text of texts) {
      const key = text.replace(/\s+/g, " ").trim();
      const count = counts.get(key) ?? { executions: 0, serverMs: 0, pids: new Set() };
      counts.set(key, count);
      count.serverMs += Number(duration) / texts.length;
      if (!/^(?:parse|bind)/.test(step)) count.executions += 1;
      count.pids.add(pid);
    }
  }
  return [...counts]
    .map(([text, { executions, serverMs, pids }]) => ({ text, executions, serverMs, connections: pids.size }))
    .toSorted((left, right) => right.executions - left.executions);
}

function splitStatements(text: string): readonly string[] {
  return text.split(";").filter((part) => part.trim() !== "");
}

function logFile({ logFolder }: BenchServer): string {
  return join(logFolder, "statements.json");
}
