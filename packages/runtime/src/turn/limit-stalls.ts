import { type Clock, type LanguageModel, type ModelChunk, ModelError, type ModelRequest } from "@reprise/contracts";

/**
 * A model whose stream fails with `timeout` when it says nothing for too long. Below a route, so that a model that never begins to speak is asked again or
 * passed over like any other that failed.
 */
export function limitStalls(model: LanguageModel, limitMs: number, after: Clock["after"]): LanguageModel {
  return { id: model.id, stream: (request) => streamWithin(model, request, limitMs, after) };
}

async function* streamWithin(
  model: LanguageModel,
  request: ModelRequest,
  limitMs: number,
  after: Clock["after"],
): AsyncGenerator<ModelChunk> {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(request.signal.reason);
  request.signal.addEventListener("abort", onAbort, { once: true });
  if (request.signal.aborted) onAbort();
  const { promise: stalled, reject } = Promise.withResolvers<never>();
  stalled.catch(() => undefined);
  let hasHeard = false;
  // A chunk only notes that it came; one timer watches the whole stream.
  const look = (): void => {
    if (hasHeard) {
      hasHeard = false;
      cancel = after(limitMs, look);
      return;
    }
    const error = new ModelError("timeout", `The model said nothing for ${limitMs} ms.`);
    controller.abort(error);
    reject(error);
  };
  let cancel = after(limitMs, look);
  const chunks = model.stream({ ...request, signal: controller.signal })[Symbol.asyncIterator]();
  try {
    for (;;) {
      const result = await Promise.race([chunks.next(), stalled]);
      hasHeard = true;
      if (result.done === true) return;
      yield result.value;
    }
  } finally {
    cancel();
    request.signal.removeEventListener("abort", onAbort);
    // Not awaited: a model that does not heed its signal would hold the reader. What it still has to say is not heard.
    void chunks.return?.()?.catch(() => undefined);
  }
}
