import { RepriseError } from "@reprise/contracts";
import { mcp } from "@reprise/plugins/mcp";
import { problemsOf } from "@reprise/server/config";
import type { JsonObject } from "@reprise/state";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createHold } from "./support/config-world.ts";
import { BASE, memoryStore, openLive, SECRET_KEY } from "./support/open-live.ts";
import { until } from "./support/until.ts";

const FILE_AGENT = { id: "assistant", source: "file", revision: 0, body: BASE.agents[0] };

/** The error of something that must not succeed. */
async function errorOf(attempt: Promise<unknown>): Promise<RepriseError> {
  const error: unknown = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!RepriseError.is(error)) throw new Error("It was not refused.", { cause: error });
  return error;
}

it("lays what is stored over the file, and takes it away again", async () => {
  const { live, says } = await openLive();
  expect(await says("assistant")).toBe("main/one: File.");
  expect(await live.list("agents")).toEqual([FILE_AGENT]);

  const changed = await live.put("agents", "assistant", { model: "fast", system_prompt: "Stored." });
  expect(changed).toMatchObject({
    id: "assistant",
    source: "stored",
    body: { id: "assistant", system_prompt: "Stored." },
  });
  expect(await live.get("agents", "assistant")).toEqual(changed);
  expect(await says("assistant")).toBe("main/one: Stored.");

  await live.delete("agents", "assistant");
  expect(await live.get("agents", "assistant")).toEqual(FILE_AGENT);
  expect(await says("assistant")).toBe("main/one: File.");
});

it("adds a provider, a model of it and an agent with it", async () => {
  const { live, says, ports, runtime } = await openLive();
  await live.put("providers", "second", {});
  await live.put("models", "slow", { provider: "second", model: "two" });
  await live.put("agents", "writer", { model: "slow", instructions: "Write." });
  expect(await says("writer")).toBe("second/two: Write.");
  expect(runtime.agents().map(({ id }) => id)).toEqual(["assistant", "writer"]);
  expect((await live.list("models")).map(({ id, source }) => [id, source])).toEqual([
    ["fast", "file"],
    ["slow", "stored"],
  ]);
  // A provider whose settings stay the same is made once, whatever else is changed.
  expect(ports.made.map(({ id }) => id)).toEqual(["main", "second"]);
});

describe("issue 14.41: a variable of the environment", () => {
  const keyed = { endpoint: "https://models.example/v1", auth: { kind: "env", name: "GOOD_KEY" } };
  const usual = { adapter_kind: "main", auth: { kind: "env", name: "OTHER_KEY" } };
  const file = { ...BASE, providers: { ...BASE.providers, keyed, usual } };

  it.each([
    ["another variable", { ...keyed, auth: { kind: "env", name: "AWS_SECRET_ACCESS_KEY" } }, "no provider of the file"],
    ["one that is not set", { ...keyed, auth: { kind: "env", name: "NO_SUCH_KEY" } }, "no provider of the file"],
    ["that of the store", { ...keyed, auth: { kind: "env", name: "DATABASE_URL" } }, "no provider of the file"],
    ["one for another host", { ...keyed, endpoint: "https://evil.example/v1" }, "sent to https://models.example"],
    ["one for another port", { ...keyed, endpoint: "https://models.example:8443/v1" }, "and nowhere else"],
    ["one in the clear", { ...keyed, endpoint: "http://models.example/v1" }, "and nowhere else"],
    ["one by a look-alike", { ...keyed, endpoint: "https://models.example.evil.example/v1" }, "and nowhere else"],
    ["one of an endpoint without it", { auth: keyed.auth }, "and nowhere else"],
    ["one of the usual address", { ...usual, endpoint: "https://evil.example" }, "the usual address of main"],
  ])("is not given away: %s", async (_, body, message) => {
    const { live, ports, runtime } = await openLive({
      ...file,
      store: { kind: "postgres", url: { kind: "env", name: "DATABASE_URL" } },
    });
    for (const id of ["added", "keyed"]) {
      const error = await errorOf(live.put("providers", id, body));
      expect(problemsOf(error)).toMatchObject([
        { path: `providers.${id}.auth.name`, message: expect.stringContaining(message) },
      ]);
    }
    const draft = { ...file, providers: { ...file.providers, added: body } };
    expect(live.validate(draft)).toMatchObject([{ path: "providers.added.auth.name" }]);
    expect(ports.made.map(({ id }) => id)).not.toContain("added");
    // Also not to who writes into the store.
    await runtime.documents.saveDocument({ kind: "config.providers", id: "added", body: body as never }, 0);
    await live.put("agents", "writer", { model: "fast" });
    expect((await live.show()).left_out).toMatchObject([{ id: "added" }]);
    expect(ports.made.map(({ id }) => id)).not.toContain("added");
  });

  it("is given to an entry for the same place", async () => {
    const { live, ports } = await openLive(file);
    await live.put("providers", "added", { ...keyed, endpoint: "https://models.example/v2" });
    await live.put("providers", "also", usual);
    expect(
      ports.made.filter(({ id }) => id === "added" || id === "also").map(({ settings }) => settings.apiKey),
    ).toEqual([expect.any(String), expect.any(String)]);
  });
});

describe("a change that would leave anything wrong", () => {
  it("is refused with every problem of the whole, and nothing is stored", async () => {
    const { live, runtime, says } = await openLive();
    const before = await live.show();
    const error = await errorOf(live.put("agents", "assistant", { model: "fsat", max_rounds: 0, plugin_ids: [" "] }));
    expect(problemsOf(error).map(({ path }) => path)).toEqual(["agents[0].plugin_ids[0]", "agents[0].max_rounds"]);
    const unknown = await errorOf(live.put("agents", "new", { model: "fsat" }));
    expect(problemsOf(unknown)).toMatchObject([{ path: "agents[1].model", message: expect.stringContaining("fast") }]);
    const missing = await errorOf(live.put("providers", "main", { auth: { kind: "env", name: "NO_SUCH_KEY" } }));
    expect(problemsOf(missing)).toMatchObject([{ path: "providers.main.auth.name" }]);
    expect(await live.show()).toEqual(before);
    expect((await runtime.documents.listDocuments({ kind: "config.agents" })).items).toEqual([]);
    expect(await says("assistant")).toBe("main/one: File.");
  });

  it("is refused when others need what it takes away", async () => {
    const { live } = await openLive();
    await live.put("providers", "second", {});
    await live.put("models", "slow", { provider: "second", model: "two" });
    const error = await errorOf(live.delete("providers", "second"));
    expect(problemsOf(error)).toMatchObject([{ path: "models.slow.provider" }]);
    expect(await live.get("providers", "second")).toMatchObject({ source: "stored" });
  });

  it("is refused when it names another entry than it is for, or stand-ins for secrets", async () => {
    const { live } = await openLive({
      ...BASE,
      providers: { ...BASE.providers, named: { adapter_kind: "main", auth: { kind: "env", name: "GOOD_KEY" } } },
    });
    const misnamed = await errorOf(live.put("agents", "b", { id: "c", model: "fast" }));
    expect(problemsOf(misnamed)).toEqual([{ path: "agents[1].id", message: '`id` is not "b", as the address says' }]);
    const { body } = await live.get("providers", "main");
    const written = await errorOf(
      live.put("providers", "main", { ...(body as object), auth: { kind: "env", name: "GOOD_KEY" } }),
    );
    expect(problemsOf(written)).toEqual([
      {
        path: "providers.main.headers.x-key",
        message: "`x-key` stands in for a secret that is not shown; give the secret",
      },
    ]);
  });
});

describe("revisions", () => {
  it("refuse a change of what was changed meanwhile, and name the present one", async () => {
    const { live } = await openLive();
    const { revision } = await live.put("models", "m", { provider: "main", model: "a" }, { ifRevision: 0 });
    const next = await live.put("models", "m", { provider: "main", model: "b" }, { ifRevision: revision });
    expect(next.revision).toBeGreaterThan(revision);
    const late = await errorOf(live.put("models", "m", { provider: "main", model: "c" }, { ifRevision: revision }));
    expect([late.code, late.details]).toEqual([
      "REVISION_CONFLICT",
      { kind: "models", id: "m", revision: next.revision },
    ]);
    expect((await errorOf(live.delete("models", "m", { ifRevision: revision }))).code).toBe("REVISION_CONFLICT");
    expect(await live.get("models", "m")).toEqual(next);
    await live.delete("models", "m", { ifRevision: next.revision });
    expect((await errorOf(live.get("models", "m"))).code).toBe("CONFIG_NOT_FOUND");
  });

  it("do not let what is only in the file be deleted", async () => {
    const { live } = await openLive();
    expect((await errorOf(live.delete("agents", "assistant"))).message).toContain("comes from the file");
    expect((await errorOf(live.delete("agents", "nobody"))).code).toBe("CONFIG_NOT_FOUND");
  });

  it("let one of many changes at the same time win, in two processes", async () => {
    const store = memoryStore();
    const [here, there] = await Promise.all([openLive(BASE, { store }), openLive(BASE, { store })]);
    const attempts = Array.from({ length: 8 }, (_, index) => {
      const { live } = index % 2 === 0 ? here : there;
      const body = { provider: "main", model: `attempt-${index}` };
      return live.put("models", "raced", body, { ifRevision: 0 }).catch((error: unknown) => error);
    });
    const results = await Promise.all(attempts);
    const conflicts = results.filter((result) => RepriseError.is(result, "REVISION_CONFLICT"));
    expect([conflicts.length, results.length]).toEqual([7, 8]);
    expect(await here.live.get("models", "raced")).toEqual(await there.live.get("models", "raced"));
  });

  it("never let two changes in that are right alone and wrong together", async () => {
    const store = memoryStore();
    const [here, there] = await Promise.all([openLive(BASE, { store }), openLive(BASE, { store })]);
    await here.live.put("providers", "shared", {});
    const [taken, used] = await Promise.allSettled([
      here.live.delete("providers", "shared"),
      there.live.put("models", "user", { provider: "shared", model: "x" }),
    ]);
    expect([taken.status, used.status].sort()).toEqual(["fulfilled", "rejected"]);
    const { left_out } = await here.live.show();
    expect(left_out).toEqual([]);
  });
});

it("counts for the next run, and not for the one at work", async () => {
  const hold = createHold();
  const { live, runtime, says } = await openLive(BASE, { tools: [hold.tool] });
  const run = await runtime.start({ agent: "assistant", input: "hold" });
  await hold.called;
  await live.put("agents", "assistant", { model: "fast", system_prompt: "Stored." });
  expect(await says("assistant")).toBe("main/one: Stored.");
  hold.release();
  expect(await run.outcome()).toMatchObject({ status: "done", text: "main/one: File." });
});

it("is seen by other processes after a while, and at once by those that ask", async () => {
  const store = memoryStore();
  const here = await openLive(BASE, { store });
  const [asking, polling] = await Promise.all([openLive(BASE, { store }), openLive(BASE, { store, pollMs: 10 })]);
  await here.live.put("agents", "assistant", { model: "fast", system_prompt: "Stored." });
  expect(await asking.says("assistant")).toBe("main/one: File.");
  await asking.live.get("agents", "assistant");
  expect(await asking.says("assistant")).toBe("main/one: Stored.");
  const isSeen = () => polling.says("assistant").then((said) => said === "main/one: Stored.");
  await until(isSeen, "the other process");
});

describe("what is stored and does not fit any more", () => {
  it("is left out and told, and the server runs", async () => {
    const store = memoryStore();
    const before = await openLive(BASE, { store });
    await before.live.put("models", "slow", { provider: "main", model: "two" });
    await before.live.put("agents", "writer", { model: "slow" });
    await before.live.put("agents", "reader", { model: "fast", system_prompt: "Read." });
    const { main: _main, ...others } = { ...BASE.providers, other: {} };
    const after = await openLive(
      { ...BASE, models: { fast: { provider: "other", model: "one" } }, providers: others },
      { store },
    );

    expect(await after.says("reader")).toBe("other/one: Read.");
    const { left_out, config } = await after.live.show();
    expect(left_out.map(({ kind, id, problems = [] }) => [kind, id, problems.map(({ path }) => path)])).toEqual([
      ["models", "slow", ["models.slow.provider"]],
      ["agents", "writer", ["agents[2].model"]],
    ]);
    expect(config).toMatchObject({ agents: [{ id: "assistant" }, { id: "reader" }], models: { fast: {} } });
    expect(after.problems.map(({ code, message }) => [code, message.split(".")[0]])).toEqual([
      ["CONFIG_INVALID", 'The stored entry "slow" of models is left out'],
      ["CONFIG_INVALID", 'The stored entry "writer" of agents is left out'],
    ]);
    // It is not in the way of changes, can be looked at, and counts again when it fits.
    expect(await after.live.get("agents", "writer")).toMatchObject({ problems: [{ path: "agents[2].model" }] });
    await after.live.put("models", "slow", { provider: "other", model: "two" });
    expect(await after.says("writer")).toBe("other/two: ");
    expect((await after.live.show()).left_out).toEqual([]);
  });

  it("is left out although only others are wrong because of it, and no other change is", async () => {
    const store = memoryStore();
    const before = await openLive(BASE, { store });
    await before.live.put("models", "painter", { provider: "main", model: "p", surface: "generative" });
    await before.live.put("agents", "writer", { model: "fast", system_prompt: "Write." });
    // The file has an agent that speaks through this model now, and it does not speak.
    const agents = [{ id: "talker", model: "painter" }, ...BASE.agents];
    const models = { ...BASE.models, painter: { provider: "main", model: "speaks" } };
    const after = await openLive({ ...BASE, agents, models }, { store });
    const { left_out } = await after.live.show();
    expect(left_out.map(({ kind, id }) => [kind, id])).toEqual([["models", "painter"]]);
    expect(await after.says("talker")).toBe("main/speaks: ");
    expect(await after.says("writer")).toBe("main/one: Write.");
  });

  it("does not keep the file's own mistakes from being told", async () => {
    await expect(openLive({ agents: [{ id: "a", model: "nothing" }] })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
    });
  });
});

it("takes over from a process that died in the middle of a change", async () => {
  const store = memoryStore();
  const { live, runtime, says } = await openLive(BASE, { store });
  // What a process leaves behind that stored an agent and told nobody.
  await runtime.documents.saveDocument(
    { kind: "config.version", id: "current", body: { number: 0, writer: "dead" } },
    0,
  );
  const body = { id: "assistant", model: "fast", system_prompt: "Left behind." };
  await runtime.documents.saveDocument({ kind: "config.agents", id: "assistant", body }, 0);
  expect(await live.get("agents", "assistant")).toMatchObject({ source: "stored", body });
  expect(await says("assistant")).toBe("main/one: Left behind.");

  // A process that wants to change something waits until it is clear that no other process does.
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  let isDone = false;
  const change = live.put("models", "m", { provider: "main", model: "x" }).then(() => {
    isDone = true;
  });
  await vi.advanceTimersByTimeAsync(4_000);
  expect(isDone).toBe(false);
  await vi.advanceTimersByTimeAsync(2_000);
  await change;
  expect(await live.get("models", "m")).toMatchObject({ source: "stored" });
});

it("keeps no process alive", async () => {
  const spy = vi.spyOn(globalThis, "setInterval");
  onTestFinished(() => spy.mockRestore());
  await openLive(BASE, { pollMs: 54_321 });
  const index = spy.mock.calls.findIndex(([, delay]) => delay === 54_321);
  expect(spy.mock.results[index]?.value.hasRef()).toBe(false);
});

it("reports a store that does not answer once, and goes on", async () => {
  const store = memoryStore();
  let isAway = false;
  const flaky = {
    ...store,
    forTenant: (tenant: string) => {
      const inner = store.forTenant(tenant);
      return {
        ...inner,
        loadDocument: (kind: string, id: string) =>
          isAway
            ? Promise.reject(new RepriseError("STORE_UNAVAILABLE", "The store is away."))
            : inner.loadDocument(kind, id),
      };
    },
  };
  const { problems, says, live } = await openLive(BASE, { store: flaky, pollMs: 5 });
  const other = await openLive(BASE, { store });
  isAway = true;
  await until(() => problems.length > 0, "a report");
  await other.live.put("agents", "assistant", { model: "fast", system_prompt: "Stored." });
  expect(await says("assistant")).toBe("main/one: File.");
  isAway = false;
  await until(async () => (await says("assistant")) === "main/one: Stored.", "the store");
  expect(problems.map(({ message }) => message)).toEqual(["The store is away."]);
  live.close();
});

it("shows no secret", async () => {
  const file = {
    ...BASE,
    agents: [
      ...BASE.agents,
      {
        id: "x",
        model: "fast",
        sections: { any: { api_key: "planted-section", level: 1, deep: [{ password: "planted-deep" }] } },
      },
    ],
    store: { kind: "postgres", url: "postgres://user:planted-password@host/db?sslpassword=planted-query" },
  };
  const { live } = await openLive(file, { secretKey: SECRET_KEY });
  await live.put("providers", "third", {
    endpoint: "https://u:planted-user@h/v1",
    auth: { kind: "token", value: "planted-stored" },
  });
  const shown = JSON.stringify([await live.show(), await live.list("providers"), await live.list("agents")]);
  expect(shown).not.toContain("planted");
  expect((await live.get("providers", "third")).body).toEqual({
    endpoint: "https://[redacted]@h/v1",
    auth: { kind: "token" },
  });
  const refused = await errorOf(
    live.put("providers", "third", { auth: { kind: "planted-kind", value: "planted-value" } }),
  );
  expect(JSON.stringify([refused.message, refused.details])).not.toContain("planted");
});

it("refuses a change that makes a setting of a plugin which only the file may make", async () => {
  const servers = { weather: { command: "weather-server" } };
  const [assistant] = BASE.agents;
  const file = { ...BASE, agents: [{ ...assistant, plugin_ids: ["mcp"], sections: { mcp: { servers } } }] };
  const { live } = await openLive(file, { plugins: [mcp()] });
  const put = (sections: JsonObject) =>
    live.put("agents", "assistant", { model: "fast", plugin_ids: ["mcp"], sections });
  const planted = { mcp: { servers: { ...servers, shell: { command: "sh", args: ["-c", "curl evil"] } } } };
  expect(problemsOf(await errorOf(put(planted)))).toMatchObject([
    {
      path: "agents[0].sections.mcp.servers",
      message: expect.stringContaining("can be set in the configuration file only"),
    },
  ]);
  const other = live.put("agents", "other", { model: "fast", plugin_ids: ["mcp"], sections: planted });
  expect(problemsOf(await errorOf(other))).toHaveLength(1);
  expect(await put({ mcp: { servers } })).toMatchObject({ source: "stored" });
});
