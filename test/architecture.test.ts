import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listFiles, ROOT } from "../scripts/repository.mjs";
import { PLATFORM_PURE } from "./support/architecture/allowed-imports.ts";
import { findFolderCycles } from "./support/architecture/folder-rules.ts";
import { findIndexProblems, findNamelessFiles } from "./support/architecture/house-rules.ts";
import { findImportProblems } from "./support/architecture/import-rules.ts";
import { findManifestProblems } from "./support/architecture/manifest-rules.ts";
import { findPurityProblems, type PurityException } from "./support/architecture/purity-rules.ts";
import { readWorkspace } from "./support/architecture/workspace.ts";

const PURITY_EXCEPTIONS: readonly PurityException[] = [
  {
    file: "packages/state/src/require-node.ts",
    global: "globalThis",
    reason: "it reads process.versions, where there is one, to say clearly at import that Node is too old",
  },
];

const workspace = readWorkspace(ROOT);
const sources = workspace.flatMap((owner) => owner.sources);
const paths = listFiles(ROOT);
const toolPaths = paths.filter((path) => /^(scripts|test\/support)\/.*\.(ts|mjs)$/.test(path));
const tools = toolPaths.map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));

it("looks at something", () => {
  expect(workspace.map(({ folder }) => folder)).toContain("packages/state");
  expect(sources.length).toBeGreaterThan(0);
  expect(tools.length).toBeGreaterThan(0);
});

describe.each(workspace)("$folder", (owner) => {
  it("imports only what it may and declares it", () => {
    expect(findImportProblems(owner, workspace)).toEqual([]);
  });

  it("has folders that are layers: no two of them import each other, not even through others", () => {
    expect(findFolderCycles(owner)).toEqual([]);
  });

  it("can be published with the others", () => {
    expect(findManifestProblems(ROOT, owner)).toEqual([]);
  });
});

it("keeps the pure packages free of any platform", () => {
  const pure = workspace.filter(({ folder }) => PLATFORM_PURE.includes(folder)).flatMap((owner) => owner.sources);
  expect(findPurityProblems(pure, PURITY_EXCEPTIONS)).toEqual([]);
});

it("has no test that measures time, which would depend on how busy the machine is", () => {
  const tests = paths.filter((path) => /^(packages|test)\/.*\.ts$|^e2e\/.*\.test\.ts$/.test(path) && /test/.test(path));
  const timed = tests.filter((path) =>
    /\b(performance\.now|process\.hrtime)\b/.test(readFileSync(join(ROOT, path), "utf8")),
  );
  expect(timed).toEqual([]);
});

it("has no file whose name says nothing", () => {
  expect(findNamelessFiles(paths)).toEqual([]);
});

it("keeps every index a list of exports", () => {
  const indexes = sources.filter(({ path }) => /(^|\/)index\.tsx?$/.test(path));
  expect(indexes.flatMap(findIndexProblems)).toEqual([]);
});
