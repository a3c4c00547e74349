import type { Json } from "@reprise/state";
import { ArgumentValues } from "../tool-pattern/argument-values.ts";
import { parseToolPattern, type ToolPattern } from "../tool-pattern/tool-pattern.ts";
import type { Behavior, KeptRule } from "./rule.ts";
import { RuleIndex } from "./rule-index.ts";

/** Where a rule was found. */
export type Scope = "run" | "thread" | "always" | "settings" | "inherited";

/** A deny beats an allow, and an allow beats an ask. */
const RANK: Readonly<Record<Behavior, number>> = { deny: 2, allow: 1, ask: 0 };

interface CompiledRule {
  readonly rule: KeptRule;
  readonly pattern: ToolPattern;
}

/** More tools than this are not remembered: an agent has fewer. */
const MAX_REMEMBERED = 10_000;

/** The rules about one tool, the one that counts most first. */
interface ToolRules {
  readonly all: readonly CompiledRule[];
  readonly byArguments: RuleIndex<CompiledRule>;
}

/**
 * Rules of one scope, compiled once. Rules about one tool are found by its id, and which of the others are about a tool is remembered. Of these a
 * call tries only the rules whose conditions its arguments may fit.
 */
export class RuleSet {
  readonly #byTool = new Map<string, CompiledRule[]>();
  readonly #others: CompiledRule[] = [];
  /** Whether some rules are for a time only. */
  readonly canEnd: boolean;
  readonly #ordered = new Map<string, ToolRules>();

  /** Throws `PatternProblem` for a rule that cannot be read: a rule that cannot be asked must not be passed by. */
  constructor(rules: readonly KeptRule[]) {
    this.canEnd = rules.some(({ expires_at }) => expires_at !== undefined);
    for (const rule of rules) {
      const compiled = { rule, pattern: parseToolPattern(rule.tool) };
      const { toolId } = compiled.pattern;
      if (toolId === undefined) this.#others.push(compiled);
      else {
        const same = this.#byTool.get(toolId);
        if (same === undefined) this.#byTool.set(toolId, [compiled]);
        else same.push(compiled);
      }
    }
  }

  rulesFor(toolId: string): ToolRules {
    const known = this.#ordered.get(toolId);
    if (known !== undefined) return known;
    const others = this.#others.filter(({ pattern }) => pattern.tool.matches(toolId));
    const all = [...(this.#byTool.get(toolId) ?? []), ...others].sort(byPrecedence);
    const rules = { all, byArguments: new RuleIndex(all) };
    if (this.#ordered.size >= MAX_REMEMBERED) this.#ordered.clear();
    this.#ordered.set(toolId, rules);
    return rules;
  }
}

function byPrecedence(left: CompiledRule, right: CompiledRule): number {
  const byRank = RANK[right.rule.behavior] - RANK[left.rule.behavior];
  return byRank !== 0 ? byRank : right.pattern.specificity - left.pattern.specificity;
}

/** The rules that apply to a call, and what is done with a call that none of them fits. */
export interface Policy {
  readonly default: Behavior;
  /** The nearest to the call first. */
  readonly sets: readonly { readonly scope: Scope; readonly rules: RuleSet }[];
  /** Rules that ended before are not there. */
  readonly now: number;
}

/** The verdict of a policy on a call, and the rule that decided. Without a rule the default decided. */
export interface Evaluation {
  readonly behavior: Behavior;
  readonly found?: { readonly rule: KeptRule; readonly scope: Scope; readonly isUnconditional: boolean };
}

/** Deny beats allow beats ask; of rules that say the same, the one that says most about the call counts, and then the nearest. */
export function evaluate({ default: otherwise, sets, now }: Policy, toolId: string, given: Json): Evaluation {
  const values = new ArgumentValues(given);
  let best: (CompiledRule & { readonly scope: Scope }) | undefined;
  for (const { scope, rules } of sets) {
    for (const compiled of rules.rulesFor(toolId).byArguments.candidates(values)) {
      if (!isInForce(compiled, now) || !applies(compiled, values)) continue;
      if (best === undefined || byPrecedence(best, compiled) > 0) best = { ...compiled, scope };
      // The rules after it count less.
      break;
    }
  }
  if (best === undefined) return { behavior: otherwise };
  const { rule, pattern, scope } = best;
  return { behavior: rule.behavior, found: { rule, scope, isUnconditional: pattern.isUnconditional } };
}

/** How strict a verdict is. */
const STRICTNESS: Readonly<Record<Behavior, number>> = { allow: 0, ask: 1, deny: 2 };

/** The strictest verdict of several policies; of equally strict ones the first. */
export function evaluateAll(policies: readonly Policy[], toolId: string, given: Json): Evaluation {
  let strictest: Evaluation | undefined;
  for (const policy of policies) {
    const said = evaluate(policy, toolId, given);
    if (strictest === undefined || STRICTNESS[said.behavior] > STRICTNESS[strictest.behavior]) strictest = said;
  }
  return strictest ?? { behavior: "ask" };
}

/** Whether every call of a tool is denied, whatever its arguments: then the model need not know of the tool. */
export function isAlwaysDenied({ default: otherwise, sets, now }: Policy, toolId: string): boolean {
  let isOpen = otherwise !== "deny";
  for (const { rules } of sets) {
    for (const compiled of rules.rulesFor(toolId).all) {
      if (!isInForce(compiled, now)) continue;
      if (compiled.rule.behavior !== "deny") isOpen = true;
      else if (compiled.pattern.isUnconditional) return true;
    }
  }
  return !isOpen;
}

// Every step asks about the same tools, of which there may be thousands, and mostly under the same rules.
const answered = new WeakMap<readonly Named[], Answered>();

interface Answered {
  readonly policies: readonly Policy[];
  readonly denied: readonly string[];
}

type Named = { readonly id: string };

/** The tools whose every call one of the policies denies. */
export function findAlwaysDenied(policies: readonly Policy[], tools: readonly Named[]): readonly string[] {
  const last = answered.get(tools);
  if (last?.policies.length === policies.length && last.policies.every((each, at) => saysTheSame(each, policies[at])))
    return last.denied;
  const isDenied = (id: string): boolean => policies.some((policy) => isAlwaysDenied(policy, id));
  const denied = tools.flatMap(({ id }) => (isDenied(id) ? [id] : []));
  answered.set(tools, { policies, denied });
  return denied;
}

function saysTheSame(left: Policy, right: Policy | undefined): boolean {
  return (
    right !== undefined &&
    left.default === right.default &&
    left.sets.length === right.sets.length &&
    left.sets.every(({ rules }, index) => rules === right.sets[index]?.rules && !rules.canEnd)
  );
}

function isInForce({ rule }: CompiledRule, now: number): boolean {
  return rule.expires_at === undefined || rule.expires_at > now;
}

/** Arguments that cannot be looked at are never allowed by a condition, and never slip past one. */
function applies({ rule, pattern }: CompiledRule, values: ArgumentValues): boolean {
  return pattern.fitsArguments(values) ?? rule.behavior !== "allow";
}
