import { expect, it } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { hasTerminal, openTerminal } from "./support/open-terminal.ts";
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

it("asks a person at a terminal: Enter alone approves nothing, Ctrl-C stops the run and then leaves", async (context) => {
  if (!hasTerminal) context.skip("there is no `script` of util-linux here; the lines above were tested");
  const terminal = openTerminal(createTemporaryFolder(), "chat --demo", { REPRISE_DEMO_PACE: "1" });
  await terminal.until("elp or /quit");
  terminal.type("send a mail\r");
  await terminal.until("wants to run with");
  await terminal.until("team@example.com");
  await terminal.until("Edit");
  terminal.type("\r");
  await terminal.until("You said no, so sendEmail did not run.");
  await terminal.until("elp or /quit");
  terminal.type("do something slow\r");
  await terminal.until("slowTask 1/10");
  terminal.type("\u0003");
  await terminal.until("The run was stopped.");
  await terminal.until("elp or /quit");
  terminal.type("\u0003");
  expect(await terminal.ended).toEqual([0, null]);
});
