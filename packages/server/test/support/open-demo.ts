import type { Env, RunProgram, Store } from "@reprise/contracts";
import { createNodeEnv } from "@reprise/node";
import { type Agent, createRuntime, type Runtime, type RuntimeOptions } from "@reprise/runtime";
import { createServer, type Server, type ServerOptions } from "@reprise/server";
import { type Listening, listen } from "@reprise/server/node";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv } from "@reprise/testkit";
import { evaluations } from "reprise/evals";
import { onTestFinished } from "vitest";
import { checkAnswer } from "./check-answers.ts";
import { demoAgents } from "./demo-agents.ts";

export interface OpenDemo {
  readonly runtime: Runtime;
  readonly server: Server;
  /** Asks the server without a socket. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  /** The same with a JSON body. */
  post(path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Response>;
}

interface DemoOptions extends Partial<Omit<ServerOptions, "runtime">> {
  readonly env?: Env;
  /** Instead of the demo's own. */
  readonly agents?: readonly Agent[];
  /** Models that requests can name. */
  readonly models?: RuntimeOptions["models"];
  readonly providers?: RuntimeOptions["providers"];
  readonly programs?: readonly RunProgram[];
  /** What the runtime sees of the store. */
  readonly wrapStore?: (store: Store) => Store;
}

/** The demo in this process, in memory. Closed when the test is over. */
export async function openDemo(given: DemoOptions = {}): Promise<OpenDemo> {
  const { env = createNodeEnv(), agents = demoAgents(), wrapStore = (whole) => whole, ...rest } = given;
  const { models = [], providers = [], programs = [], ...options } = rest;
  const store = wrapStore(createMemoryStore({ clock: env.clock }));
  const limits = { closeTimeoutMs: 1 };
  const runtime = await createRuntime({
    agents,
    models,
    providers,
    programs,
    store,
    blobs: createMemoryBlobStore(env),
    env,
    limits,
  });
  const server = createServer({ runtime, evals: evaluations({ env }), ...options });
  onTestFinished(() => {
    server.close();
    // Not awaited: with a clock that stands still it need not come to an end.
    void runtime.close().catch(() => undefined);
  });
  const ask = (path: string, init?: RequestInit): Promise<Response> =>
    server.fetch(new Request(`http://localhost${path}`, init));
  const post: OpenDemo["post"] = (path, body, headers = {}) =>
    ask(path, {
      method: "POST",
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return { runtime, server, ask, post };
}

/** A world in which ids and times are always the same, and every answer is checked to be what the OpenAPI document says. */
export async function openFrozenDemo(options: DemoOptions = {}): Promise<OpenDemo> {
  const demo = await openDemo({ env: createFakeEnv(), ...options });
  const ask: OpenDemo["ask"] = async (path, init) => {
    const response = await demo.ask(path, init);
    await checkAnswer(init?.method ?? "GET", path, response);
    return response;
  };
  const post: OpenDemo["post"] = async (path, body, headers) => {
    const response = await demo.post(path, body, headers);
    await checkAnswer("POST", path, response, body);
    return response;
  };
  return { ...demo, ask, post };
}

/** Listens on any port; stops when the test is over. */
export async function listenDemo(server: Server): Promise<Listening> {
  const listening = await listen(server, { port: 0 });
  onTestFinished(() => listening.close());
  return listening;
}

/** A request that says one thing. */
export function says(content: string, more: object = {}): object {
  return { agentId: "assistant", messages: [{ role: "user", content }], ...more };
}
