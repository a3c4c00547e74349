import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify, stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const FOLDER = fileURLToPath(new URL("./", import.meta.url));
const CLIENT = `"${process.execPath}" --conditions=reprise-source "${FOLDER}client.ts"`;
const run = promisify(execFile);

type Runner = "conformance-2025" | "conformance-2026";

/** Runs the official runner against our client; answers with what it prints, however it ended. */
async function conformance(runner: Runner, ...options: readonly string[]): Promise<string> {
  const program = `${FOLDER}node_modules/${runner}/dist/index.js`;
  const given = ["client", "--command", CLIENT, "--timeout", "120000", ...options];
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

/** What the plugin fails of revision 2026-07-28, and why. All of it is extensions, which the revision does not require. */
const EXPECTED_FAILURES: readonly { readonly scenario: string; readonly reason: string }[] = [
  { scenario: "auth/client-credentials-basic", reason: "extension: the plugin has a person authorize, not a machine" },
  { scenario: "auth/client-credentials-jwt", reason: "extension: the plugin has a person authorize, not a machine" },
  { scenario: "auth/dpop", reason: "extension: tokens are not bound to a key" },
  { scenario: "auth/dpop-nonce", reason: "extension: tokens are not bound to a key" },
  { scenario: "auth/enterprise-managed-authorization", reason: "extension: no tokens of an identity provider" },
  { scenario: "auth/wif-jwt-bearer", reason: "extension: no tokens of a workload's identity" },
];

describe("the plugin mcp as a client of the conformance runner 0.2.0-alpha.12", () => {
  it("passes everything that revision 2026-07-28 requires, and fails exactly the extensions it does not have", async () => {
    const said = await conformance("conformance-2026", "--requirements", "2026-07-28");
    const scenarios = [...stripVTControlCharacters(said).matchAll(/^([✓✗]) (\S+): \d+ passed, \d+ failed/gm)];
    const failed = scenarios.filter(([, mark]) => mark === "✗").map(([, , scenario = ""]) => scenario);
    for (const { scenario, reason } of EXPECTED_FAILURES) console.info(`expected to fail: ${scenario} (${reason})`);
    expect(failed.sort(), said.slice(-20_000)).toEqual(EXPECTED_FAILURES.map(({ scenario }) => scenario));
    // A runner that ran nothing would fail nothing.
    expect(scenarios.length).toBeGreaterThanOrEqual(39);
  }, 300_000);
});

/** What the server has none of. A scenario about it fails, and is expected to. */
const WITHOUT = {
  resources: "the server has agents and tools, and no resources",
  prompts: "the server has no prompts",
  completion: "the server completes no arguments",
  logging: "runs are read by their events, not by log messages",
  sampling: "runs have models of their own and ask clients for none",
} as const;

type Expected = Readonly<Record<string, string>>;

const OF_BOTH: Expected = {
  "completion-complete": WITHOUT.completion,
  "prompts-get-embedded-resource": WITHOUT.prompts,
  "prompts-get-simple": WITHOUT.prompts,
  "prompts-get-with-args": WITHOUT.prompts,
  "prompts-get-with-image": WITHOUT.prompts,
  "prompts-list": WITHOUT.prompts,
  "resources-list": WITHOUT.resources,
  "resources-read-binary": WITHOUT.resources,
  "resources-read-text": WITHOUT.resources,
  "resources-templates-read": WITHOUT.resources,
};

const OF_2025: Expected = {
  ...OF_BOTH,
  "logging-set-level": WITHOUT.logging,
  "resources-subscribe": WITHOUT.resources,
  "resources-unsubscribe": WITHOUT.resources,
  "tools-call-sampling": WITHOUT.sampling,
  "tools-call-with-logging": WITHOUT.logging,
};

const OF_2026: Expected = {
  ...OF_BOTH,
  caching: `of the four lists only that of tools is there and has its hints: ${WITHOUT.prompts}, nor resources`,
  "input-required-result-basic-elicitation":
    'the key of the question must be "user_name"; ours are their ids, by which any process finds them',
  "input-required-result-basic-list-roots": "a tool must ask for the roots of the client; runs ask persons alone",
  "input-required-result-basic-sampling": `a tool must ask for sampling; ${WITHOUT.sampling}`,
  "input-required-result-capability-check": `a tool must ask for sampling where the client has it; ${WITHOUT.sampling}`,
  "input-required-result-multiple-input-requests": `a tool must ask for a form, sampling and roots at once; ${WITHOUT.sampling}`,
  "input-required-result-non-tool-request": `prompts/get must ask; ${WITHOUT.prompts}`,
  "server-stateless":
    "two checks call a tool that cannot work without sampling, to see it refused (-32021); no tool here needs an ability of its client",
  "tasks-lifecycle":
    "one check calls a tool whose task fails with an error of the protocol; a tool that fails has a result with isError, as over tools/call",
  "tasks-mrtr-composition":
    "a tool must ask before its task begins; the run is durable from the start, so the task is there first and asks itself",
  "tasks-mrtr-input": "one check answers one of two questions of one call; a tool asks one question at a time",
  "tasks-required-task-error":
    "a tool must refuse clients that cannot follow tasks (-32021); here such a client waits for the result of any tool",
};

/** How many checks of a scenario fail, where it is not one: whatever else fails in it is not excused. */
const FAILED_CHECKS: Readonly<Record<string, number>> = { caching: 3, "server-stateless": 2 };

describe("the MCP server with the tools that the conformance runners ask for", () => {
  let child: ChildProcess | undefined;
  let url = "";
  beforeAll(async () => {
    child = spawn(process.execPath, ["--conditions=reprise-source", `${FOLDER}server.ts`], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (child.stdout === null) throw new Error("The server has no output.");
    url = String((await once(createInterface(child.stdout), "line"))[0]);
  }, 60_000);
  afterAll(() => void child?.kill());

  it.each([
    ["0.1.16", "conformance-2025", [], OF_2025, 30],
    ["0.2.0-alpha.12", "conformance-2026", ["--requirements", "2026-07-28"], OF_2026, 49],
  ] as const)(
    "passes everything of runner %s but what it has none of",
    async (_, runner, options, expected, count) => {
      const program = `${FOLDER}node_modules/${runner}/dist/index.js`;
      const given = ["server", "--url", `${url}/mcp`, ...options];
      const done = await run(process.execPath, [program, ...given], { maxBuffer: 64 << 20 }).catch((error) => error);
      const said = stripVTControlCharacters(`${done.stdout ?? ""}${done.stderr ?? ""}`);
      const scenarios = [...said.matchAll(/^([✓✗]) (\S+): \d+ passed, (\d+) failed/gm)];
      const failed = scenarios.filter(([, mark]) => mark === "✗").map(([, , scenario = ""]) => scenario);
      for (const [, mark, scenario = "", checks] of scenarios)
        if (mark === "✗") expect([scenario, Number(checks)]).toEqual([scenario, FAILED_CHECKS[scenario] ?? 1]);
      for (const [scenario, reason] of Object.entries(expected))
        console.info(`expected to fail: ${scenario} (${reason})`);
      expect(failed.sort(), said.slice(-20_000)).toEqual(Object.keys(expected).sort());
      // A runner that ran nothing would fail nothing.
      expect(scenarios.length).toBeGreaterThanOrEqual(count);
    },
    300_000,
  );
});
