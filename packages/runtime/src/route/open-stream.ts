import type { LanguageModel, ModelChunk, ModelError, ModelRequest, TokenUsage } from "@reprise/contracts";

/**
 * A stream that has begun to speak: its first chunk, and where the others come from. Whoever reads it says how it ended. Made so that
 * a route costs a request something and its tokens nothing: they come from the model that was chosen, with nobody in between.
 */
export interface OpenedStream {
  readonly first: IteratorResult<ModelChunk>;
  readonly rest: AsyncIterator<ModelChunk>;
  finished(usage: TokenUsage): void;
  broke(error: ModelError): void;
}

/** A model that chooses who speaks before anybody does. */
export interface OpeningModel extends LanguageModel {
  open(request: ModelRequest): Promise<OpenedStream>;
}

const nothing = (): void => undefined;

/** Begins a stream of any model. */
export async function openStream(model: LanguageModel, request: ModelRequest): Promise<OpenedStream> {
  if ("open" in model) return (model as OpeningModel).open(request);
  const rest = model.stream(request)[Symbol.asyncIterator]();
  return { first: await rest.next(), rest, finished: nothing, broke: nothing };
}

/** Passes the chunks of a stream on, until it is finished. */
export async function pumpStream(
  { first, rest, finished, broke }: OpenedStream,
  toModelError: (thrown: unknown) => ModelError,
  take: (chunk: ModelChunk) => void,
): Promise<void> {
  try {
    for (let result = first; result.done !== true; result = await rest.next()) {
      take(result.value);
      if (result.value.type !== "finish") continue;
      finished(result.value.usage ?? {});
      // It has nothing more to say; what it holds is given back.
      await rest.return?.();
      return;
    }
  } catch (thrown) {
    broke(toModelError(thrown));
    throw thrown;
  }
}
