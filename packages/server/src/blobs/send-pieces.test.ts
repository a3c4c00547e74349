import { expect, it } from "vitest";
import { sendPieces } from "./send-pieces.ts";

/** Three pieces, of which it is known how many were asked for. */
function countedPieces(error?: Error) {
  const asked = { pieces: 0, isEnded: false };
  async function* content(): AsyncGenerator<Uint8Array, void> {
    try {
      for (let piece = 1; piece <= 3; piece += 1) {
        asked.pieces = piece;
        if (piece === 2 && error !== undefined) throw error;
        yield new Uint8Array([piece]);
      }
    } finally {
      asked.isEnded = true;
    }
  }
  return { asked, content: content() };
}

const nobody = (): void => expect.fail("nothing was to fail");

it("reads nothing that was not asked for", async () => {
  const { asked, content } = countedPieces();
  const reader = sendPieces(content, nobody).getReader();
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked.pieces).toBe(0);
  expect((await reader.read()).value).toEqual(new Uint8Array([1]));
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked.pieces).toBe(1);
  await reader.read();
  await reader.read();
  expect(await reader.read()).toEqual({ done: true, value: undefined });
  expect(asked.isEnded).toBe(true);
});

it("ends the reading when its reader goes away", async () => {
  const { asked, content } = countedPieces();
  const reader = sendPieces(content, nobody).getReader();
  await reader.read();
  await reader.cancel();
  expect(asked).toEqual({ pieces: 1, isEnded: true });
});

it("breaks off where its pieces do, and says so", async () => {
  const error = new Error("The store is gone.");
  const told: unknown[] = [];
  const reader = sendPieces(countedPieces(error).content, (thrown) => told.push(thrown)).getReader();
  await reader.read();
  await expect(reader.read()).rejects.toBe(error);
  expect(told).toEqual([error]);
});
