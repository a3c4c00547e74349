import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { ROOT } from "../scripts/repository.mjs";
import { tokenize } from "./support/architecture/tokenize.ts";
import { readWorkspace } from "./support/architecture/workspace.ts";
import { hostileTextsFor } from "./support/hostile-texts-for.ts";

const LENGTH = 200_000;
const UNBOUNDED = /[*+]|\{\d*,\}/;

/** Every pattern without a bound that the packages are made of, with the places where it stands. */
const patterns = new Map<string, string>();
for (const { path, text } of readWorkspace(ROOT).flatMap(({ sources }) => sources)) {
  for (const { kind, text: literal, line } of tokenize(text)) {
    if (kind === "regex" && UNBOUNDED.test(literal)) patterns.set(literal, `${path}:${line}`);
  }
}

/** A thread of its own: what never ends there can be ended from here. */
const MATCH = `const { parentPort, workerData: { source, flags, texts } } = require("node:worker_threads");
const pattern = new RegExp(source, flags);
for (const text of texts) { pattern.lastIndex = 0; pattern.exec(text); }
parentPort.postMessage("done");`;

async function match(pattern: RegExp, texts: readonly string[]): Promise<unknown> {
  const { source, flags } = pattern;
  const worker = new Worker(MATCH, { eval: true, workerData: { source, flags, texts } });
  onTestFinished(async () => void (await worker.terminate()));
  return new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
}

describe("issue 14.37: no pattern of the packages takes the square of a text's length", () => {
  it("looks at patterns", () => expect(patterns.size).toBeGreaterThan(50));

  // No times: on two hundred thousand characters a square comes to no end within the limit of a test.
  it.each([...patterns].map(([literal, place]) => [place, literal] as const))("%s %s", async (_, literal) => {
    const end = literal.lastIndexOf("/");
    const pattern = new RegExp(literal.slice(1, end), literal.slice(end + 1));
    expect(await match(pattern, hostileTextsFor(pattern, LENGTH))).toBe("done");
  });
});
