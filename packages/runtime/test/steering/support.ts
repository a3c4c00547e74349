import { type ModelRequest, textOf } from "@reprise/contracts";
import { expect } from "vitest";
import { type OpenOptions, openRuntime } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { gate, until } from "../support/wait.ts";

/** A request on thread t1 that steers whatever runs there. */
export const steer = (input: string) => ({ agent: "agent", threadId: "t1", input, whenBusy: "steer" }) as const;

export const HANG = { call: "hang", arguments: { title: "x" } } as const;

/** A run on thread t1 that is inside its tool `hang` until `release.open()`; after that it answers "ok". */
export async function openHanging(options: OpenOptions = {}) {
  const release = gate();
  const hang = countingTool({ id: "hang", idempotent: true, execute: () => release.promise });
  const bench = await openRuntime({ script: [[HANG], "ok", "own", "more"], tools: [hang.tool], ...options });
  const run = await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await until(() => hang.keys.length === 1, "the tool");
  return { ...bench, run, release, keys: hang.keys };
}

/** What a request says, role by role. */
export function readRequest(request: ModelRequest | undefined): readonly string[] {
  return (request?.messages ?? []).map((message) => `${message.role}: ${textOf(message)}`);
}

/** Every call is answered directly after the message that asked for it, and nothing else is an answer. */
export function assertValidRequest({ messages }: ModelRequest): void {
  let open = new Set<string>();
  for (const { role, tool_call_id = "", tool_calls = [] } of messages) {
    if (role === "tool") expect(open.delete(tool_call_id), `an answer to ${tool_call_id}`).toBe(true);
    else {
      expect([...open], `calls without an answer before a ${role} message`).toEqual([]);
      open = new Set(tool_calls.map(({ id }) => id));
    }
  }
  expect([...open], "calls without an answer").toEqual([]);
}
