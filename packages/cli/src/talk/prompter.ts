import type { DecisionVerb } from "@reprise/contracts";
import type { OpenDecision } from "@reprise/runtime";

/** The person at the terminal, or the file that is read instead. */
export interface Prompter {
  /** What is said next; undefined when nothing more comes. */
  ask(): Promise<string | undefined>;
  /** The decision about a waiting call; undefined when the person left. */
  decide(open: OpenDecision): Promise<DecisionVerb | undefined>;
  close(): void;
}
