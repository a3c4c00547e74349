import type { BlobStore, Plugin, RepriseError, Store, Tool } from "@reprise/contracts";
import { createNodeEnv } from "@reprise/node";
import { createRuntime, type Runtime } from "@reprise/runtime";
import { type LiveConfig, openLiveConfig, readConfig } from "@reprise/server/config";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { onTestFinished } from "vitest";
import { createPorts, type TestPorts } from "./config-world.ts";

export interface OpenLive {
  readonly runtime: Runtime;
  readonly live: LiveConfig;
  readonly ports: TestPorts;
  /** What was reported, newest last. */
  readonly problems: readonly RepriseError[];
  /** What the agent says: who it is, and what its system prompt is. */
  says(agent: string): Promise<string>;
}

export interface LiveOptions {
  readonly store?: Store;
  readonly blobs?: BlobStore;
  readonly tools?: readonly Tool[];
  readonly plugins?: readonly Plugin[];
  readonly pollMs?: number;
  readonly secretKey?: string;
}

/** What `openssl rand -base64 32` might print. */
export const SECRET_KEY: string = btoa("0123456789abcdef0123456789abcdef");

/** A file with one agent of one model of one provider. */
export const BASE = {
  agents: [{ id: "assistant", model: "fast", system_prompt: "File." }],
  models: { fast: { provider: "main", model: "one" } },
  providers: { main: { auth: { kind: "token", value: "planted-token" }, headers: { "x-key": "planted-header" } } },
};

export function memoryStore(): Store {
  return createMemoryStore({ clock: createNodeEnv().clock });
}

/** A runtime with a live configuration, in this process. Closed when the test is over. */
export async function openLive(file: unknown = BASE, options: LiveOptions = {}): Promise<OpenLive> {
  const { store = memoryStore(), tools = [], plugins = [], pollMs = 60_000 } = options;
  const env = createNodeEnv();
  const blobs = options.blobs ?? createMemoryBlobStore(env);
  const runtime = await createRuntime({ store, blobs, env, limits: { closeTimeoutMs: 1 } });
  const problems: RepriseError[] = [];
  const ports = createPorts({ tools, plugins });
  const base = readConfig(file);
  const live = await openLiveConfig({
    runtime,
    base,
    ports,
    pollMs,
    ...(options.secretKey !== undefined && { secretKey: options.secretKey }),
    onProblem: (problem) => problems.push(problem),
  });
  onTestFinished(async () => {
    live.close();
    await runtime.close();
  });
  const says = async (agent: string): Promise<string> => {
    const outcome = await runtime.runToCompletion({ agent, input: "Who are you?" });
    return outcome.status === "done" ? outcome.text : outcome.status;
  };
  return { runtime, live, ports, problems, says };
}
