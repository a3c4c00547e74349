import type { AfterToolExecuteContext, AfterToolOutcome } from "@reprise/contracts";
import {
  narrowed,
  needed,
  nonEmptyText,
  objectOf,
  oneOf,
  optional,
  type Shape,
  wholeNumberFrom,
} from "@reprise/contracts/shape";
import { type ActionCreators, defineState, type StateDefinition } from "@reprise/state";
import { ArgumentValues } from "../tool-pattern/argument-values.ts";
import { findPatternProblem, parseToolPattern, type ToolPattern } from "../tool-pattern/tool-pattern.ts";

/** A reminder that follows the results of some tool calls. */
export interface ReminderRule {
  /** Which calls, as a pattern of the plugin `permission`: `search_*`, `Bash(npm *)`, `send(to ~ "*@example.com")`. */
  readonly tool: string;
  /** Only calls with this outcome. Without it every finished call counts, however it ended. */
  readonly outcome?: AfterToolOutcome;
  /** Only results whose message or data contain this text. */
  readonly contains?: string;
  /** The text for the model. */
  readonly text: string;
  /** For how many turns of the model the text is not repeated. 0, the default, repeats it after every such call. */
  readonly cooldownTurns?: number;
}

/** `ReminderRule` as it is stored. */
export interface StoredReminderRule extends Omit<ReminderRule, "cooldownTurns"> {
  readonly cooldown_turns?: number;
}

const OUTCOMES = ["succeeded", "failed", "suspended", "blocked", "refused", "invalid", "missing"] as const;

export const ruleShape: Shape<StoredReminderRule> = objectOf<StoredReminderRule>({
  tool: needed(
    narrowed(nonEmptyText, findPatternProblem),
    "Which calls, as a pattern of the plugin `permission`, such as `search_*`.",
  ),
  outcome: optional(
    oneOf(...OUTCOMES),
    "Only calls with this outcome. Without it every call but a suspended one counts.",
  ),
  contains: optional(nonEmptyText, "Only results whose message or data contain this text."),
  text: needed(nonEmptyText, "The text for the model."),
  cooldown_turns: optional(wholeNumberFrom(0), "For how many turns of the model the text is not repeated."),
});

// A rule is read once; every result asks.
const patterns = new WeakMap<StoredReminderRule, ToolPattern>();

function patternOf(rule: StoredReminderRule): ToolPattern {
  const pattern = patterns.get(rule) ?? parseToolPattern(rule.tool);
  patterns.set(rule, pattern);
  return pattern;
}

/** Whether a rule is about this call. */
export function fitsRule(rule: StoredReminderRule, context: AfterToolExecuteContext): boolean {
  const { call, outcome, result } = context;
  // A suspended call has its result later, and the rule its turn then.
  if (rule.outcome === undefined ? outcome === "suspended" : rule.outcome !== outcome) return false;
  const pattern = patternOf(rule);
  if (!pattern.tool.matches(call.toolId)) return false;
  if (pattern.fitsArguments(new ArgumentValues(call.arguments)) !== true) return false;
  if (rule.contains === undefined) return true;
  const data = typeof result.data === "string" ? result.data : JSON.stringify(result.data);
  return data.includes(rule.contains) || result.message?.includes(rule.contains) === true;
}

/** The texts that are not to be repeated yet, each with the turns that are left. */
export type Cooldowns = { readonly [text: string]: number };

export const cooldowns: StateDefinition<Cooldowns> &
  ActionCreators<{ start: [text: string, turns: number]; tick: [] }> = defineState({
  path: "reminder_cooldowns",
  initial: (): Cooldowns => ({}),
  actions: {
    start: (left, text: string, turns: number) => ({ ...left, [text]: turns }),
    tick: (left) =>
      Object.fromEntries(Object.entries(left).flatMap(([text, turns]) => (turns > 1 ? [[text, turns - 1]] : []))),
  },
});
