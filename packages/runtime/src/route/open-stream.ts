import type { LanguageModel, ModelChunk, ModelError, ModelRequest, TokenUsage } from "@reprise/contracts";

/**
 * A stream, with its first chunk when somebody waited for it to speak, and where the others come from. Whoever reads it says how it
 * ended. Made so that a route costs a request something and its tokens nothing: they come from the model that was chosen, with nobody
 * in between.
 */
export interface OpenedStream {
  readonly first?: IteratorResult<ModelChunk>;
  readonly rest: AsyncIterator<ModelChunk>;
  finished(usage: TokenUsage): void;
  /** `heard`: how many characters the model had said by then. */
  broke(error: ModelError, heard: number): void;
}

/** A model that chooses who speaks before anybody does. */
export interface OpeningModel extends LanguageModel {
  open(request: ModelRequest): Promise<OpenedStream>;
}

const nothing = (): void => undefined;

/** Begins a stream of any model. One that nobody chooses is there at once. */
export function openStream(model: LanguageModel, request: ModelRequest): OpenedStream | Promise<OpenedStream> {
  if ("open" in model) return (model as OpeningModel).open(request);
  const rest = model.stream(request)[Symbol.asyncIterator]();
  return { rest, finished: nothing, broke: nothing };
}
