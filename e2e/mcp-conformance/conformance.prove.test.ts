import { execFile, execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";

const FOLDER = fileURLToPath(new URL("./", import.meta.url));
const CLIENT = `"${process.execPath}" --conditions=reprise-source "${FOLDER}client.ts"`;
const run = promisify(execFile);

type Runner = "conformance-2025" | "conformance-2026";

/** Runs the official runner against our client; answers with what it prints, however it ended. */
async function conformance(runner: Runner, ...options: readonly string[]): Promise<string> {
  const program = `${FOLDER}node_modules/${runner}/dist/index.js`;
  const given = ["client", "--command", CLIENT, "--timeout", "60000", ...options];
  const done = await run(process.execPath, [program, ...given], { maxBuffer: 64 << 20 }).catch((error) => error);
  return `${done.stdout ?? ""}${done.stderr ?? ""}`;
}

/** Installs the runners on first use, and when the lockfile has changed. */
beforeAll(() => {
  const versions = (lockfile: string): string | undefined => {
    if (!existsSync(FOLDER + lockfile)) return undefined;
    const { packages } = JSON.parse(readFileSync(FOLDER + lockfile, "utf8"));
    const names: readonly Runner[] = ["conformance-2025", "conformance-2026"];
    return names.map((name) => packages[`node_modules/${name}`]?.version).join();
  };
  if (versions("node_modules/.package-lock.json") === versions("package-lock.json")) return;
  console.error("e2e/mcp-conformance: installing the conformance runners with npm ci (once)");
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: FOLDER, stdio: "pipe" });
}, 180_000);

describe("the plugin mcp as a client of the conformance runner 0.1.16", () => {
  it.each(["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"])(
    "passes %s",
    async (scenario) => {
      expect(await conformance("conformance-2025", "--scenario", scenario)).toContain("OVERALL: PASSED");
    },
    120_000,
  );

  it("passes the auth suite: discovery, client id metadata documents, registration, scopes and step-up", async () => {
    const said = await conformance("conformance-2025", "--suite", "auth");
    expect(said).toMatch(/Total: \d{3} passed, 0 failed, 0 warnings/);
  }, 240_000);
});
