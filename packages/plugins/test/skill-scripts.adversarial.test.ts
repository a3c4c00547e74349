import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { textOf } from "@reprise/contracts";
import { type ScriptOptions, skills } from "@reprise/plugins/skills";
import { eventually } from "@reprise/testkit";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openAgent } from "./support/open-agent.ts";
import { makeFolder, skillMd } from "./support/skill-folder.ts";

interface Outcome {
  readonly ok: boolean;
  readonly exit_code: number | null;
  readonly stopped?: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly stdout_truncated: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Has the model run one script of the skill `x`, and answers with the result. */
async function runScript(
  script: string,
  {
    options = {},
    args = [],
    path = "scripts/run.sh",
  }: { options?: ScriptOptions; args?: readonly string[]; path?: string } = {},
) {
  const folder = await makeFolder({
    "x/SKILL.md": skillMd("x"),
    "x/scripts/run.sh": script,
    "x/scripts/run.py": script,
    "x/scripts/run.rb": script,
    "x/notes.sh": script,
  });
  const { run, model, verify } = await openAgent({
    plugins: [skills({ folders: [folder], scan: [], scripts: options })],
    script: [[{ call: "skill_script", arguments: { skill: "x", script: path, args } }], "ok"],
  });
  const outcome = await run();
  expect(outcome.status).toBe("done");
  expect(await verify(outcome)).toMatchObject({ equal: true });
  const result: Outcome = JSON.parse(
    textOf(model.requests[1]?.messages.find(({ role }) => role === "tool") ?? { content: "" }),
  );
  return { ...result, folder };
}

/** Whether a process runs whose command line has this word. */
function isRunning(word: string): boolean {
  return execFileSync("ps", ["-axww", "-o", "command="], { encoding: "utf8" }).includes(word);
}

/** Starts what follows in a session of its own, so that it leaves the group of the script. */
const AWAY = process.platform === "linux" ? "setsid" : "";

describe("a script of a skill", () => {
  it("runs only where code turned scripts on", async () => {
    const folder = await makeFolder({ "x/SKILL.md": skillMd("x"), "x/scripts/run.sh": "echo ran" });
    const { run, model } = await openAgent({
      plugins: [skills({ folders: [folder], scan: [] })],
      script: [[{ call: "skill_script", arguments: { skill: "x", script: "scripts/run.sh" } }], "ok"],
    });
    await run();
    expect(model.requests[0]?.tools.map(({ id }) => id)).not.toContain("skill_script");
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain("ran");
  });

  it("gets its arguments as they are, in the skill's folder", async () => {
    const args = ["$(touch pwned)", "; echo hi", "a b", "'\"`", "-n"];
    const result = await runScript('pwd\nprintf "%s\\n" "$@"\nexit 3', { args });
    expect(result).toMatchObject({ ok: false, exit_code: 3, skill_id: "x", script: "scripts/run.sh" });
    expect(result.stdout.split("\n").slice(1, -1)).toEqual(args);
    expect(result.stdout).toMatch(/\/x\n/);
    expect(existsSync(join(result.folder, "x/pwned"))).toBe(false);
  });

  it("runs Python by its name, and nothing else", async () => {
    expect(
      await runScript("import sys\nprint(sys.argv[1])", { path: "scripts/run.py", args: ["hello"] }),
    ).toMatchObject({ ok: true, stdout: "hello\n" });
    for (const path of ["scripts/run.rb", "notes.sh", "scripts/../notes.sh", "/bin/sh", "scripts/none.sh"]) {
      expect((await runScript("echo ran", { path })).error?.code).toBe("invalid_path");
    }
  });

  it("sees no secret of the server's environment, and a home of its own that is removed", async () => {
    vi.stubEnv("PLANTED_SECRET", "hunter2");
    vi.stubEnv("ALLOWED", "yes");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { stdout } = await runScript('env; touch "$HOME/here"', { options: { environment: ["ALLOWED"] } });
    expect(stdout).toContain("ALLOWED=yes");
    expect(stdout).not.toContain("hunter2");
    const home = /^HOME=(.*)$/m.exec(stdout)?.[1] ?? "";
    expect(home).toContain("reprise-skill-");
    expect(existsSync(home)).toBe(false);
  });

  it("has no network where the platform allows", async () => {
    const hasNamespaces =
      spawnSync("unshare", ["--user", "--map-current-user", "--net", "--pid", "--fork", "true"]).status === 0;
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const script = `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`;
    expect((await runScript(script)).ok).toBe(!hasNamespaces);
    expect(asked).toHaveLength(hasNamespaces ? 0 : 1);
    // The same script reaches the server when nothing keeps it from doing so.
    expect((await runScript(script, { options: { sandbox: [] } })).ok).toBe(true);
  });

  it("that hangs and ignores SIGTERM is stopped, with every process it made, also those that left its group", async () => {
    const word = `sleeper-${Math.random().toString(36).slice(2)}`;
    const script = `trap "" TERM INT HUP
${AWAY} bash -c 'trap "" TERM; exec -a ${word} sleep 300' &
(bash -c 'exec -a ${word} sleep 300' & )
echo started
while :; do sleep 300; done`;
    const result = await runScript(script, { options: { timeoutMs: 400 } });
    expect(result).toMatchObject({ ok: false, exit_code: null, stopped: "timeout", stdout: "started\n" });
    await eventually(() => expect(isRunning(word)).toBe(false));
  });

  it("that ends leaves nothing behind, and nothing it left holds up its result", async () => {
    const word = `left-${Math.random().toString(36).slice(2)}`;
    const result = await runScript(
      `${AWAY} bash -c 'exec -a ${word} sleep 300' &\nbash -c 'exec -a ${word} sleep 300' &\necho done`,
    );
    expect(result).toMatchObject({ ok: true, stdout: "done\n" });
    await eventually(() => expect(isRunning(word)).toBe(false));
  });

  it("leaves nothing behind without namespaces either", async () => {
    const word = `bare-${Math.random().toString(36).slice(2)}`;
    const script = `${AWAY} bash -c 'trap "" TERM; exec -a ${word} sleep 300' &\necho done`;
    expect(await runScript(script, { options: { sandbox: [] } })).toMatchObject({ ok: true, stdout: "done\n" });
    await eventually(() => expect(isRunning(word)).toBe(false));
  });

  it("that floods its output is stopped, and the beginning is kept", async () => {
    const result = await runScript("yes flood");
    expect(result).toMatchObject({ ok: false, stopped: "output_limit", stdout_truncated: true });
    expect(result.stdout).toHaveLength(32_768);
  });

  it("cannot take more memory than its limit", async () => {
    const options = { maxMemoryBytes: 200 * 1024 ** 2 };
    const result = await runScript("x = bytearray(10**9)\nprint(len(x))", { path: "scripts/run.py", options });
    expect(result.ok).toBe(false);
    expect(result.stdout).toBe("");
  });

  it("is not run when its arguments are too many, too long, or a link leads out of the skill", async () => {
    const refused = async (args: readonly string[]) => JSON.stringify(await runScript("echo ran", { args }));
    expect(await refused(Array(65).fill("x"))).toContain("invalid_arguments");
    expect(await refused(["x".repeat(9_000)])).toContain("8192 bytes");
    expect(await refused(Array(10).fill("x".repeat(8_000)))).toContain("65536 bytes");
    const folder = await makeFolder({ "x/SKILL.md": skillMd("x"), "x/scripts/ok.sh": "", "outside.sh": "echo ran" });
    await symlink(join(folder, "outside.sh"), join(folder, "x/scripts/run.sh"));
    const { run, model } = await openAgent({
      plugins: [skills({ folders: [folder], scan: [], scripts: true })],
      script: [[{ call: "skill_script", arguments: { skill: "x", script: "scripts/run.sh" } }], "ok"],
    });
    await run();
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("invalid_path");
  });

  it("that was changed after it ran asks a person before it runs again, in any thread", async () => {
    const folder = await makeFolder({
      "x/SKILL.md": skillMd("x"),
      "x/scripts/run.sh": "echo one",
      "x/scripts/lib.sh": "",
    });
    const { runtime, model, verify } = await openAgent({
      plugins: [skills({ folders: [folder], scan: [], scripts: true })],
      script: [[{ call: "skill_script", arguments: { skill: "x", script: "scripts/run.sh" } }], "ok"],
    });
    const run = (threadId: string) => runtime.runToCompletion({ agent: "agent", threadId, input: "go" });
    expect(await run("t1")).toMatchObject({ status: "done" });
    expect(await run("t2")).toMatchObject({ status: "done" });
    // A file beside the script counts too: the script may call it.
    await writeFile(join(folder, "x/scripts/lib.sh"), "curl evil.example");
    const asked = await run("t3");
    expect(asked).toMatchObject({ status: "waiting" });
    const [question] = await runtime.decisions.list({ threadId: "t3" });
    expect(JSON.stringify(question)).toContain("have changed since they last ran");
    await runtime.decisions.decide(question?.id ?? "", { action: "approve" });
    await eventually(async () => expect((await runtime.runs({ threadId: "t3" })).items[0]?.status).toBe("done"));
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("one");
    expect(await verify(asked)).toMatchObject({ equal: true });
    expect(await run("t4")).toMatchObject({ status: "done" });
  });

  it("is stopped when its run is cancelled", async () => {
    const word = `cancel-${Math.random().toString(36).slice(2)}`;
    const folder = await makeFolder({ "x/SKILL.md": skillMd("x"), "x/scripts/run.sh": `exec -a ${word} sleep 300` });
    const { runtime } = await openAgent({
      plugins: [skills({ folders: [folder], scan: [], scripts: true })],
      script: [[{ call: "skill_script", arguments: { skill: "x", script: "scripts/run.sh" } }], "ok"],
    });
    const run = await runtime.start({ agent: "agent", input: "go" });
    await eventually(() => expect(isRunning(word)).toBe(true));
    await run.cancel();
    await run.outcome();
    await eventually(() => expect(isRunning(word)).toBe(false));
  });
});
