import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { listFiles, ROOT } from "../../scripts/repository.mjs";
import { expectSound, playRound } from "./testing/play-round.ts";
import { FAULT_POINTS, RUNTIME_POINTS } from "./worker/fault-point-names.ts";

it("knows every fault point of the runtime", () => {
  const sources = listFiles(ROOT).filter((path) => /^packages\/[^/]+\/src\/.*(?<!\.test)\.ts$/.test(path));
  const named = sources.flatMap((path) => [
    ...readFileSync(join(ROOT, path), "utf8").matchAll(/\bpoint\("([^"]+)"\)/g),
  ]);
  expect([...new Set(named.map(([, name]) => name))].toSorted()).toEqual([...RUNTIME_POINTS].toSorted());
});

it("violates nothing when a process dies at every fault point", { timeout: 400_000 }, async () => {
  const result = await playRound({ store: "sqlite", visitsPoints: true });
  expect(result.unvisited).toEqual([]);
  expectSound(result, Object.fromEntries(FAULT_POINTS.map((point) => [`die at ${point}`, 1])));
});
