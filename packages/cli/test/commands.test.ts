import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { type Ended, linesOf, runCli } from "./support/run-cli.ts";
import { runHere } from "./support/run-here.ts";
import { createSharedFolder } from "./support/shared-folder.ts";
import { steady } from "./support/steady.ts";

const cwd = createSharedFolder();
const cli = (...words: readonly string[]): Promise<Ended> => runCli(words, { cwd });
/** The same in this process, on the same store: for what looks and ends. */
const here = (...words: readonly string[]): Promise<Ended> => runHere(...words, "--storage-dir", join(cwd, "threads"));
const golden = (name: string): string => `./golden/${name}.txt`;

/** What was done before each test looks at it: a run that is done, and one that waits. */
let done: Ended;
let waits: Ended;

beforeAll(async () => {
  done = await cli("run", "default", "what is 12*7", "--thread", "sums", "--demo", "--json");
  waits = await cli("run", "approver", "hello", "--thread", "mails", "--demo");
}, 60_000);

/** The ids of what is there, newest first. */
async function runIds(): Promise<readonly string[]> {
  const { stdout } = await cli("runs", "--json");
  const { items }: { items: readonly { run_id: string }[] } = JSON.parse(stdout);
  return items.map(({ run_id }) => run_id);
}

it("runs an agent: every event on a line, and how it ended", async () => {
  expect(done.code).toBe(0);
  expect(done.stderr).toBe("");
  await expect(steady(done.stdout)).toMatchFileSnapshot(golden("run"));
});

it("leaves with 3 when a decision is needed, and says how to decide", () => {
  expect(waits.code).toBe(3);
  expect(waits.stdout).toBe(
    "I may not do this without you. Look at the arguments, then approve, deny or change them.\n",
  );
  expect(waits.stderr).toMatch(
    /sendEmail needs a decision: May sendEmail run with these arguments\?\n {2}\{"to":"team@example\.com"/,
  );
  expect(waits.stderr).toMatch(/reprise decide \S+-c0 approve/);
});

it("lists and shows threads, runs and what waits", async () => {
  const [newest = ""] = await runIds();
  const [threads, thread, runs, run, open, events] = await Promise.all([
    cli("threads", "--json"),
    here("threads", "show", "sums", "--json"),
    cli("runs", "list", "--status", "waiting", "--json"),
    here("runs", "show", newest, "--json"),
    cli("decide", "--json"),
    here("runs", "events", newest, "--json"),
  ]);
  await expect(steady(threads.stdout)).toMatchFileSnapshot(golden("threads-list"));
  await expect(steady(thread.stdout)).toMatchFileSnapshot(golden("threads-show"));
  await expect(steady(runs.stdout)).toMatchFileSnapshot(golden("runs-list"));
  await expect(steady(run.stdout)).toMatchFileSnapshot(golden("runs-show"));
  await expect(steady(open.stdout)).toMatchFileSnapshot(golden("decide-list"));
  expect(linesOf(events).at(-1)).toMatchObject({
    event: { type: "run_finish", data: { termination: { type: "suspended" } } },
  });
});

it("replays a run, and forks its thread at a version", async () => {
  const runId = (await runIds()).at(-1) ?? "";
  const [replayed, forked] = await Promise.all([
    cli("replay", runId, "--demo", "--json"),
    here("fork", "sums", "--at", "1", "--as", "sums-again", "--json"),
  ]);
  await expect(steady(replayed.stdout)).toMatchFileSnapshot(golden("replay"));
  expect(replayed.code).toBe(0);
  await expect(steady(forked.stdout)).toMatchFileSnapshot(golden("fork"));
  const deleted = await here("threads", "delete", "sums-again", "--json");
  expect(linesOf(deleted)).toEqual([{ deleted: "sums-again" }]);
});

it("issue 14.31: verifies a run by its recording, without the agents it was made with", async () => {
  const runId = (await runIds()).at(-1) ?? "";
  const [verified, asked] = await Promise.all([
    cli("replay", runId, "--json"),
    cli("replay", runId, "--mode", "reexecute", "--json"),
  ]);
  expect(linesOf(verified)).toMatchObject([{ run_id: runId, mode: "verify", equal: true }]);
  expect(verified.code).toBe(0);
  expect(asked.code, "only asking today's plugins needs them").not.toBe(0);
});

it("verifies an exported run from its file alone, without a store and without agents, and finds an edit", async () => {
  const runId = (await runIds()).at(-1) ?? "";
  const elsewhere = createTemporaryFolder();
  const exported = await here("runs", "export", runId);
  const file = join(elsewhere, "run.json");
  const verify = (): Promise<Ended> => runHere("replay", file, "--storage-dir", join(elsewhere, "none"), "--json");
  writeFileSync(file, exported.stdout);
  const verified = await verify();
  expect([verified.code, JSON.parse(verified.stdout)]).toMatchObject([
    0,
    { run_id: runId, mode: "verify", equal: true },
  ]);
  writeFileSync(file, exported.stdout.replace("12*7", "12*8"));
  expect((await verify()).code).toBe(1);
  const missing = await runHere("replay", join(elsewhere, "other.json"));
  expect([missing.code, missing.stderr]).toEqual([
    2,
    expect.stringContaining("Export a run with: reprise runs export"),
  ]);
  expect(existsSync(join(elsewhere, "none"))).toBe(false);
});

it("decides once; the run continues in the next process that works on the store", async () => {
  const { items } = JSON.parse((await cli("decide", "--json")).stdout);
  const decided = await cli(
    "decide",
    items[0].id,
    "edit",
    "--arguments",
    '{"to":"a@b.c","subject":"s","body":"b"}',
    "--json",
  );
  await expect(steady(decided.stdout)).toMatchFileSnapshot(golden("decide"));
  const rival = await cli("decide", items[0].id, "deny");
  expect(rival.code).toBe(1);
  expect(rival.stderr).toContain("The first decision counts.");
  const next = await runCli(["run", "default", "-", "--demo"], { cwd, input: "echo on" });
  expect(next.stdout).toContain("on\n");
  const late = await here("decide", items[0].id, "deny");
  expect([late.code, late.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^error: Tool call \S+-c0 was already approved with edited arguments at \d{4}-\S+Z \(decision \S+\)\.\nThe first decision counts\. /,
    ),
  ]);
  const { run, calls } = JSON.parse((await here("runs", "show", items[0].run_id, "--json")).stdout);
  expect(run).toMatchObject({ status: "done" });
  expect(calls).toMatchObject([{ status: "succeeded", arguments: { to: "a@b.c" } }]);
});

it("makes, lists and revokes keys; the key is shown once", async () => {
  const made = await here("keys", "create", "--name", "ann", "--scopes", "read,decide", "--expires", "30d", "--json");
  const { key, id } = JSON.parse(made.stdout);
  expect(key).toMatch(/^rk\.default\.[0-9a-f]{16}\.[0-9a-f]{64}$/);
  const listed = await here("keys", "--json");
  expect(JSON.parse(listed.stdout).items).toMatchObject([{ id, name: "ann", scopes: ["read", "decide"] }]);
  expect(listed.stdout).not.toContain(key);
  expect(linesOf(await here("keys", "revoke", id, "--json"))).toEqual([{ revoked: id }]);
  expect((await here("keys", "revoke", id)).stderr).toContain(`There is no key "${id}".`);
});

it("prints for people what it prints for programs", async () => {
  const [threads, runs, doctor] = await Promise.all([here("threads"), here("runs"), here("doctor")]);
  const shown = await here("threads", "show", "sums");
  expect(shown.stdout).toMatch(/\nuser: what is 12\*7\n[\s\S]*\nassistant: 12\*7 = 84\n$/);
  expect(shown.stdout, "nothing of the runtime's own state").not.toContain("__run");
  expect(threads.stdout).toMatch(/^thread +version +changed +begins with\n[\s\S]*\nsums +4 /);
  expect(runs.stdout).toMatch(/^run +agent +status +ended +steps +thread\n/);
  expect(doctor.stdout).toMatch(/^ok {4}node +Node \d+/);
  expect(doctor.stdout).toMatch(/^warn {2}models +Agents answer with the built-in scripted model/m);
  expect(doctor.stdout).toMatch(/^ok {4}store +SQLite file \S+reprise\.db answers; durability power-loss/m);
  expect(doctor.code).toBe(0);
});

it.each([
  [["threads", "show", "nobody"], 1, 'error: There is no thread "nobody".\nList them with: reprise threads\n'],
  [["run", "nobody", "hi"], 1, /^error: There is no agent "nobody"\. Known: default\.\nCheck the spelling/],
  [
    ["run", "default", "hi", "--model", "opnai/gpt-5"],
    2,
    /Or name one as `provider\/model` of openai, .*tensorzero\. Did you mean "openai\/gpt-5"\?\n/,
  ],
  [["dance"], 2, 'error: There is no command "dance".\nList the commands with: reprise --help\n'],
  [["sevre"], 2, 'error: There is no command "sevre".\nDid you mean: reprise serve\n'],
  [["run"], 2, "error: Missing argument <text>.\nUsage: reprise run [module] [agent] <text>\n"],
  [["serve", "there"], 2, 'error: Unexpected argument "there".\nUsage: reprise serve [module]\n'],
  [["serve", "--port", "high"], 2, 'error: --port must be a number from 0 to 65535 (got "high").\n'],
  [["decide", "x", "maybe"], 2, 'error: The action is approve, deny, edit, supply, not "maybe".\n'],
  [["decide", "x", "edit", "--arguments", "{"], 2, /^error: --arguments takes JSON: /],
  [["runs", "--limit", "ten"], 2, 'error: --limit takes a whole number, not "ten".\n'],
  [
    ["serve", "--log", "loud", "--port", "0"],
    2,
    'error: There is no log level "loud".\nChoose one of debug, info, warn, error, silent.\n',
  ],
  [
    ["serve", "--http-addr", "here"],
    2,
    'error: The address must be a host and a port, as in 127.0.0.1:8080 (got "here").\n',
  ],
  [["keys", "create", "--expires", "soon"], 2, 'error: --expires takes a time such as 90m, 12h or 30d, not "soon".\n'],
])("says in a sentence what is wrong with %j", async (words, code, message) => {
  const ended = await here(...words);
  expect(ended.code).toBe(code);
  if (typeof message === "string") expect(ended.stderr).toBe(message);
  else expect(ended.stderr).toMatch(message);
});

it("says errors as JSON to programs, and stacks only to who asks", async () => {
  const [plain, verbose] = await Promise.all([
    here("threads", "show", "nobody", "--json"),
    here("threads", "show", "nobody", "--verbose"),
  ]);
  expect(JSON.parse(plain.stderr)).toEqual({
    error: {
      code: "THREAD_NOT_FOUND",
      message: 'There is no thread "nobody".',
      remedy: "List them with: reprise threads",
    },
  });
  expect(verbose.stderr).toMatch(/\n {4}at .*\.ts:\d+/);
});

it("shows help, the version, and nothing of a store that is not there", async () => {
  const elsewhere = createTemporaryFolder();
  const [help, version, threads] = await Promise.all([
    cli("--help"),
    runHere("--version"),
    runHere("threads", "--storage-dir", elsewhere),
  ]);
  expect(help.stdout).toContain("serves agents over HTTP");
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(threads.code).toBe(1);
  expect(threads.stderr).toContain(`There is nothing yet at SQLite file ${join(elsewhere, "reprise.db")}.`);
});
