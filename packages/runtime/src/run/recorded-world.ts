import type { LanguageModel, ToolCallRecord, ToolDescriptor } from "@reprise/contracts";
import type { Json } from "@reprise/state";

/** An execution that was recorded: what the effect stored, or how it failed. */
export type RecordedExecution = { readonly value: Json } | { readonly failed: Json };

/** An inference that is about to ask a model. */
export interface AskedInference {
  readonly runId: string;
  /** The step, or for a plugin's own question the place in which it asks. */
  readonly of: string;
  /** Set for a question of a plugin. */
  readonly plugin?: string;
}

/**
 * Answers that stand in for those of the world: how a recorded run is run again by today's agents. Everything else is live: the loop,
 * its port, its gates and budgets do not know the difference. A method that answers undefined lets the world be asked.
 */
export interface RecordedWorld {
  /** Asked once for each inference. The route of today asks the returned model in place of each of its own. */
  inference(asked: AskedInference): LanguageModel | undefined;
  execution(call: ToolCallRecord, tool: ToolDescriptor): RecordedExecution | undefined;
  /** What a hook recorded under a name. */
  recorded(place: string, name: string): { readonly value: Json } | undefined;
}
