import { describe, expect, it } from "vitest";
import { findPackingProblems, readPackedFiles } from "../scripts/verify/check-packages.mjs";
import { findUnusedExports } from "../scripts/verify/find-unused-exports.mjs";
import { checkImportSize } from "../scripts/verify/measure-import.mjs";
import { readSkipped } from "../scripts/verify/read-skipped.mjs";
import { runExamples } from "../scripts/verify/run-examples.mjs";
import { runSteps } from "../scripts/verify/run-steps.mjs";
import { createTemporaryFolder } from "./support/temporary-folder.ts";

describe("runSteps", () => {
  const ran: string[] = [];
  const step = (name: string, passed: boolean) => ({
    name,
    run: async () => {
      ran.push(name);
      return { passed, output: `${name} said this`, remark: `${name} remark` };
    },
  });

  async function run(steps: readonly ReturnType<typeof step>[], ...skipped: readonly string[]) {
    ran.length = 0;
    let text = "";
    const passed = await runSteps(steps, new Set(skipped), (part) => {
      text += part;
    });
    return {
      passed,
      lines: text
        .replace(/\d+\.\d s/g, "0.1 s")
        .trimEnd()
        .split("\n"),
    };
  }

  it("prints one line a step and a summary", async () => {
    const { passed, lines } = await run([step("lint", true), step("build", true)]);
    expect(passed).toBe(true);
    expect(lines).toEqual([
      "lint   passed    0.1 s  lint remark",
      "build  passed    0.1 s  build remark",
      "verify: 2 of 2 steps passed in 0.1 s",
    ]);
  });

  it("stops at the first failure and shows what it printed", async () => {
    const { passed, lines } = await run([step("lint", true), step("types", false), step("build", true)]);
    expect(passed).toBe(false);
    expect(ran).toEqual(["lint", "types"]);
    expect(lines.slice(1)).toEqual([
      "types  FAILED    0.1 s  types remark",
      "",
      "types said this",
      "",
      "verify: types failed after 1 of 3 steps passed",
    ]);
  });

  it("leaves a named step out and says so", async () => {
    const { passed, lines } = await run([step("lint", true), step("test", false)], "test");
    expect(passed).toBe(true);
    expect(ran).toEqual(["lint"]);
    expect(lines).toContain("test  left out");
    expect(lines.at(-1)).toBe("verify: 1 of 2 steps passed, 1 left out in 0.1 s");
  });
});

describe("readSkipped", () => {
  it("takes steps that exist and refuses others", () => {
    expect(readSkipped(["--skip", "test", "--skip=build"], ["test", "build"])).toEqual({
      skipped: new Set(["test", "build"]),
    });
    expect(readSkipped(["--skip", "tset"], ["test"]).problem).toMatch(
      /^There is no step "tset"\. Usage: .* are test\.$/,
    );
    expect(readSkipped(["--fast"], ["test"]).problem).toContain("Unknown option '--fast'");
    expect(readSkipped(["test"], ["test"]).problem).toContain("Usage");
  });
});

describe("packed files", () => {
  const sound = ["LICENSE", "README.md", "package.json", "dist/index.js", "dist/index.d.ts", "dist/apply/apply-op.js"];

  it("must have what users need", () => {
    expect(findPackingProblems(sound)).toEqual([]);
    expect(findPackingProblems(sound.filter((file) => file !== "LICENSE"))).toEqual(["LICENSE would not be published"]);
  });

  it.each(["src/index.ts", "test/a.ts", "dist/a.test.js", "dist/a.test-d.ts", "dist/.tsbuildinfo"])(
    "must not have %s",
    (file) => {
      expect(findPackingProblems([...sound, file])).toEqual([`${file} would be published`]);
    },
  );

  it("are read from either form of npm's answer", () => {
    const entry = { files: [{ path: "LICENSE" }] };
    expect(readPackedFiles(JSON.stringify([entry]))).toEqual(["LICENSE"]);
    expect(readPackedFiles(JSON.stringify({ "@reprise/state": entry }))).toEqual(["LICENSE"]);
  });
});

describe("findUnusedExports", () => {
  const manifest = (name: string, ...entries: readonly string[]) =>
    JSON.stringify({
      name,
      exports: Object.fromEntries(
        entries.map((entry) => [entry, { "reprise-source": `./src/${entry === "." ? "index" : entry.slice(2)}.ts` }]),
      ),
    });

  it("names an export that no module, test, page or public list uses", () => {
    const root = createTemporaryFolder({
      "packages/tool/package.json": manifest("@reprise/tool", ".", "./sub"),
      "packages/tool/src/index.ts":
        'export { asked, documented, listed, lost, tested } from "./inner.ts";\nexport type { Lost } from "./inner.ts";\n',
      "packages/tool/src/sub.ts": 'import { inside } from "./inner.ts";\nexport const whole = inside;\n',
      "packages/tool/src/inner.ts":
        "export const asked = 1, documented = 2, listed = 3, lost = 4, tested = 5, inside = 6, alone = 7;\n" +
        "export interface Lost {}\nexport interface Options {}\nexport function take(options: Options) {}\ntake({});\n",
      "packages/reprise/package.json": manifest("reprise", "."),
      "packages/reprise/src/index.ts": 'export { listed } from "@reprise/tool";\n',
      "packages/other/package.json": manifest("@reprise/other", "."),
      "packages/other/src/index.ts": 'import { asked } from "@reprise/tool";\nconsole.log(asked);\n',
      "packages/other/test/a.test.ts": 'import { tested } from "@reprise/tool";\nawait import("@reprise/tool/sub");\n',
      "docs/page.md": 'Words.\n\n```ts\nimport { documented } from "@reprise/tool";\n```\n',
    });
    expect(findUnusedExports(root)).toEqual([
      "packages/tool/src/index.ts exports lost, which nothing uses",
      "packages/tool/src/index.ts exports Lost, which nothing uses",
      "packages/tool/src/inner.ts exports lost, which nothing uses",
      "packages/tool/src/inner.ts exports alone, which nothing uses",
      "packages/tool/src/inner.ts exports Lost, which nothing uses",
      "packages/tool/src/inner.ts exports take, which nothing uses",
    ]);
  });
});

describe("checkImportSize", () => {
  it("measures what the root loads at once, minified, and leaves out what loads later", async () => {
    const root = createTemporaryFolder({
      "packages/reprise/package.json": "{}",
      "packages/reprise/src/index.ts":
        'import "./now.ts";\nexport const later = (): Promise<unknown> => import("./later.ts");\n',
      "packages/reprise/src/now.ts": `console.log("${"n".repeat(2_000)}");`,
      "packages/reprise/src/later.ts": `console.log("${"l".repeat(90_000)}");`,
    });
    expect(await checkImportSize(root, 3_000)).toMatchObject({
      passed: true,
      remark: expect.stringContaining("is 2 kB"),
    });
    expect(await checkImportSize(root, 1_000)).toMatchObject({
      passed: false,
      output: expect.stringContaining("the limit is 1 kB minified"),
    });
  });
});

describe("runExamples", () => {
  it("accepts examples that end well and print what they should", async () => {
    const root = createTemporaryFolder({
      "examples/01-one/main.ts": "const text: string = 'one'; console.log(text);",
      "examples/01-one/expected-output.txt": "one\n",
      "examples/02-two/main.ts": "console.log(Math.random());",
      "examples/03-three/main.ts": "process.stdin.pipe(process.stdout);",
      "examples/03-three/input.txt": "read me\n",
      "examples/03-three/expected-output.txt": "read me\n",
    });
    expect(await runExamples(root)).toEqual({ passed: true, output: "", remark: "3 ran" });
  });

  it("names each that fails or prints something else", async () => {
    const root = createTemporaryFolder({
      "examples/01-one/main.ts": "console.log('two');",
      "examples/01-one/expected-output.txt": "one\n",
      "examples/02-two/main.ts": "console.error('broke'); process.exit(3);",
    });
    const { passed, output } = await runExamples(root);
    expect(passed).toBe(false);
    expect(output).toContain("examples/01-one/main.ts printed\ntwo\n");
    expect(output).toContain("examples/02-two/main.ts ended with exit code 3:\nbroke");
  });

  it("does not pass when there is nothing to run", async () => {
    expect((await runExamples(createTemporaryFolder())).passed).toBe(false);
  });
});
