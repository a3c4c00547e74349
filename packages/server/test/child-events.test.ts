import { awaitRun, type NewChildRun } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { type Agent, defineAgent, defineTool } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { openDemo, says } from "./support/open-demo.ts";
import { readFrames } from "./support/read-stream.ts";

const delegate = defineTool({
  id: "delegate",
  description: "Has another agent work.",
  inputSchema: { type: "object", additionalProperties: true },
  class: "read_only",
  execute: async (child: NewChildRun, { runs }) => awaitRun(await runs.start(child)),
});

/** One agent that has many others work at the same time. */
function team(size: number): readonly Agent[] {
  const calls = Array.from({ length: size }, (_, index) => ({
    call: "delegate",
    arguments: { agentId: "worker", prompt: `part ${index}` },
  }));
  const boss = scriptedModel(({ messages }) => (messages.length === 1 ? calls : "thanks"));
  return [
    defineAgent({ id: "boss", model: boss, tools: [delegate] }),
    defineAgent({ id: "worker", model: scriptedModel(() => "found it") }),
  ];
}

const start = (runId: string) => ({ ...says("go", { threadId: "t", runId }), agentId: "boss" });

describe("the events of a run over HTTP", () => {
  it("bring the runs below with their lineage to a client that asks, and resume after any of them", async () => {
    const { ask, post } = await openDemo({ agents: team(3) });
    const whole = await readFrames(await post("/v1/runs?children=events", start("r")));
    const ids = (frames: typeof whole) =>
      frames.flatMap(({ event }) => (event.seq === undefined ? [] : [`${event.run_id}:${event.seq}`]));
    const below = whole.filter(({ event }) => event.lineage !== undefined);
    expect(new Set(below.map(({ event }) => event.run_id)).size).toBe(3);
    expect(below[0]?.event.lineage).toMatchObject({ parent_run_id: "r", agent_id: "worker", depth: 1 });
    for (let index = 0; index < whole.length; index += 5) {
      const id = whole[index]?.id ?? "";
      const rest = await readFrames(
        await ask("/v1/runs/r/events?children=events", { headers: { "last-event-id": id } }),
      );
      expect([...ids(whole.slice(0, index + 1)), ...ids(rest)].sort()).toEqual(ids(whole).sort());
    }
    const last = whole.at(-1)?.id ?? "";
    const read = await ask("/v1/runs/r/events?children=events&follow=true", { headers: { "last-event-id": last } });
    expect(read.status).toBe(204);
    expect(await (await ask("/v1/runs/r")).json()).toMatchObject({ total: { runs: 4 } });
    expect(ids(await readFrames(await ask("/v1/runs/r/events")))).toEqual(
      ids(whole.filter(({ event }) => event.lineage === undefined)),
    );
  });

  it("refuse facts together with children", async () => {
    const { ask, post } = await openDemo({ agents: team(1) });
    await readFrames(await post("/v1/runs", start("r")));
    expect((await ask("/v1/runs/r/events?children=events&format=facts")).status).toBe(400);
    expect((await ask("/v1/runs/r/events?children=some")).status).toBe(400);
  });
});
