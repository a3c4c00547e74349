import type { LanguageModel, ModelChunk, ModelError, ModelRequest, TokenUsage } from "@reprise/contracts";
import type { AttemptGate } from "./attempt-gate.ts";

/**
 * A stream, with its first chunk when somebody waited for it to speak, and where the others come from. Whoever reads it says how it
 * ended. Made so that a route costs a request something and its tokens nothing: they come from the model that was chosen, with nobody
 * in between.
 */
export interface OpenedStream {
  readonly first?: IteratorResult<ModelChunk>;
  readonly rest: AsyncIterator<ModelChunk>;
  finished(usage: TokenUsage): void;
  broke(error: ModelError): void;
}

/** A model that chooses who speaks before anybody does. */
export interface OpeningModel extends LanguageModel {
  open(request: ModelRequest): Promise<OpenedStream>;
}

const nothing = (): void => undefined;

/** Begins a stream of any model. One that nobody chooses and nothing holds back is there at once. */
export function openStream(model: LanguageModel, request: GatedRequest): OpenedStream | Promise<OpenedStream> {
  if ("open" in model) return (model as OpeningModel).open(request);
  const gate = request.session?.gate;
  if (gate !== undefined) return openGated(model, request, gate);
  const rest = model.stream(request)[Symbol.asyncIterator]();
  return { rest, finished: nothing, broke: nothing };
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
