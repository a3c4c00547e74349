import type { DecisionVerb } from "@reprise/contracts";
import type { OpenDecision } from "@reprise/runtime";

/** Whoever is at the terminal, or the file that is read instead. */
export interface Prompter {
  /** What is said next; undefined when nothing more comes. */
  ask(): Promise<string | undefined>;
  /** How a call that waits is decided; undefined when whoever it is has gone. */
  decide(open: OpenDecision): Promise<DecisionVerb | undefined>;
  close(): void;
}
