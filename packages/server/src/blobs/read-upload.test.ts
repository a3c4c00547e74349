import { expect, it } from "vitest";
import { readUpload } from "./read-upload.ts";

/** A request whose body knows how much of it was asked for. */
function countedRequest() {
  const sent = { pieces: 0, isCancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        sent.pieces += 1;
        if (sent.pieces === 3) controller.error(new Error("The socket closed."));
        else controller.enqueue(new Uint8Array([sent.pieces]));
      },
      cancel() {
        sent.isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  // The types of the platform lack `duplex`, which it demands of a body that streams.
  const request = new Request("http://localhost/", { method: "POST", body, duplex: "half" } as RequestInit);
  return { sent, pieces: readUpload(request, 10)[Symbol.asyncIterator]() };
}

it("takes no more from a client than is asked for, and stops it when nothing is asked for", async () => {
  const { sent, pieces } = countedRequest();
  expect(await pieces.next()).toEqual({ done: false, value: new Uint8Array([1]) });
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toEqual({ pieces: 1, isCancelled: false });
  await pieces.return?.();
  expect(sent).toEqual({ pieces: 1, isCancelled: true });
});

it("says when a body broke off", async () => {
  const { pieces } = countedRequest();
  await pieces.next();
  await pieces.next();
  await expect(pieces.next()).rejects.toMatchObject({ status: 400, message: "bad request: the body broke off" });
});
