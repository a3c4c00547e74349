import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { linesOf, runCli } from "./support/run-cli.ts";

it("talks over several turns, and asks for each decision", async () => {
  const cwd = createTemporaryFolder();
  const input = [
    "echo one",
    "send a mail to ann@example.com saying hi",
    "perhaps",
    'edit {"to":"bob@example.com","subject":"s","body":"b"}',
    "send a mail",
    "deny not today",
    "what did I say first?",
    "/quit",
    "never said",
  ].join("\n");
  const { code, stdout, stderr } = await runCli(["chat", "--demo", "--thread", "t"], { cwd, input });
  expect(code).toBe(0);
  expect(stdout.split("\n")).toEqual([
    "I will use the tool echo.",
    "one",
    "I will use the tool sendEmail.",
    "You agreed to the mail to bob@example.com. A demonstration: nothing was sent.",
    "I will use the tool sendEmail.",
    "You said no, so sendEmail did not run.",
    "You have said 4 things in this thread. The first was: echo one",
    "",
  ]);
  expect(stderr).toContain('→ echo {"message":"one"}');
  expect(stderr).toContain("Say approve, deny, edit <json> or supply <json>.");
});

it("answers /help itself, and sends no command to the model", async () => {
  const cwd = createTemporaryFolder();
  const input = ["/help", "/hlep", "echo one", "/quit"].join("\n");
  const { code, stdout, stderr } = await runCli(["chat", "--demo", "--thread", "t"], { cwd, input });
  expect([code, stdout]).toEqual([0, "I will use the tool echo.\none\n"]);
  expect(stderr).toContain("/quit   leaves");
  expect(stderr).toContain("There is no command /hlep.");
});

it("issue 14.20: says what is wrong with edited arguments, and asks again", async () => {
  const cwd = createTemporaryFolder();
  const input = ["send a mail", 'edit {"to":5}', "approve", "/quit"].join("\n");
  const { code, stdout, stderr } = await runCli(["chat", "--demo", "--thread", "t"], { cwd, input });
  expect(code).toBe(0);
  expect(stderr).toMatch(/The edited arguments of sendEmail were refused, and the question stays open: /);
  expect(stdout).toContain("You agreed to the mail to ");
});

it("issue 14.20: `decide … edit` with arguments the tool does not take fails, and the question is still there", async () => {
  const cwd = createTemporaryFolder();
  await runCli(["run", "approver", "hello", "--demo", "--thread", "t"], { cwd });
  const waiting = async () => JSON.parse((await runCli(["decide", "--demo", "--json"], { cwd })).stdout).items;
  const [open] = await waiting();
  const { code, stderr } = await runCli(["decide", open.id, "edit", "--arguments", '{"to":5}', "--demo"], { cwd });
  expect([code === 0, stderr.includes("stays open")]).toEqual([false, true]);
  expect(await waiting()).toEqual([open]);
});

it("leaves with 3 when nobody answers, and asks again when it is opened again", async () => {
  const cwd = createTemporaryFolder();
  const words = ["chat", "approver", "--demo", "--thread", "t"];
  expect((await runCli(words, { cwd, input: "hello\n" })).code).toBe(3);
  const again = await runCli([...words, "--json"], { cwd, input: "approve\n" });
  expect(again.code).toBe(0);
  expect(linesOf(again).at(-1)).toMatchObject({ outcome: { status: "done" } });
});

it("shows text as text: nothing a model says reaches the terminal as a command", async () => {
  const cwd = createTemporaryFolder();
  const { stdout } = await runCli(["run", "default", "echo \u001b[2Jred\u0007\u202e", "--demo"], { cwd });
  expect(stdout).toBe("I will use the tool echo.\n[2Jred\n");
});

const script = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "";

it("asks a person at a terminal: Enter alone approves nothing, Ctrl-C stops the run and then leaves", async (context) => {
  // The one of util-linux gives a program a terminal of its own. It is part of every Debian.
  if (!script.includes("util-linux"))
    context.skip("there is no `script` of util-linux here; the lines above were tested");
  const cwd = createTemporaryFolder();
  const main = join(import.meta.dirname, "../src/main.ts");
  const command = `stty cols 120 rows 40 && exec ${process.execPath} --conditions=reprise-source ${main} chat --demo`;
  const child = spawn("script", ["-qefc", command, "/dev/null"], {
    cwd,
    env: { PATH: process.env.PATH, TERM: "xterm", HOME: cwd, REPRISE_DEMO_PACE: "1" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  let seen = "";
  const until = async (text: string): Promise<void> => {
    while (!seen.includes(text)) {
      const [chunk] = await Promise.race([
        once(child.stdout, "data"),
        ended.then(() => Promise.reject(new Error(`It ended before it said ${text}:\n${seen}`))),
      ]);
      seen += String(chunk);
    }
    seen = seen.slice(seen.indexOf(text) + text.length);
  };
  await until("ay something");
  child.stdin.write("send a mail\r");
  await until("wants to run with");
  await until("team@example.com");
  await until("Edit");
  child.stdin.write("\r");
  await until("You said no, so sendEmail did not run.");
  await until("ay something");
  child.stdin.write("do something slow\r");
  await until("slowTask 1/10");
  child.stdin.write("\u0003");
  await until("The run was stopped.");
  await until("ay something");
  child.stdin.write("\u0003");
  expect(await ended).toEqual([0, null]);
});
