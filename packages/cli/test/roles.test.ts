import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createModuleFolder } from "./support/module-folder.ts";
import { runCli } from "./support/run-cli.ts";
import { runHere } from "./support/run-here.ts";

const SERVE = ["serve", "--demo", "--http-addr", "127.0.0.1:0"] as const;

describe("the role of a process", () => {
  it.each([
    ["an unknown role", ["--role", "boss"], '--role is api, worker, all, not "boss".'],
    ["an unknown migration", ["--migrate", "later"], '--migrate is auto, never, not "later".'],
    [
      "a limit in words",
      ["--drain-ms", "8s"],
      '--drain-ms must be a whole number of milliseconds from 0 to 3600000 (got "8s").',
    ],
    ["a notice of a day", ["--notice-ms", "86400000"], "--notice-ms must be a whole number of milliseconds"],
  ])("refuses %s and starts nothing", async (_, words, message) => {
    const folder = join(createModuleFolder({}), "threads");
    const ended = await runHere(...SERVE, "--storage-dir", folder, ...words);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain(message);
    expect(existsSync(folder)).toBe(false);
  });

  it("refuses to share a store that is in memory", async () => {
    const cwd = createModuleFolder({ "reprise.json": JSON.stringify({ store: { kind: "memory" } }) });
    const ended = await runCli([...SERVE, "--config", "reprise.json", "--role", "worker"], { cwd });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(
      "A process with the role worker shares its work with others, and its store is in memory.",
    );
  });

  it("refuses a role for a module that exports a runtime of its own", async () => {
    const module = `import { createRuntime, memory } from "reprise";\nexport const runtime = await createRuntime({ agents: [], store: memory() });`;
    const cwd = createModuleFolder({ "agents.ts": module });
    const ended = await runCli(["serve", "agents.ts", "--http-addr", "127.0.0.1:0"], {
      cwd,
      env: { REPRISE_ROLE: "api" },
    });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("agents.ts exports its own runtime.");
  });
});

it("has nothing to migrate in a SQLite file, and makes none", async () => {
  const folder = join(createModuleFolder({}), "threads");
  const ended = await runHere("migrate", "--storage-dir", folder, "--json");
  expect([ended.code, JSON.parse(ended.stdout)]).toEqual([
    0,
    { store: `SQLite file ${join(folder, "reprise.db")}`, has_schema: false },
  ]);
  expect(existsSync(folder)).toBe(false);
});
