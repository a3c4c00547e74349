/**
 * Pieces as the body of a response. A piece is read when the one before it was taken, and nothing is before the first one is asked
 * for: an answer without its body costs nothing. A client that goes away ends the reading. `failed` is told when there is no next
 * piece although there should be.
 */
export function sendPieces(
  content: AsyncIterable<Uint8Array>,
  failed: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const pieces = content[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await pieces.next();
          if (next.done === true) controller.close();
          else controller.enqueue(next.value);
        } catch (error) {
          failed(error);
          throw error;
        }
      },
      async cancel() {
        await pieces.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
