import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";

/** Runs a program in a process of its own, and says which files of the tokenizer it had loaded at each of its steps. */
function watchLoading(...steps: readonly string[]): readonly number[] {
  const program = `
    import { registerHooks } from "node:module";
    let loaded = 0;
    registerHooks({ load: (url, context, next) => {
      if (url.includes("gpt-tokenizer")) loaded += 1;
      return next(url, context);
    } });
    const seen = [];
    const { createTokenCounter } = await import("@reprise/models");
    ${steps.map((step) => `${step}; seen.push(loaded);`).join("\n")}
    console.log(JSON.stringify(seen));`;
  const args = ["--conditions=reprise-source", "--input-type=module", "--eval", program];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: "utf8" }));
}

it("loads the tokenizer when somebody counts, and not before", () => {
  const [imported, created, loaded] = watchLoading("", "const counter = createTokenCounter()", "await counter.load()");
  expect([imported, created]).toEqual([0, 0]);
  expect(loaded).toBeGreaterThan(0);
});
