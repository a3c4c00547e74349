import { RepriseError } from "@reprise/contracts";
import { type ScriptTurn, scriptedModel } from "@reprise/models";
import { createNodeEnv } from "@reprise/node";
import {
  createMemoryBlobStore,
  createMemoryStore,
  createRuntime,
  defineAgent,
  definePlugin,
  defineTool,
} from "@reprise/runtime";
import { createServer, type ServerOptions } from "@reprise/server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { failCommits } from "../../runtime/test/support/intercept-store.ts";
import { PLANTED, type PlantedSecret } from "./support/planted-secrets.ts";

type Failing = Partial<Omit<ServerOptions, "runtime">> & { readonly failsCommits?: boolean };

/** A server on which everything that can throw throws what somebody careless wrote. */
async function openCareless(planted: PlantedSecret, { failsCommits = false, ...options }: Failing = {}) {
  const seen: string[] = [];
  const hear = (...words: readonly unknown[]): void => void seen.push(words.map(printed).join(" "));
  for (const method of ["error", "warn", "log", "info"] as const) {
    const spy = vi.spyOn(console, method).mockImplementation(hear);
    onTestFinished(() => spy.mockRestore());
  }
  const fail = (): never => {
    throw new Error(planted.said, { cause: new Error(`because of ${planted.said}`) });
  };
  const env = {
    ...createNodeEnv(),
    log: (level: string, message: string, data?: object) => hear(level, message, data),
  };
  const tool = defineTool({ id: "call", description: "Fails.", idempotent: true, execute: fail });
  const careless = definePlugin({ id: "careless", hooks: { beforeInference: fail } });
  const asks = scriptedModel(
    ({ messages }): ScriptTurn => (messages.at(-1)?.role === "tool" ? "Done." : [{ call: "call" }]),
  );
  const broken = { id: "broken", stream: () => ({ [Symbol.asyncIterator]: () => ({ next: async () => fail() }) }) };
  const memory = createMemoryStore({ clock: env.clock });
  let isLost = failsCommits;
  const store = failCommits(memory, (_, { reasons }) => {
    if (!isLost || !reasons.includes("run_finished")) return undefined;
    isLost = false;
    return new Error(planted.said);
  });
  const runtime = await createRuntime({
    env,
    store,
    blobs: createMemoryBlobStore(env),
    limits: { closeTimeoutMs: 1 },
    agents: [
      defineAgent({ id: "tool", model: asks, tools: [tool] }),
      defineAgent({ id: "model", model: broken }),
      defineAgent({ id: "plugin", model: scriptedModel(["Hello."]), plugins: [careless] }),
      defineAgent({ id: "plain", model: scriptedModel(["Hello."]) }),
    ],
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  const server = createServer({ runtime, ...options });
  const ask = async (path: string, init?: RequestInit): Promise<number> => {
    const response = await server.fetch(new Request(`http://localhost${path}`, init));
    seen.push(JSON.stringify([...response.headers]), await response.text());
    return response.status;
  };
  const post = (path: string, body: object): Promise<number> =>
    ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  /** Everything that can be read of a run afterwards. */
  const readAll = async (): Promise<void> => {
    for (const path of READABLE) await ask(path);
    await ask("/v1/runs/r/replay", { method: "POST" });
  };
  return { runtime, server, seen, ask, post, readAll, fail };
}

const READABLE = [
  "/v1/runs",
  "/v1/runs/r",
  "/v1/runs/r/events",
  "/v1/runs/r/export",
  "/v1/threads/t/messages?visibility=any&include_superseded=true",
  "/v1/threads/t/state",
  "/v1/threads/t/history",
  "/v1/threads/t/export",
  "/v1/threads/t/mailbox?origin=none",
  "/v1/threads/summaries",
  "/v1/ai-sdk/threads/t/messages",
  "/v1/dead-letters",
  "/v1/agents",
  "/v1/leases",
  "/metrics",
];

const started = (agentId: string): object => ({
  agentId,
  threadId: "t",
  runId: "r",
  messages: [{ role: "user", content: "Go." }],
});

/** As a console prints it: an error with all that it holds. */
function printed(word: unknown): string {
  if (!(word instanceof Error)) return typeof word === "string" ? word : JSON.stringify(word);
  return `${word.stack} ${printed(word.cause)}`;
}

function expectNowhere({ secret }: PlantedSecret, seen: readonly string[]): void {
  expect(seen.length).toBeGreaterThan(0);
  for (const text of seen) {
    const at = text.indexOf(secret);
    expect(at < 0 ? "" : text.slice(Math.max(at - 200, 0), at + 80)).toBe("");
  }
}

describe.each(PLANTED)("$name", (planted) => {
  it.each(["tool", "model", "plugin"])("in an error of a %s is seen nowhere", async (agent) => {
    const { post, readAll, seen } = await openCareless(planted);
    expect(await post("/v1/runs", started(agent))).toBe(200);
    await readAll();
    // What was said came through, without the one word.
    expect(seen.join("\n")).toContain("[redacted]");
    expectNowhere(planted, seen);
  });

  it("in an error of a tool that is called by hand is seen nowhere", async () => {
    const { post, seen, ask, runtime } = await openCareless(planted);
    expect(await post("/v1/agents/tool/tools/call/run", { threadId: "t" })).toBe(200);
    const [run] = (await runtime.runs()).items;
    for (const path of READABLE) await ask(path.replace("/r", `/${run?.run_id}`));
    expectNowhere(planted, seen);
  });

  it("in an error of a store is seen nowhere", async () => {
    const { runtime, seen, fail } = await openCareless(planted);
    const unavailable = (): never => {
      throw new RepriseError("STORE_UNAVAILABLE", planted.said, { details: { said: planted.said } });
    };
    for (const runs of [async () => fail(), async () => unavailable()]) {
      const broken = createServer({ runtime: Object.assign(Object.create(runtime), { runs }) });
      for (const path of ["/v1/runs", "/ready"]) {
        const response = await broken.fetch(new Request(`http://localhost${path}`));
        expect(response.status).toBeGreaterThanOrEqual(500);
        seen.push(JSON.stringify([...response.headers]), await response.text());
      }
    }
    expectNowhere(planted, seen);
  });

  it("in an error of whoever says who one is, or what one may, is seen nowhere", async () => {
    const { runtime, fail, seen, post } = await openCareless(planted, {
      previewPermission: () => {
        throw new Error(planted.said);
      },
    });
    expect(await post("/v1/permissions/preview", { agentId: "tool", toolId: "call" })).toBe(500);
    const closed = createServer({ runtime, authenticate: async () => fail() });
    const response = await closed.fetch(new Request("http://localhost/v1/threads"));
    expect(response.status).toBe(500);
    seen.push(await response.text());
    expectNowhere(planted, seen);
  });

  it("as a credential that is not taken is seen nowhere", async () => {
    const { seen, ask } = await openCareless(planted, { authenticate: async () => undefined });
    for (const name of ["authorization", "x-api-key", "cookie", "proxy-authorization"]) {
      const headers = { [name]: name === "authorization" ? `Bearer ${planted.secret}` : planted.secret };
      expect(await ask("/v1/threads", { headers })).toBe(401);
      await ask("/nothing", { headers });
      await ask("/v1/runs", { method: "POST", headers: { ...headers, origin: "https://evil.example" } });
    }
    expectNowhere(planted, seen);
  });

  it("in an error of a commit is seen nowhere", async () => {
    const { post, readAll, seen } = await openCareless(planted, { failsCommits: true });
    await post("/v1/runs", started("plain"));
    await readAll();
    expectNowhere(planted, seen);
  });
});

it("is planted in twenty forms", () => {
  expect(PLANTED.length).toBeGreaterThanOrEqual(20);
  expect(new Set(PLANTED.map(({ secret }) => secret)).size).toBe(PLANTED.length);
  for (const { secret, said } of PLANTED) expect(said).toContain(secret);
});
