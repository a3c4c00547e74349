/** Why an activation ended. Everything but `suspended` ends the run. This field is authoritative. */
export type Termination =
  | { readonly type: "natural_end" }
  /** A plugin or a tool ended the run. */
  | { readonly type: "behavior_requested"; readonly detail?: string }
  | { readonly type: "stopped"; readonly value: StoppedReason }
  | { readonly type: "cancelled"; readonly detail?: string }
  | { readonly type: "suspended" }
  | {
      readonly type: "error";
      readonly value: string;
      readonly code?: string;
      /** Whether the same may succeed later, where that is known of this failure and not of its code alone. */
      readonly retryable?: boolean;
    };

export interface StoppedReason {
  readonly code: string;
  readonly detail?: string;
}

/** The code a run record keeps of a termination: `natural`, `stopped:max_rounds_reached`, `input_required`, … */
export function terminationCode(termination: Termination): string {
  switch (termination.type) {
    case "natural_end":
      return "natural";
    case "stopped":
      return `stopped:${termination.value.code}`;
    case "suspended":
      return "input_required";
    case "behavior_requested":
    case "cancelled":
    case "error":
      return termination.type;
    default:
      return termination satisfies never;
  }
}
