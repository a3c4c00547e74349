import { readFileSync } from "node:fs";
import type { Deployment } from "./deployment.ts";

/** A deployment that was measured, with what its worker's CPU and the machine's disk took. */
export interface MeasuredPoint {
  readonly name: string;
  /** Whether it is of this benchmark, and not of `bench/checkpoint`. */
  readonly isOwn: boolean;
  readonly deployment: Deployment;
  readonly workerMs: number;
  readonly runsPerSecond: number;
  /** The least and the most of its samples, where they were recorded. */
  readonly range: readonly [least: number, most: number];
}

export interface Measured {
  readonly points: readonly MeasuredPoint[];
  /** A flush of the disk. */
  readonly flushMs: number;
}

/** Reads the recorded results of this benchmark and of `bench/checkpoint`, which ran on the same machine. */
export function readMeasured(): Measured {
  const scale = read("../RESULTS.md");
  const checkpoint = read("../../checkpoint/RESULTS.md");
  const machineCores = Number(/(\d+) cores/.exec(scale)?.[1]);
  const workers = rowsBelow(scale, "## Worker processes on one Postgres").map(
    ([count = "", own = "", cpu_ = "", cpu = ""]) => ({
      name: `${count} worker${count === "1" ? "" : "s"}, 20 runs at once each`,
      isOwn: true,
      deployment: { workers: Number(count), runsAtOnce: 20, databases: 1, machineCores },
      workerMs: Number(cpu === "" ? cpu_ : cpu),
      runsPerSecond: Number(own),
      range: [Number(own), Number(own)] as const,
    }),
  );
  const times = rowsBelow(checkpoint, "## Where the time goes").filter(([name = ""]) => name.startsWith("Postgres"));
  const samples = [...checkpoint.matchAll(/^\| Reprise runtime, Postgres \| [\d.,]+ \| ([\d.]+)–([\d.]+) \|/gm)];
  const alone = times.map(([name = "", ...cells], index) => {
    const atOnce = Number(/(\d+) at a time/.exec(name)?.[1]);
    const [, , wholeMs = "", , , , workerMs = ""] = cells;
    return {
      isOwn: false,
      name: `1 process, ${atOnce} at a time`,
      deployment: { workers: 1, runsAtOnce: atOnce, databases: 1, machineCores },
      workerMs: Number(workerMs),
      runsPerSecond: 1_000 / Number(wholeMs),
      range: [Number(samples[index]?.[1]), Number(samples[index]?.[2])] as const,
    };
  });
  const flushMs = Number(/flushing 4 kB takes ([\d.]+) ms/.exec(checkpoint)?.[1]);
  return { points: [...workers, ...alone], flushMs };
}

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8");
}

/** The rows of the first table below a heading, without the head. */
function rowsBelow(text: string, heading: string): readonly (readonly string[])[] {
  const lines = text.slice(text.indexOf(heading)).split("\n");
  const first = lines.findIndex((line) => line.startsWith("| ---"));
  const rows: string[][] = [];
  for (const line of lines.slice(first + 1)) {
    if (!line.startsWith("|")) break;
    rows.push(
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll(",", "")),
    );
  }
  return rows;
}
