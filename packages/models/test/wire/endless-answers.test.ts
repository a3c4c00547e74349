import { ModelError } from "@reprise/contracts";
import { type ModelServer, type RawAnswer, startModelServer } from "@reprise/testkit/model-server";
import { afterEach, describe, expect, it } from "vitest";
import { ADAPTERS } from "../support/adapters.ts";
import { ask } from "../support/ask.ts";

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const PIECE = "x".repeat(256 * 1024);

function* forEver(first: string, piece: string): Generator<string> {
  yield first;
  for (;;) yield piece;
}

const ENDLESS: readonly (readonly [title: string, answer: () => RawAnswer])[] = [
  ["a line", () => ({ pieces: forEver("data: ", PIECE) })],
  ["a comment", () => ({ pieces: forEver(": ", PIECE) })],
  ["the lines of one event", () => ({ pieces: forEver("", `data: ${PIECE}\r\n`) })],
];

describe("issue 14.39: an answer without end is given up on", () => {
  // A package by value has a fetch of its own; and Bedrock's frames have no lines.
  const bounded = ADAPTERS.filter(({ isGuarded, protocol }) => isGuarded && protocol !== "bedrock");

  describe.each(bounded)("$name", ({ open }) => {
    it.each(ENDLESS)("when %s never ends", async (_, answer) => {
      server = await startModelServer(answer);
      const { error } = await ask(open(server.url));
      expect(ModelError.is(error, "answer_too_large")).toBe(true);
      expect(await server.requests[0]?.isAnswered).toBe(false);
    });
  });

  it("when it is JSON instead of a stream", async () => {
    const [own] = ADAPTERS;
    server = await startModelServer(() => ({
      headers: { "content-type": "application/json" },
      pieces: forEver('{"choices":"', PIECE),
    }));
    const answer = await ask(own?.open(server.url) ?? expect.fail());
    expect(ModelError.is(answer.error, "answer_too_large")).toBe(true);
  });

  it("when one event has more calls than anybody makes", async () => {
    const [own] = ADAPTERS;
    const call = { id: "c", function: { name: "f", arguments: "{}" } };
    const events = [{ choices: [{ delta: { tool_calls: Array.from({ length: 200_000 }, () => call) } }] }];
    server = await startModelServer(() => ({ events }));
    const answer = await ask(own?.open(server.url) ?? expect.fail());
    expect(ModelError.is(answer.error, "answer_too_large")).toBe(true);
  });
});
