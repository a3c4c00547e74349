import { createAiSdkEncoder, encodeAiSdkHistory } from "@reprise/protocols/ai-sdk";
import { describeProtocol, encodeScene, loadScenes, type ProtocolScene } from "@reprise/testkit";
import { describe, expect, it } from "vitest";
import { comparable } from "./support/comparable-parts.ts";
import { LEFT_OUT } from "./support/left-out.ts";
import { loadClients } from "./support/load-clients.ts";
import { readMessage } from "./support/read-stream.ts";

const clients = await loadClients();
const suite = { open: () => createAiSdkEncoder() };

/** What the run failed with: the one error a stream may end in. */
function errorsOf({ events }: ProtocolScene): readonly string[] {
  const told = events.flatMap(({ event }) => (event.type === "error" ? [event.data.message] : []));
  const last = events.at(-1)?.event;
  // A workflow fails without an error of its own: its nodes have told why.
  const end =
    last?.type === "run_finish" && last.data.termination.type === "error" ? [last.data.termination.value] : [];
  return told.length > 0 ? told : end;
}

for (const client of clients) {
  describeProtocol(`ai-sdk read by ${client.name}`, () => ({
    ...suite,
    async assertValid(frames, scene) {
      const { message, errors } = await readMessage(client, frames);
      expect(errors).toEqual(errorsOf(scene));
      expect(message?.id).toBe("run-1-s1-m");
    },
  }));

  describe(`a page with ${client.name}`, () => {
    it.each(loadScenes())("shows $name the same when it is loaded anew, but for what is left out", async (scene) => {
      const { message } = await readMessage(client, encodeScene(suite, scene).join(""));
      const stored = encodeAiSdkHistory(scene);
      await client.validateUIMessages({ messages: stored });
      const kept = comparable(
        stored.find(({ parts }) => parts.some((part) => "id" in part && part.id === scene.run_id)),
      );
      const streamed = comparable(message);
      expect(kept.steps).toEqual(LEFT_OUT[scene.name]?.kept(streamed.steps) ?? streamed.steps);
      if (kept.steps.length > 0) expect(kept.id).toBe(streamed.id);
    });
  });
}

it("leaves nothing out of scenes there are not", () => {
  const names = loadScenes().map(({ name }) => name);
  expect(Object.keys(LEFT_OUT).filter((name) => !names.includes(name))).toEqual([]);
});
