import { describe, expect, it } from "vitest";
import { findFolderCycles } from "./support/architecture/folder-rules.ts";
import { findIndexProblems, findNamelessFiles } from "./support/architecture/house-rules.ts";
import { findImportProblems } from "./support/architecture/import-rules.ts";
import { findManifestProblems } from "./support/architecture/manifest-rules.ts";
import { findPurityProblems } from "./support/architecture/purity-rules.ts";
import { type Manifest, readWorkspace, type WorkspacePackage } from "./support/architecture/workspace.ts";
import { createTemporaryFolder } from "./support/temporary-folder.ts";

function describePackage(folder: string, source: string, manifest: Manifest = {}): WorkspacePackage {
  const name = folder === "packages/reprise" ? "reprise" : `@reprise/${folder.split("/")[1]}`;
  return { folder, manifest: { name, ...manifest }, sources: [{ path: `${folder}/src/inner/file.ts`, text: source }] };
}

const state = describePackage("packages/state", "", { exports: { ".": "./a.js", "./history": "./b.js" } });

describe("imports", () => {
  const problemsOf = (folder: string, source: string, ...dependencies: readonly string[]) => {
    const declared = Object.fromEntries(dependencies.map((name) => [name, "0.1.0"]));
    const owner = describePackage(folder, source, { dependencies: declared });
    return findImportProblems(owner, [state, owner]).map((problem) => problem.replace(/^\S+ /, ""));
  };

  it("accepts what the table allows and the manifest declares", () => {
    const source =
      'import { a } from "@reprise/state"; import "@reprise/state/history"; import "../other.ts"; import "node:fs";';
    expect(problemsOf("packages/contracts", source, "@reprise/state")).toEqual([]);
  });

  it("refuses an arrow that is not in the table", () => {
    const source = 'import { a } from "@reprise/contracts";';
    expect(problemsOf("packages/state", source, "@reprise/contracts")).toEqual(["may not import @reprise/contracts"]);
    expect(problemsOf("packages/state", 'export { a } from "reprise";', "reprise")).toEqual(["may not import reprise"]);
    expect(problemsOf("packages/state", 'import "@reprise/state";')).toEqual(["may not import @reprise/state"]);
  });

  it("refuses a package that is not in the table", () => {
    expect(problemsOf("packages/surprise", "")).toEqual(["is not in the table of allowed imports"]);
  });

  it("refuses dependencies that are not declared", () => {
    expect(problemsOf("packages/contracts", 'import "@reprise/state";')).toEqual(["imports undeclared @reprise/state"]);
    expect(problemsOf("packages/node", 'import x from "pg/lib/x.js"; import "@scope/a/b";', "pg")).toEqual([
      "imports undeclared @scope/a",
    ]);
  });

  it("lets a package contain what it only needs to be built, but not speak of its types", () => {
    const problems = (source: string) => {
      const owner = describePackage("packages/node", source, { devDependencies: { uuid: "1.0.0" } });
      return findImportProblems(owner, [state, owner]).map((problem) => problem.replace(/^\S+ /, ""));
    };
    expect(problems('import { v7 } from "uuid";')).toEqual([]);
    expect(problems('import type { V7 } from "uuid";')).toEqual(["imports undeclared uuid"]);
  });

  it("refuses a declared workspace package that nothing imports", () => {
    expect(problemsOf("packages/contracts", "", "@reprise/state", "zod")).toEqual([
      "declares @reprise/state and nothing imports it",
    ]);
  });

  it("refuses another package's internals", () => {
    const source = 'import "@reprise/state/src/index.ts";';
    expect(problemsOf("packages/contracts", source, "@reprise/state")).toEqual([
      "imports internals: @reprise/state does not export ./src/index.ts",
    ]);
  });

  it("refuses a way out of the package", () => {
    expect(problemsOf("packages/state", 'import "../../../contracts/src/index.ts"; import "../../test/x.ts";')).toEqual(
      ["leaves its package: ../../../contracts/src/index.ts", "leaves its package: ../../test/x.ts"],
    );
  });

  it("lets the studio have types only", () => {
    const contracts = describePackage("packages/contracts", "", { exports: { ".": "./a.js" } });
    const source = 'import type { A } from "@reprise/contracts";\nimport { b } from "@reprise/contracts";';
    const studio = describePackage("apps/studio", source, { dependencies: { "@reprise/contracts": "0.1.0" } });
    expect(findImportProblems(studio, [contracts, studio])).toEqual([
      "apps/studio/src/inner/file.ts:2 may import only types of @reprise/contracts",
    ]);
  });
});

describe("folders", () => {
  const cyclesOf = (files: Readonly<Record<string, string>>) => {
    const sources = Object.entries(files).map(([path, text]) => ({ path: `packages/state/src/${path}`, text }));
    return findFolderCycles({ folder: "packages/state", manifest: {}, sources });
  };

  it("accepts folders that import in one direction, and files of one folder that import each other", () => {
    const files = {
      "index.ts": 'export { a } from "./top/a.ts";',
      "top/a.ts": 'import "../middle/b.ts"; import "../errors.ts"; import "./c.ts"; import "@reprise/contracts";',
      "top/c.ts": 'import "./a.ts";',
      "middle/b.ts": 'import type { D } from "../bottom/d.ts"; import "../errors.ts";',
      "bottom/d.ts": "",
      "errors.ts": "",
    };
    expect(cyclesOf(files)).toEqual([]);
  });

  it("refuses a cycle of two folders, also when one direction imports only types", () => {
    const files = {
      "a/one.ts": 'import { x } from "../b/two.ts";',
      "b/two.ts": 'import type { Y } from "../a/one.ts";',
    };
    expect(cyclesOf(files)).toEqual([
      "packages/state/src/a/one.ts closes a cycle: a imports b, which leads back to a",
      "packages/state/src/b/two.ts closes a cycle: b imports a, which leads back to b",
    ]);
  });

  it("refuses a cycle that leads through several folders or through a file beside them, and names only its members", () => {
    const files = {
      "top/start.ts": 'import "../a/one.ts";',
      "a/one.ts": 'import "../b/deep/two.ts";',
      "b/deep/two.ts": 'import "../../host.ts";',
      "host.ts": 'import "./a/other.ts";',
    };
    expect(cyclesOf(files)).toEqual([
      "packages/state/src/a/one.ts closes a cycle: a imports b, which leads back to a",
      "packages/state/src/b/deep/two.ts closes a cycle: b imports host.ts, which leads back to b",
      "packages/state/src/host.ts closes a cycle: host.ts imports a, which leads back to host.ts",
    ]);
  });
});

describe("purity", () => {
  const file = { path: "packages/state/src/a.ts", text: 'import "node:fs";\nimport "path";\nprocess.exit();' };

  it("refuses builtins, globals and references to a platform's types", () => {
    expect(findPurityProblems([file], [])).toEqual([
      "packages/state/src/a.ts:1 uses node:fs",
      "packages/state/src/a.ts:2 uses path",
      "packages/state/src/a.ts:3 uses process",
    ]);
    const reference = { path: "a.ts", text: '/// <reference types="node" />' };
    expect(findPurityProblems([reference], [])).toEqual(["a.ts:1 uses /// <reference"]);
  });

  it("accepts a declared exception for that file and that global only", () => {
    const exception = { file: file.path, global: "process", reason: "sample" };
    expect(findPurityProblems([file], [exception])).toHaveLength(2);
    expect(findPurityProblems([{ ...file, path: "packages/state/src/b.ts" }], [exception])).toHaveLength(4);
  });

  it("refuses an exception that excuses nothing", () => {
    const exception = { file: "a.ts", global: "process", reason: "sample" };
    expect(findPurityProblems([{ path: "a.ts", text: "" }], [exception])).toEqual([
      "the exception for process in a.ts is not needed",
    ]);
  });
});

describe("house rules", () => {
  it("refuses names that say nothing", () => {
    const paths = ["src/utils.ts", "src/helpers.ts", "x/common.mjs", "manager.ts", "base.ts"];
    expect(findNamelessFiles([...paths, "src/state-manager.ts", "src/database.ts", "tsconfig.base.json"])).toEqual(
      paths,
    );
  });

  it.each([
    'export { a, b as c } from "./a.ts";',
    'export type { A } from "./a.ts";',
    'import "./require-node.ts";',
    "// only words",
  ])("accepts in an index: %s", (text) => expect(findIndexProblems({ path: "index.ts", text })).toEqual([]));

  it.each([
    'export * from "./a.ts";',
    'export * as all from "./a.ts";',
    "export const x: number = 1;",
    "export { a };",
    'import "./other.ts";',
    'import { a } from "./a.ts";',
    'export { a } from "./a.ts"; start();',
    "export default 1;",
  ])("refuses in an index: %s", (text) => {
    expect(findIndexProblems({ path: "index.ts", text })).toEqual(["index.ts:1 is more than a list of exports"]);
  });
});

describe("manifests", () => {
  const sound = {
    name: "@reprise/state",
    version: "0.1.0",
    license: "Apache-2.0",
    type: "module",
    exports: { ".": { "reprise-source": "./src/index.ts", types: "./dist/index.d.ts", default: "./dist/index.js" } },
  };

  function problemsWith(manifest: object, files: Readonly<Record<string, string>> = {}): readonly string[] {
    const root = createTemporaryFolder({
      "package.json": '{ "version": "0.1.0" }',
      LICENSE: "licence",
      "packages/state/package.json": JSON.stringify(manifest),
      "packages/state/README.md": "state",
      "packages/state/LICENSE": "licence",
      "packages/state/src/index.ts": "",
      ...files,
    });
    return readWorkspace(root).flatMap((owner) => findManifestProblems(root, owner));
  }

  it("accepts a sound package", () => expect(problemsWith(sound)).toEqual([]));

  it.each([
    [{ name: "state" }, "is called state"],
    [{ version: "0.2.0" }, "has version 0.2.0, the repository 0.1.0"],
    [{ type: "commonjs" }, "is not type: module"],
    [{ license: "MIT" }, "is not licensed Apache-2.0"],
    [{ exports: {} }, "exports no main module"],
    [{ exports: { ".": "./dist/index.js" } }, "exports . without conditions"],
    [
      { exports: { ".": { types: "./dist/index.d.ts", "reprise-source": "./src/index.ts" } } },
      "exports . without reprise-source in front",
    ],
    [
      { exports: { ".": { ...sound.exports["."], default: "./dist/other.js" } } },
      "exports . with types or default that are not built from ./src/index.ts",
    ],
    [{ dependencies: { "@reprise/x": "^0.1.0" } }, "depends on @reprise/x ^0.1.0, not on 0.1.0"],
  ])("refuses %j", (change, problem) => {
    expect(problemsWith({ ...sound, ...change })).toEqual([`packages/state ${problem}`]);
  });

  it("refuses another licence text, and a folder without anything", () => {
    expect(problemsWith(sound, { "packages/state/LICENSE": "other" })).toEqual([
      "packages/state has another LICENSE than the repository",
    ]);
    const problems = problemsWith(sound, { "packages/empty/note.txt": "" });
    expect(problems).toContain("packages/empty has no package.json");
    expect(problems).toContain("packages/empty has no README.md");
    expect(problems).toContain("packages/empty has no LICENSE");
  });
});
