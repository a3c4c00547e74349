import type { DecisionVerb } from "@reprise/contracts";
import type { SeededRandom } from "../random/seeded-random.ts";

/** What is asked about a call. */
export interface Question {
  readonly call_id: string;
  readonly suspension: number;
  /** `approval`, `unknown_outcome`, or what a tool asks. */
  readonly action: string;
}

const FOR_APPROVAL = { approve: 6, deny: 2, edit: 1, supply: 1 };
const FOR_UNKNOWN_OUTCOME = { approve: 3, deny: 3, supply: 4 };
const FOR_A_TOOL = { approve: 6, deny: 2, supply: 2 };

/** What a person would say to a question, by the seed. */
export function chooseVerb({ action }: Question, random: SeededRandom): DecisionVerb {
  const verb: DecisionVerb["action"] =
    action === "approval"
      ? random.pickWeighted(FOR_APPROVAL)
      : random.pickWeighted(action === "unknown_outcome" ? FOR_UNKNOWN_OUTCOME : FOR_A_TOOL);
  const n = random.between(2_000_000, 3_000_000);
  switch (verb) {
    case "approve":
      return { action: "approve" };
    case "deny":
      return { action: "deny", reason: `No. ${n}` };
    case "edit":
      return { action: "edit", arguments: { n, pause_ms: 1 } };
    case "supply":
      return { action: "supply", result: { supplied: n } };
    default:
      return verb satisfies never;
  }
}
