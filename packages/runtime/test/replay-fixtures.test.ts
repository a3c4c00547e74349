import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { replayExport } from "@reprise/runtime";
import { createFakeEnv } from "@reprise/testkit";
import { describe, expect, it } from "vitest";
import { RUN_SHAPES } from "./replay-support/run-shapes.ts";

const FOLDER = fileURLToPath(new URL("./fixtures/recordings", import.meta.url));

/** The release whose recordings are to be written: `REPRISE_RECORD_RELEASE=0.2.0`. Those of earlier releases stay as they are. */
const RELEASE = process.env.REPRISE_RECORD_RELEASE;

const fileOf = (shape: string): string => `${shape.replaceAll(" ", "-")}.ndjson`;

if (RELEASE !== undefined) {
  it.each(Object.keys(RUN_SHAPES))(`writes the recording of ${RELEASE} with %s`, async (shape) => {
    const recording = await RUN_SHAPES[shape]?.();
    mkdirSync(`${FOLDER}/${RELEASE}`, { recursive: true });
    writeFileSync(`${FOLDER}/${RELEASE}/${fileOf(shape)}`, `${JSON.stringify(recording)}\n`);
  });
}

describe("a recording of an earlier release verifies", () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ndjson"));

  it.each(files)("%s", async (file) => {
    const text = readFileSync(`${FOLDER}/${file}`, "utf8");
    expect(await replayExport(text, { env: createFakeEnv() })).toMatchObject({ equal: true });
  });

  it("and every shape of run has one", () => {
    const recorded = new Set(files.map((file) => basename(file)));
    expect([...recorded].sort()).toEqual(Object.keys(RUN_SHAPES).map(fileOf).sort());
  });
});
