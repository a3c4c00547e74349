import { fileURLToPath } from "node:url";
import type { Message } from "@ag-ui/client";
import { type AgUiVersion, createAgUiEncoder, encodeAgUiHistory } from "@reprise/protocols/ag-ui";
import { describeProtocol, encodeScene, loadScenes, type ProtocolScene } from "@reprise/testkit";
import { describe, expect, it } from "vitest";
import { readAgUiFrames, readByClient } from "./support/ag-ui-clients.ts";

const VERSIONS: readonly AgUiVersion[] = ["1.0", "0"];

for (const version of VERSIONS) {
  const folder = version === "1.0" ? "ag-ui" : "ag-ui-before-1";
  describeProtocol(`ag-ui for clients of version ${version}`, () => ({
    open: () => createAgUiEncoder({ version }),
    async assertValid(frames) {
      await readByClient(version, frames);
    },
    golden: fileURLToPath(new URL(`./golden/${folder}/`, import.meta.url)),
    extension: ".sse",
  }));
}

/** Runs whose shown text was withdrawn: no client takes a message back, so only the next history is without it. */
const WITHDRAWN: readonly string[] = ["step-reset", "reset-of-reasoning", "stream-reset", "interrupted-text"];

const scenes = loadScenes();

function framesOf(scene: ProtocolScene, version: AgUiVersion): string {
  return encodeScene({ open: () => createAgUiEncoder({ version }) }, scene).join("");
}

/** The messages of a client without those that only a stream makes. */
function kept(messages: readonly Message[]): readonly Message[] {
  return messages.filter(({ role }) => role !== "activity");
}

describe.each(VERSIONS)("a client of version %s", (version) => {
  it.each(scenes.filter(({ name }) => !WITHDRAWN.includes(name)))(
    "has the same messages after the stream of $name as after its history",
    async (scene) => {
      const { messages } = await readByClient(version, framesOf(scene, version));
      // What another run said is in its own stream.
      const own = scene.messages.filter(({ metadata }) => metadata?.run_id === scene.run_id);
      const said = encodeAgUiHistory(own).filter(({ role }) => role !== "user");
      const ids = new Set(said.map(({ id }) => id));
      const told = kept(messages).filter(({ id }) => ids.has(id));
      expect(inOrderOfIds(told)).toEqual(inOrderOfIds(said));
    },
  );

  it("has the open questions of a run that waits, and only those still open after one was answered", async () => {
    const sceneOf = (name: string): ProtocolScene => scenes.find((scene) => scene.name === name) ?? fail();
    const waiting = await readByClient(version, framesOf(sceneOf("approval-open"), version));
    expect(waiting.interrupts).toMatchObject([{ reason: "tool_call", toolCallId: "run-1-s1-c1" }]);
    const asked = readAgUiFrames(framesOf(sceneOf("two-approvals"), version)).flatMap((event) =>
      event.type === "RUN_FINISHED" && event.outcome.type === "interrupt" ? [event.outcome.interrupts.length] : [],
    );
    expect(asked).toEqual([2, 1]);
  });
});

function fail(): never {
  throw new Error("There is no such scene.");
}

/** Results lose their message when they are stored, arguments may be edited after they were streamed, and late results come late. */
function inOrderOfIds(messages: readonly object[]): readonly object[] {
  const comparable = messages.map((message) => {
    const {
      content,
      toolCalls: _calls,
      ...rest
    } = message as {
      readonly content?: unknown;
      readonly toolCalls?: readonly object[];
    };
    return "toolCallId" in rest ? rest : { ...rest, content };
  });
  return comparable.toSorted((left, right) => JSON.stringify(left).localeCompare(JSON.stringify(right)));
}

describe("the two versions", () => {
  it("differ in the outcomes that clients before version 1 do not know, and in the version a run declares", () => {
    for (const scene of scenes) {
      const [one, zero] = VERSIONS.map((version) => readAgUiFrames(framesOf(scene, version)));
      const differing = (one ?? []).filter((event, index) => JSON.stringify(event) !== JSON.stringify(zero?.[index]));
      for (const event of differing) expect(["RUN_STARTED", "RUN_FINISHED"]).toContain(event.type);
    }
  });
});
