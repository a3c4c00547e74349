import { afterAll, beforeAll, expect, it } from "vitest";
import { hasTerminal, openTerminal } from "./support/open-terminal.ts";
import { linesOf, runCli } from "./support/run-cli.ts";
import { createSharedFolder } from "./support/shared-folder.ts";
import { type Served, startServe } from "./support/start-serve.ts";

const cwd = createSharedFolder();
let served: Served;
beforeAll(async () => {
  // Slow enough that a command beside it finds a run at work.
  served = await startServe({ cwd, env: { REPRISE_DEMO_PACE: "2" } });
}, 60_000);
afterAll(() => served.stop("SIGKILL"));

const post = (url: string, body: object): Promise<Response> =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

const cli = (...words: readonly string[]) => runCli([...words, "--demo", "--json"], { cwd });

it("says what it serves", () => {
  expect(served.started).toMatchObject({
    agents: ["default", "assistant", "approver", "stopper", "researcher", "ruled", "publish-note"],
    models: "scripted",
    durability: "power-loss",
    config: null,
  });
});

it("has a page at / that may run only its own script", async () => {
  const page = await fetch(`${served.url}/`);
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toContain("unsafe");
  const html = await page.text();
  // Nothing in the page itself would be allowed to run, so there must be nothing.
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=/);
  // Relative addresses, so that the page works wherever it is mounted.
  expect(html).not.toMatch(/(?:src|href)="\//);
  for (const [, path = ""] of html.matchAll(/(?:src|href)="(page\/[^"]*)"/g)) {
    expect((await fetch(`${served.url}/${path}`)).status, path).toBe(200);
  }
  const again = await fetch(`${served.url}/`, { headers: { "if-none-match": page.headers.get("etag") ?? "" } });
  expect(again.status).toBe(304);
});

it("works on what commands beside it ask for, and lets them decide", async () => {
  const asked = await cli("run", "approver", "hello", "--thread", "beside");
  expect(asked.code).toBe(3);
  const outcome = linesOf(asked).at(-1);
  expect(outcome).toMatchObject({ outcome: { status: "waiting", open: [{ tool_id: "sendEmail" }] } });
  const { items } = await (await fetch(`${served.url}/v1/decisions?thread_id=beside`)).json();
  expect((await cli("decide", items[0].id, "approve")).code).toBe(0);
  const events = linesOf(await cli("runs", "events", items[0].run_id, "--follow"));
  expect(events.at(-1)).toMatchObject({
    event: { type: "run_finish", data: { termination: { type: "natural_end" } } },
  });
});

it("cancels a run at work when a command beside it says so", async () => {
  const started = await post(`${served.url}/v1/runs`, {
    agentId: "default",
    runId: "stuck",
    messages: [{ role: "user", content: "do something slow" }],
  });
  const cancelled = await cli("runs", "cancel", "stuck");
  expect(linesOf(cancelled)).toEqual([{ status: "cancel_requested", run_id: "stuck" }]);
  expect(await started.text()).toContain('"termination":{"type":"cancelled"');
});

it("names the owner of a port that is in use and the next free port, and refuses an address other machines can reach", async () => {
  const address = new URL(served.url).host;
  const [taken, open] = await Promise.all([
    runCli(["serve", "--http-addr", address, "--storage-dir", "other"], { cwd }),
    runCli(["serve", "--http-addr", "0.0.0.0:0", "--storage-dir", "another"], { cwd }),
  ]);
  expect(taken).toMatchObject({ code: 1, stdout: "" });
  expect(taken.stderr).toContain(`error: ${address} is already in use by another Reprise server.\n`);
  const [, next = ""] = /^Stop it, or choose the next free port: --port (\d+)$/m.exec(taken.stderr) ?? [];
  const beside = await startServe({ cwd }, "--port", next, "--storage-dir", "other");
  expect(new URL(beside.url).port).toBe(next);
  await beside.stop("SIGKILL");
  expect(open).toMatchObject({ code: 2, stdout: "" });
  expect(open.stderr).toContain(
    "error: Refusing to listen on 0.0.0.0 without authentication: other machines can reach that address.\n",
  );
});

it("offers a person at a terminal the next port, and Ctrl-C ends it", async (context) => {
  if (!hasTerminal) context.skip("there is no `script` of util-linux here");
  const { port } = new URL(served.url);
  const terminal = openTerminal(cwd, `serve --demo --port ${port} --storage-dir offered`);
  await terminal.until(`127.0.0.1:${port} is already in use by another Reprise server.`);
  await terminal.until("Use port ");
  await terminal.until("Yes");
  terminal.type("\r");
  await terminal.until("Reprise serves on http://127.0.0.1:");
  await terminal.until("stop ");
  terminal.type("\u0003");
  expect(await terminal.ended).toEqual([0, null]);
});

it("is killed in the middle of a run, starts again, and the run continues to its end", async () => {
  const slow = post(`${served.url}/v1/runs`, {
    agentId: "default",
    runId: "cut",
    threadId: "cut",
    messages: [{ role: "user", content: "do something slow" }],
  });
  const reader = (await slow).body?.getReader();
  if (reader === undefined) throw new Error("There is no body.");
  for (let heard = ""; !heard.includes("tool-call-progress"); ) {
    const { done, value } = await reader.read();
    if (done) throw new Error("The run ended before it was at work.");
    heard += new TextDecoder().decode(value);
  }
  await served.stop("SIGKILL");
  served = await startServe({ cwd, env: { REPRISE_DEMO_PACE: "0.1" } });
  const events = await fetch(`${served.url}/v1/runs/cut/events?follow=true`);
  expect(await events.text()).toContain('"response":"The slow task is done, in 10 steps."');
});

it("asks for keys when it is told to, and lets in who has one, of any tenant (issue 14.44)", async () => {
  const guarded = await startServe({ cwd, env: {} }, "--storage-dir", "guarded", "--require-keys");
  try {
    expect(guarded.warnings()).toContain("There is no API key yet");
    expect((await fetch(`${guarded.url}/v1/agents`)).status).toBe(401);
    // The page itself is for everybody: it asks its user for the key.
    expect((await fetch(`${guarded.url}/`)).status).toBe(200);
    const create = ["keys", "create", "--scopes", "read,run", "--storage-dir", "guarded", "--json"];
    const made = await runCli(create, { cwd });
    const headers = { authorization: `Bearer ${JSON.parse(made.stdout).key}`, "content-type": "application/json" };
    expect((await fetch(`${guarded.url}/v1/agents`, { headers })).status).toBe(200);

    // issue 14.44: a key of another tenant opens that tenant, and nothing of the server's own.
    const body = JSON.stringify({
      agentId: "default",
      threadId: "own",
      messages: [{ role: "user", content: "hello" }],
    });
    await (await fetch(`${guarded.url}/v1/runs`, { method: "POST", headers, body })).text();
    const other = await runCli([...create, "--tenant", "acme"], { cwd });
    const acme = { authorization: `Bearer ${JSON.parse(other.stdout).key}` };
    const threads = await fetch(`${guarded.url}/v1/threads`, { headers: acme });
    expect([threads.status, await threads.json()]).toMatchObject([200, { total: 0 }]);
    expect((await (await fetch(`${guarded.url}/v1/threads`, { headers })).json()).total).toBe(1);
  } finally {
    expect(await guarded.stop("SIGINT")).toBe(0);
  }
});

it("stops by itself when it is asked to, and leaves nothing behind", async () => {
  expect(await served.stop("SIGTERM")).toBe(0);
  const { findings } = JSON.parse((await cli("doctor")).stdout);
  expect(findings).toContainEqual(
    expect.objectContaining({ check: "leases", message: "no thread is being worked on" }),
  );
});
