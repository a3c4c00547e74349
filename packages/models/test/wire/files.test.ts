import type { FilePart, Message } from "@reprise/contracts";
import { type ModelServer, startModelServer } from "@reprise/testkit/model-server";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ADAPTERS } from "../support/adapters.ts";
import { ask, toolOf } from "../support/ask.ts";

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
});

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const IMAGE = { type: "image", url: "blob:abc", media_type: "image/png" } as const;

function adapterOf(name: string) {
  return ADAPTERS.find((each) => each.name === name) ?? expect.fail(`There is no adapter ${name}.`);
}

async function send(name: string, messages: readonly Message[], load = loadPixel) {
  server = await startModelServer(() => "Seen.");
  const answer = await ask(adapterOf(name).open(server.url), { messages, load, tools: [toolOf("shoot")] });
  return { answer, sent: JSON.stringify(server.requests[0]?.body) };
}

const show = (...parts: readonly FilePart[]): readonly Message[] => [
  { id: "u", role: "user", content: [{ type: "text", text: "What is this?" }, ...parts] },
];

async function loadPixel() {
  return { content: new Uint8Array(Buffer.from(PIXEL, "base64")), media_type: "image/png" };
}

const NAMES = [
  "openaiCompatible",
  "openai v2, chat",
  "openai v3, chat",
  "openai v4, chat",
  "openai v4, responses",
  "anthropic v4",
  "google v4",
  "bedrock v4",
];

describe.each(NAMES)("%s", (name) => {
  it("gets the bytes of what only the runtime can read", async () => {
    const load = vi.fn(loadPixel);
    const { answer, sent } = await send(name, show(IMAGE), load);
    expect(answer.error).toBeUndefined();
    expect(load).toHaveBeenCalledExactlyOnceWith("blob:abc");
    expect(sent).toContain(PIXEL);
    expect(sent).toContain("What is this?");
    expect(sent).toMatch(/image\/png|"format":"png"/);
  });

  it("gets the bytes of a `data:` URL without loading anything", async () => {
    const load = vi.fn(loadPixel);
    const { sent } = await send(name, show({ type: "image", url: `data:image/png;base64,${PIXEL}` }), load);
    expect(load).not.toHaveBeenCalled();
    expect(sent).toContain(PIXEL);
  });

  it("sees the files of a result", async () => {
    const { answer, sent } = await send(name, [
      { id: "u", role: "user", content: "Take a picture." },
      {
        id: "a",
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c1", name: "shoot", arguments: {}, provider_call_id: "call_1" }],
      },
      { id: "r", role: "tool", tool_call_id: "c1", content: [{ type: "text", text: "taken" }, IMAGE] },
      { id: "u2", role: "user", content: "And?" },
    ]);
    expect(answer.error).toBeUndefined();
    expect(sent).toContain("taken");
    expect(sent).toContain(PIXEL);
    expect(sent.indexOf("taken")).toBeLessThan(sent.indexOf("And?"));
  });

  it("is not asked when a file cannot be had, and the error names no more than the kind of address", async () => {
    const refuse = async (): Promise<never> => {
      throw new Error("No such blob.");
    };
    const { answer } = await send(name, show({ ...IMAGE, url: "blob:secret-name" }), refuse);
    expect(answer.error).toMatchObject({
      kind: "invalid_request",
      message: expect.not.stringContaining("secret-name"),
    });
    expect(server?.requests).toEqual([]);
  });

  it("is not asked about files of this machine", async () => {
    const load = vi.fn(loadPixel);
    const { answer } = await send(name, show({ ...IMAGE, url: "file:///etc/passwd" }), load);
    expect(answer.error).toMatchObject({ kind: "invalid_request" });
    expect(load).not.toHaveBeenCalled();
    expect(server?.requests).toEqual([]);
  });
});

const WEB: FilePart = { type: "image", url: "https://example.com/cat.png", media_type: "image/png" };

it.each(["openaiCompatible", "openai v2, chat", "openai v4, chat", "openai v4, responses", "anthropic v4"])(
  "%s reads addresses on the web itself",
  async (name) => {
    const load = vi.fn(loadPixel);
    const { sent } = await send(name, show(WEB), load);
    expect(load).not.toHaveBeenCalled();
    expect(sent).toContain("https://example.com/cat.png");
  },
);

it("an address the provider cannot read is loaded by the runtime", async () => {
  const load = vi.fn(loadPixel);
  const { sent } = await send("bedrock v4", show(WEB), load);
  expect(load).toHaveBeenCalledExactlyOnceWith("https://example.com/cat.png");
  expect(sent).toContain(PIXEL);
});

it("documents and sounds go in their own fields", async () => {
  const parts: readonly FilePart[] = [
    { type: "file", url: "data:application/pdf;base64,JVBERi0=", filename: "bill.pdf" },
    { type: "file", url: "data:audio/wav;base64,UklGRg==" },
    { type: "file", url: "data:text/plain,caf%C3%A9", filename: "note.txt" },
  ];
  const { sent } = await send("openaiCompatible", show(...parts));
  expect(JSON.parse(sent).messages[1].content.slice(1)).toEqual([
    { type: "file", file: { filename: "bill.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
    { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
    {
      type: "file",
      file: { filename: "note.txt", file_data: `data:text/plain;base64,${Buffer.from("café").toString("base64")}` },
    },
  ]);
});

it.each([
  ["a `data:` URL without data", "data:image/png"],
  ["a `data:` URL that is not well formed", "data:text/plain,%ZZ"],
])("%s is refused", async (_, url) => {
  const { answer } = await send("openaiCompatible", show({ type: "image", url }));
  expect(answer.error).toMatchObject({ kind: "invalid_request" });
});
