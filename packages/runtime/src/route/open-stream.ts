import type { LanguageModel, ModelChunk, ModelError, ModelRequest, TokenUsage } from "@reprise/contracts";

/**
 * A stream, with its first chunk when the route waited for it, and the source of the others. The reader reports how it
 * ended. A route costs a request something and its tokens nothing: they come from the chosen model, with no layer
 * in between.
 */
export interface OpenedStream {
  readonly first?: IteratorResult<ModelChunk>;
  readonly rest: AsyncIterator<ModelChunk>;
  finished(usage: TokenUsage): void;
  /** `heard`: how many characters the model had said by then. */
  broke(error: ModelError, heard: number): void;
}

/** A model that chooses another model before the stream begins. */
export interface OpeningModel extends LanguageModel {
  open(request: ModelRequest): Promise<OpenedStream>;
}

const nothing = (): void => undefined;

/** Begins a stream of any model. Without a choice it begins at once. */
export function openStream(model: LanguageModel, request: ModelRequest): OpenedStream | Promise<OpenedStream> {
  if ("open" in model) return (model as OpeningModel).open(request);
  const rest = model.stream(request)[Symbol.asyncIterator]();
  return { rest, finished: nothing, broke: nothing };
}
