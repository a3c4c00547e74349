import { PHASES, type Phase } from "@reprise/contracts";
import { expect, it } from "vitest";
import { hookPlugin } from "./support/hook-plugin.ts";
import { playPlugins } from "./support/play-plugins.ts";

/** Writes wherever it can: a plugin must not change anything but by its actions. */
function scribble(value: unknown, seen = new Set<unknown>()): void {
  if (typeof value !== "object" || value === null || seen.has(value) || value instanceof AbortSignal) return;
  seen.add(value);
  for (const inner of Object.values(value)) scribble(inner, seen);
  for (const key of Object.keys(value)) {
    try {
      Object.assign(value, { [key]: "scribbled" });
    } catch {
      // Frozen, as it should be.
    }
  }
  try {
    Object.assign(value, { scribble: "scribbled" });
    if (Array.isArray(value)) value.push("scribbled");
  } catch {
    // Frozen, as it should be.
  }
}

/** What the hooks of every phase are shown, and what those of one phase are shown beside. */
const SHOWN = ["state", "messages", "policy"];
const SHOWN_IN: Partial<Record<Phase, readonly string[]>> = {
  before_inference: ["tools"],
  after_inference: ["calls", "usage"],
  before_tool_execute: ["call", "tool"],
  after_tool_execute: ["call", "tool", "result"],
  run_end: ["termination"],
};

const parts = PHASES.flatMap((phase) => [...SHOWN, ...(SHOWN_IN[phase] ?? [])].map((part) => ({ phase, part })));

/** Plays a run in which a hook of one phase writes to a part of its context, and another plugin looks at it after. */
async function playScribbler(phase: Phase, part: string) {
  let isThere = false;
  const after: string[] = [];
  const scribbler = hookPlugin("scribbler", phase, (context) => {
    const value: unknown = Reflect.get(context, part);
    isThere ||= value !== undefined;
    scribble(part === "state" ? context.state.at([]) : value);
  });
  const looker = hookPlugin("looker", phase, (context) => {
    const value: unknown = part === "state" ? context.state.at([]) : Reflect.get(context, part);
    after.push(JSON.stringify(value) ?? "");
  });
  const played = await playPlugins([scribbler, looker]);
  return { ...played, isThere, after };
}

it.each(parts)("a hook of $phase that writes to its $part changes nothing for others", async ({ phase, part }) => {
  const { isThere, after, outcome, events, messages, model, keys, state } = await playScribbler(phase, part);
  expect(isThere).toBe(true);
  const visible = JSON.stringify([after, outcome, events, messages, state, model.requests.map(withoutSignal)]);
  expect(visible).not.toContain("scribbled");
  expect(outcome).toMatchObject({ status: "done", text: "ok" });
  expect(keys).toHaveLength(1);
});

function withoutSignal({ signal: _, ...request }: { readonly signal: AbortSignal }): object {
  return request;
}
