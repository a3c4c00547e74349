import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCaptured } from "../../../scripts/run-process.mjs";
import { createModuleFolder } from "./support/module-folder.ts";

const PAGE = join(import.meta.dirname, "../../../docs/how-to/use-from-an-editor.md");
const MAIN = join(import.meta.dirname, "../src/main.ts");

it("the client of the page about editors prints what the page says", async () => {
  const page = readFileSync(PAGE, "utf8");
  const [, program = "", expected = ""] =
    /```ts no-run: it starts[^\n]*\n(.*?)```\n\n```text\n(.*?)```/s.exec(page) ?? [];
  expect(program.trim().split("\n").length).toBeLessThanOrEqual(20);
  const started = `spawn(${JSON.stringify(process.execPath)}, ["--conditions=reprise-source", ${JSON.stringify(MAIN)}, "acp"`;
  const cwd = createModuleFolder({});
  writeFileSync(join(cwd, "editor.ts"), program.replace('spawn("npx", ["reprise", "acp"', started));
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, REPRISE_DEMO_PACE: "0" };
  const ended = await runCaptured(process.execPath, [join(cwd, "editor.ts")], { cwd, env, timeoutMs: 60_000 });
  expect(ended).toMatchObject({ code: 0, stdout: expected });
});
