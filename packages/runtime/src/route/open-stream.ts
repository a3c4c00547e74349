import type { LanguageModel, ModelChunk, ModelError, ModelRequest, TokenUsage } from "@reprise/contracts";
import type { AttemptGate } from "./attempt-gate.ts";

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
export async function openStream(model: LanguageModel, request: GatedRequest): Promise<OpenedStream> {
  if ("open" in model) return (model as OpeningModel).open(request);
  const gate = request.session?.gate;
  if (gate !== undefined) return openGated(model, request, gate);
  const rest = model.stream(request)[Symbol.asyncIterator]();
  return { first: await rest.next(), rest, finished: nothing, broke: nothing };
}

/** A request that may have to be let through first. */
interface GatedRequest extends ModelRequest {
  readonly session?: { readonly gate: AttemptGate | undefined };
}

async function openGated(model: LanguageModel, request: ModelRequest, gate: AttemptGate): Promise<OpenedStream> {
  const ticket = await gate.open({ provider: model.id, model: model.id, request });
  const rest = model.stream(ticket.request)[Symbol.asyncIterator]();
  // One that fails before its first word never says how it ended: whoever closes the gate takes it for the worst.
  const first = await rest.next();
  return { first, rest, finished: (usage) => ticket.ended({ usage }), broke: () => ticket.ended("unknown") };
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
