import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { listFiles, ROOT } from "../../scripts/repository.mjs";
import { RUNTIME_POINTS } from "./worker/fault-point-names.ts";

it("the rig knows every fault point of the runtime", () => {
  const sources = listFiles(ROOT).filter((path) => /^packages\/[^/]+\/src\/.*(?<!\.test)\.ts$/.test(path));
  const named = sources.flatMap((path) => [
    ...readFileSync(join(ROOT, path), "utf8").matchAll(/\bpoint\("([^"]+)"\)/g),
  ]);
  expect([...new Set(named.map(([, name]) => name))].toSorted()).toEqual([...RUNTIME_POINTS].toSorted());
});
