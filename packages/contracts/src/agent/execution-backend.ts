import type { Message } from "../message/message.ts";
import type { MediaModel } from "../model/media.ts";
import type { LanguageModel } from "../model/model.ts";
import type { Termination } from "../run/termination.ts";
import type { AgentSpec, ModelSpec } from "./agent-spec.ts";

/** Where models come from: knows how to reach each of its own. */
export interface ModelProvider {
  readonly id: string;
  /** A model by the provider's own name for it. Cheap: connects when it is first used. */
  model(name: string): LanguageModel;
  /** The same for one that makes media; absent where the provider has none. */
  media?(name: string): MediaModel;
  /** What is known of a model: window, modalities, prices. Undefined for one nobody described. */
  describe?(name: string): Omit<ModelSpec, "id" | "provider" | "model"> | undefined;
  /** Gets a new key after one was refused; false when there is none to get. Asked once an inference at most. */
  refreshAuth?(): Promise<boolean>;
}

/** What a backend is asked to run. */
export interface BackendRun {
  readonly run_id: string;
  readonly thread_id: string;
  readonly messages: readonly Message[];
  readonly signal: AbortSignal;
  /** Shows what the agent says as it says it. */
  readonly showText: (delta: string) => void;
}

/** Runs agents that live elsewhere. */
export interface ExecutionBackend {
  /** The word in an endpoint's `backend`. */
  readonly id: string;
  /** Refuses an endpoint it could not work with, by returning what is wrong with it. */
  check(agent: AgentSpec): string | undefined;
  run(agent: AgentSpec, run: BackendRun): Promise<BackendOutcome>;
}

export interface BackendOutcome {
  readonly termination: Termination;
  readonly text: string;
}
