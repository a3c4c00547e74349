import {
  narrowed,
  needed,
  nonEmptyText,
  type ObjectShape,
  objectOf,
  oneOf,
  optional,
  type Shape,
} from "@reprise/contracts/shape";
import { findPatternProblem } from "../tool-pattern/tool-pattern.ts";

/** The treatment of a call: it runs, a person is asked, or it is refused. */
export type Behavior = "allow" | "ask" | "deny";

export const behavior: Shape<Behavior> = oneOf("allow", "ask", "deny");

/** A pattern over tool calls. */
const pattern: Shape<string> = narrowed(nonEmptyText, findPatternProblem);

/** A pattern, and the behaviour for the calls that match it. */
export interface PermissionRule {
  /** `read_file`, `read_*`, `/^db_/`, `Bash(npm *)`, `send(to ~ "*@example.com")`. */
  readonly tool: string;
  readonly behavior: Behavior;
  /** Why; the model reads it when a call is denied, the person when one is asked about. */
  readonly reason?: string;
}

export const ruleShape: ObjectShape<PermissionRule> = objectOf<PermissionRule>({
  tool: needed(pattern, 'Which calls: `read_*`, `/^db_/`, `Bash(npm *)`, `send(to ~ "*@example.com")`.'),
  behavior: needed(behavior),
  reason: optional(nonEmptyText, "Why. The model reads it when a call is denied, the person when one is asked about."),
});

/** A rule that was made while the agent was running. */
export interface KeptRule extends PermissionRule {
  /** The rule counts until then; for good unless given. */
  readonly expires_at?: number;
}
