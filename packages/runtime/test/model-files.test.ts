import type { LanguageModel, ModelChunk } from "@reprise/contracts";
import { expect, it } from "vitest";
import { openRuntime } from "./support/open-runtime.ts";
import { collect, soon } from "./support/wait.ts";

function modelThatMakes(...files: readonly { readonly url: string; readonly media_type: string }[]): LanguageModel {
  return {
    id: "painter",
    async *stream(): AsyncGenerator<ModelChunk> {
      yield { type: "text_delta", delta: "Here." };
      for (const file of files) yield { type: "file", ...file };
      yield { type: "finish", stop_reason: "end_turn" };
    },
  };
}

it("keeps what a model made in the blob store, and names it in its message", async () => {
  const web = { url: "https://example.com/a.pdf", media_type: "application/pdf" };
  const model = modelThatMakes({ url: "data:image/png;base64,AAEC/w==", media_type: "image/png" }, web);
  const { runtime, blobs } = await openRuntime({ model });
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "paint" });
  const shown = (await collect(run)).flatMap((event) => (event.type === "activity_snapshot" ? [event.data] : []));
  const { messages } = await runtime.threads.messages("t1");
  const content = messages.at(-1)?.content;
  expect(content).toEqual([
    { type: "text", text: "Here." },
    { type: "image", url: expect.stringMatching(/^blob:[0-9a-f]{64}$/), media_type: "image/png" },
    { type: "file", ...web },
  ]);
  const url = Array.isArray(content) ? content[1]?.url : "";
  // A client that watches sees them too, once they are kept.
  expect(shown).toMatchObject([
    { activity_type: "file", content: { url, media_type: "image/png" } },
    { activity_type: "file", content: web },
  ]);
  const kept = await blobs.get("default", url);
  expect([kept.info.media_type, [...kept.content]]).toEqual(["image/png", [0, 1, 2, 255]]);
});

it("takes text as it is in a URL, and ends a run whose model made what cannot be read", async () => {
  const text = modelThatMakes({ url: "data:text/plain,a%20b", media_type: "text/plain" });
  const { runtime, blobs } = await openRuntime({ model: text });
  await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "write" }));
  const [, file] = (await runtime.threads.messages("t1")).messages.at(-1)?.content ?? [];
  const kept = await blobs.get("default", typeof file === "object" && "url" in file ? file.url : "");
  expect(new TextDecoder().decode(kept.content)).toBe("a b");
  const broken = await openRuntime({
    model: modelThatMakes({ url: "data:image/png;base64,%%%", media_type: "image/png" }),
  });
  const outcome = await soon(broken.runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "paint" }));
  expect(outcome).toMatchObject({ status: "failed", code: "MODEL_MALFORMED_RESPONSE" });
});
