import { RepriseError } from "@reprise/contracts";
import { replayExport } from "@reprise/runtime";
import { getAt, type Json, type Path } from "@reprise/state";
import { createFakeEnv } from "@reprise/testkit";
import { describe, expect, it } from "vitest";
import { RUN_SHAPES } from "./replay-support/run-shapes.ts";

/** The places of a value that hold no others; an empty list and an empty object are such places too. */
function* leavesOf(value: Json, path: Path = []): Generator<Path> {
  const inner = typeof value === "object" && value !== null ? Object.keys(value) : [];
  if (inner.length === 0) yield path;
  for (const key of inner) {
    const step = Array.isArray(value) ? Number(key) : key;
    yield* leavesOf(getAt(value, [step]) ?? null, [...path, step]);
  }
}

function edited(leaf: Json): Json {
  if (typeof leaf === "string") return `${leaf}x`;
  if (typeof leaf === "number") return leaf + 1;
  if (typeof leaf === "boolean") return !leaf;
  return leaf === null ? 0 : [leaf];
}

/** A copy that differs in one place. */
function withEdit(value: Json, [step, ...rest]: Path, change: (leaf: Json) => Json): Json {
  if (step === undefined) return change(value);
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? withEdit(item, rest, change) : item));
  // The path leads through objects and lists only.
  const fields = value as { readonly [key: string]: Json };
  return { ...fields, [step]: withEdit(fields[step] ?? null, rest, change) };
}

const env = createFakeEnv();

/** Whether a replay says yes to a value. */
async function isEqual(value: unknown): Promise<boolean> {
  try {
    return (await replayExport(value, { env })).equal;
  } catch (error) {
    if (!RepriseError.is(error, "REPLAY_IMPOSSIBLE")) throw error;
    return false;
  }
}

describe("a verified replay finds every edit of an export", () => {
  it.each(Object.keys(RUN_SHAPES))("of a run with %s", { timeout: 120_000 }, async (shape) => {
    const recording = JSON.parse(JSON.stringify(await RUN_SHAPES[shape]?.())) as Json;
    expect(await isEqual(recording)).toBe(true);
    const missed: string[] = [];
    let edits = 0;
    for (const path of leavesOf(recording)) {
      edits += 1;
      if (await isEqual(withEdit(recording, path, edited))) missed.push(path.join("."));
    }
    expect(missed).toEqual([]);
    expect(edits).toBeGreaterThan(100);
  });
});
