import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pathWithoutOwnPrograms } from "../scripts/bootstrap/install.mjs";
import { TASKS } from "../scripts/bootstrap/tasks.mjs";
import { ROOT } from "../scripts/repository.mjs";
import { runCaptured } from "../scripts/run-process.mjs";
import { createTemporaryFolder } from "./support/temporary-folder.ts";

/** Writes down how it was called and leaves behind what a real `npm ci` would: a lockfile and the pinned Node. */
const FAKE_NPM = `#!/bin/sh
echo "$@" >> npm-calls.txt
echo "$PATH" >> npm-path.txt
[ -e npm-fails ] && { echo "npm broke" >&2; exit 9; }
mkdir -p node_modules/.bin
[ -e scripts-blocked ] || ln -sf "${process.execPath}" node_modules/.bin/node
touch node_modules/.package-lock.json
`;

/** The file that `npm start` runs; here it is whatever a test wants it to be. */
const STARTED = TASKS.start?.command.at(-1) ?? "";

const PROGRAM = `
console.log(JSON.stringify({ arguments: process.argv.slice(2), conditions: process.execArgv, node: process.argv0 }));
process.exitCode = 7;
`;

function createProject(files: Readonly<Record<string, string>> = {}): string {
  const project = createTemporaryFolder({
    "bin/npm": FAKE_NPM,
    "package-lock.json": "{}",
    [STARTED]: PROGRAM,
    ...files,
  });
  cpSync(join(ROOT, "scripts"), join(project, "scripts"), { recursive: true });
  // There is no studio to build here.
  writeFileSync(join(project, "scripts/studio.mjs"), "");
  return project;
}

function markInstalled(project: string, lockfile: "older" | "newer"): void {
  mkdirSync(join(project, "node_modules/.bin"), { recursive: true });
  symlinkSync(process.execPath, join(project, "node_modules/.bin/node"));
  writeFileSync(join(project, "node_modules/.package-lock.json"), "{}");
  const installedAt = new Date(2026, 0, 2);
  const changedAt = new Date(2026, 0, lockfile === "older" ? 1 : 3);
  utimesSync(join(project, "node_modules/.package-lock.json"), installedAt, installedAt);
  utimesSync(join(project, "package-lock.json"), changedAt, changedAt);
}

function bootstrap(project: string, ...commandLine: readonly string[]) {
  const env = { PATH: `${join(project, "node_modules/.bin")}:${join(project, "bin")}:/usr/bin:/bin` };
  return runCaptured(process.execPath, ["scripts/bootstrap.mjs", ...commandLine], { cwd: project, env });
}

const npmCalls = (project: string): string =>
  existsSync(join(project, "npm-calls.txt")) ? readFileSync(join(project, "npm-calls.txt"), "utf8") : "";

describe("bootstrap", () => {
  it("installs in a fresh clone, says so, and then runs the task", async () => {
    const project = createProject();
    const { stdout, code } = await bootstrap(project, "start");
    expect(stdout).toMatch(/^Installing dependencies with npm ci: there is no node_modules yet.*\n\{/);
    expect(npmCalls(project)).toMatch(/^ci --loglevel=error/);
    expect(code).toBe(7);
  });

  it("installs anew when the lockfile is newer than what is installed", async () => {
    const project = createProject();
    markInstalled(project, "newer");
    const { stdout } = await bootstrap(project, "start");
    expect(stdout).toContain("npm ci: package-lock.json is newer than node_modules.");
    expect(npmCalls(project)).toMatch(/^ci /);
  });

  it("installs anew when an installation was cut short", async () => {
    const project = createProject({ "node_modules/half/package.json": "{}" });
    const { stdout } = await bootstrap(project, "start");
    expect(stdout).toContain("npm ci: node_modules is incomplete.");
  });

  it("does not install what is current, and says nothing", async () => {
    const project = createProject();
    markInstalled(project, "older");
    const { stdout } = await bootstrap(project, "start");
    expect(npmCalls(project)).toBe("");
    expect(stdout).toMatch(/^\{/);
  });

  it("hands arguments to the task, runs it under the pinned Node and answers its exit code", async () => {
    const project = createProject();
    markInstalled(project, "older");
    const { stdout, code } = await bootstrap(project, "start", "--flag", "two words", "--", "*");
    expect(JSON.parse(stdout)).toEqual({
      arguments: ["--flag", "two words", "--", "*"],
      conditions: ["--conditions=reprise-source"],
      node: join(project, "node_modules/.bin/node"),
    });
    expect(code).toBe(7);
  });

  it("keeps npm ci away from the folder it is about to delete", async () => {
    const project = createProject();
    markInstalled(project, "newer");
    await bootstrap(project, "start");
    const path = readFileSync(join(project, "npm-path.txt"), "utf8").trim();
    expect(path).toBe(`${join(project, "bin")}:/usr/bin:/bin`);
    expect(pathWithoutOwnPrograms("/a", "/a/node_modules/.bin:/a/node_modules_other:/b")).toBe(
      "/a/node_modules_other:/b",
    );
  });

  it("stops with npm's exit code when npm fails", async () => {
    const project = createProject({ "npm-fails": "" });
    const { output, code } = await bootstrap(project, "start");
    expect(output).toContain("npm broke");
    expect(output).toContain("npm ci failed with exit code 9");
    expect(code).toBe(9);
  });

  it("names the remedy when the pinned Node is missing", async () => {
    const project = createProject({ "scripts-blocked": "" });
    const { stderr, code } = await bootstrap(project, "start");
    expect(stderr).toContain("node_modules/.bin/node) is missing");
    expect(stderr).toContain("Remedy: npm rebuild node --ignore-scripts=false");
    expect(code).toBe(1);
  });

  it.each([
    [["dance"], 'There is no task "dance"'],
    [["toString"], 'There is no task "toString"'],
    [[], "A task is needed"],
  ])("lists the tasks when asked for %j", async (commandLine, complaint) => {
    const project = createProject();
    const { stderr, code } = await bootstrap(project, ...commandLine);
    expect(stderr).toContain(complaint);
    expect(stderr).toMatch(/^ {2}start +\w/m);
    expect(npmCalls(project)).toBe("");
    expect(code).toBe(2);
  });

  it("says in one line that Node is too old", async () => {
    const older = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"18.19.1"}})';
    const { output, code } = await runCaptured(process.execPath, ["--import", older, "scripts/bootstrap.mjs", "test"], {
      cwd: createProject(),
    });
    expect(output).toBe("Reprise needs Node 20 or newer to set itself up; this is Node 18.19.1.\n");
    expect(code).toBe(1);
  });
});

describe("signals", () => {
  async function signalWhenReady(program: string, signal: NodeJS.Signals): Promise<number | null> {
    const project = createProject({ [STARTED]: program });
    markInstalled(project, "older");
    const child = spawn(process.execPath, ["scripts/bootstrap.mjs", "start"], {
      cwd: project,
      stdio: ["ignore", "pipe", "inherit"],
    });
    child.stdout.once("data", () => child.kill(signal));
    return await new Promise((resolve) => child.on("close", resolve));
  }

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("passes %s on and waits for the task to end", async (signal) => {
    const program = `process.on("${signal}", () => process.exit(42)); setInterval(() => {}, 1000); console.log("ready");`;
    expect(await signalWhenReady(program, signal)).toBe(42);
  });

  // npm starts a shell, and a shell that is told to end leaves what it started behind.
  it.each([
    ["SIGTERM to npm", (npm: ChildProcess): boolean => npm.kill("SIGTERM")],
    // A terminal sends it to all processes of its foreground group.
    ["Ctrl-C", (npm: ChildProcess): boolean => process.kill(-(npm.pid ?? 0), "SIGINT")],
  ] as const)("%s ends everything that `npm start` started", async (_, end) => {
    const program = `setInterval(() => {}, 1000); process.on("SIGTERM", () => process.exit(0)); process.on("SIGINT", () => process.exit(0)); console.log("pid", process.pid);`;
    const project = createProject({
      [STARTED]: program,
      "package.json": JSON.stringify({ private: true, scripts: { start: "node scripts/bootstrap.mjs start" } }),
    });
    markInstalled(project, "older");
    const npm = spawn("npm", ["start", "--silent"], {
      cwd: project,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const pid = await new Promise<number>((resolve) => {
      let output = "";
      npm.stdout.on("data", (chunk) => {
        output += String(chunk);
        const [, found] = /pid (\d+)\n/.exec(output) ?? [];
        if (found !== undefined) resolve(Number(found));
      });
    });
    end(npm);
    // It writes to the same pipe: that closes when the last of them is gone.
    await new Promise((resolve) => npm.on("close", resolve));
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  it("answers as a shell does when the signal ended the task", async () => {
    expect(await signalWhenReady(`setInterval(() => {}, 1000); console.log("ready");`, "SIGTERM")).toBe(128 + 15);
  });
});
