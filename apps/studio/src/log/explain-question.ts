import { formatCost, formatCount } from "../parts/format.ts";
import { fieldsOf } from "./block.ts";

/** A question about a call, in the words of the person who answers. */
export interface Explained {
  /** The kind of question. */
  readonly title: string;
  readonly message: string;
  /** What each answer does; an answer that is not here is not offered. */
  readonly approve?: { readonly label: string; readonly effect: string };
  readonly deny: { readonly label: string; readonly effect: string };
  readonly edit?: { readonly label: string; readonly effect: string };
  readonly supply?: { readonly label: string; readonly effect: string };
  /** The calls that a remembered answer covers. */
  readonly remembers?: string;
  readonly isUnknown: boolean;
  /** The limits that an approval sets, when the question is about a budget. */
  readonly limits?: BudgetLimits;
}

/** Limits of a budget, as far as it has them. */
export interface BudgetLimits {
  readonly limit_microcents?: number;
  readonly limit_tokens?: number;
}

/** The part of an open question that is explained. */
export interface Question {
  readonly tool: string;
  readonly action?: string;
  readonly message?: string;
  readonly parameters?: unknown;
  /** What the call would be made with. */
  readonly arguments?: unknown;
  /** What the answer does, as the ticket says. */
  readonly resumeMode?: string;
}

const BUDGET = "reprise/budget";
const REVIEW = "reprise/review";

/** What the runtime itself asks about has a name without its prefix; tools keep theirs. */
export function nameOfCall(tool: string): string {
  return tool.startsWith("reprise/") ? tool.slice("reprise/".length) : tool;
}

/** Says what is asked, and what each answer does. */
export function explainQuestion(question: Question): Explained {
  const { tool, action, message, parameters, resumeMode } = question;
  const { remembers } = fieldsOf(parameters);
  const covered = typeof remembers === "string" ? { remembers } : {};
  if (action === "unknown_outcome")
    return {
      title: "Unknown outcome",
      message: `The process died while ${tool} was running, so nobody knows whether it took effect. Look where it would show, then choose.`,
      approve: { label: "Run it again", effect: "The tool runs once more with the same idempotency key." },
      deny: { label: "Count as failed", effect: "The tool does not run again. The model reads that it failed." },
      supply: { label: "It took effect…", effect: "You give the result, and the tool does not run again." },
      isUnknown: true,
    };
  if (tool === BUDGET) return explainBudget(message, question.arguments);
  if (tool === REVIEW)
    return {
      title: "Answer needs review",
      message: message ?? "A guardrail found something in the answer.",
      approve: { label: "Let it through", effect: "The answer is used as it is." },
      deny: { label: "Deny", effect: "The answer is withdrawn." },
      edit: { label: "Edit…", effect: "Your text takes the place of the answer." },
      isUnknown: false,
    };
  if (action?.startsWith("gate:") === true) return explainGate(tool, action.slice("gate:".length), message);
  if (resumeMode === "pass_decision_to_tool")
    return {
      title: "Needs an answer",
      message: message ?? `${tool} asks for an answer.`,
      approve: { label: "Continue", effect: "The tool continues without an answer." },
      deny: { label: "Deny", effect: "The tool does not continue. The model reads that it was denied." },
      supply: { label: "Answer…", effect: "The tool continues with your answer." },
      isUnknown: false,
    };
  if (resumeMode === "use_decision_as_tool_result")
    return {
      title: "Needs an answer",
      message: message ?? `${tool} asks for an answer.`,
      approve: { label: "Approve", effect: "The call succeeds without a result." },
      deny: { label: "Deny", effect: "The call does not run. The model reads that it was denied." },
      supply: { label: "Answer…", effect: "Your answer is the result of the call." },
      isUnknown: false,
    };
  return {
    title: "Needs approval",
    message: message ?? `May ${tool} run with these arguments?`,
    approve: { label: "Approve", effect: "The tool runs with exactly these arguments." },
    deny: { label: "Deny", effect: "The tool does not run. The model reads that it was denied." },
    edit: { label: "Edit…", effect: "The tool runs with your arguments, which are checked first." },
    ...covered,
    isUnknown: false,
  };
}

/** A gate of a workflow: the answer is the output of its node, and the workflow goes its way with it. */
function explainGate(node: string, kind: string, message = `May the workflow continue after ${node}?`): Explained {
  const deny = {
    label: "Reject",
    effect: "The output of the node says that it was rejected. Conditions can branch on it.",
  };
  if (kind === "input")
    return {
      title: "Needs input",
      message,
      deny,
      supply: { label: "Answer…", effect: "Your answer is the output of the node." },
      isUnknown: false,
    };
  const supply = {
    label: "Approve with changes…",
    effect: "The workflow continues with your value beside the approval.",
  };
  return {
    title: "Gate",
    message,
    approve: { label: "Approve", effect: "The workflow continues." },
    deny,
    ...(kind === "review" && { supply }),
    isUnknown: false,
  };
}

/** A run that may spend no more: what is spent, what the next step may cost, and what the answers do. */
function explainBudget(message: string | undefined, asked: unknown): Explained {
  const limits = readLimits(asked);
  const raised = describeLimits(limits);
  return {
    title: "Budget spent",
    message: `${describeShortage(message)} The run is paused, and spends nothing until you choose.`,
    approve: {
      label: raised === "" ? "Raise the budget" : `Raise to ${raised}`,
      effect: `The limit becomes ${raised || "the one below"}, and the run continues where it stopped.`,
    },
    deny: { label: "Stop the run", effect: "The run ends with what it has." },
    edit: { label: "Set another limit…", effect: "The run continues with the limit that you write." },
    isUnknown: false,
    limits,
  };
}

function readLimits(asked: unknown): BudgetLimits {
  const { limit_microcents, limit_tokens } = fieldsOf(asked);
  return {
    ...(typeof limit_microcents === "number" && { limit_microcents }),
    ...(typeof limit_tokens === "number" && { limit_tokens }),
  };
}

function describeLimits({ limit_microcents, limit_tokens }: BudgetLimits): string {
  return [
    ...(limit_microcents === undefined ? [] : [formatCost(limit_microcents)]),
    ...(limit_tokens === undefined ? [] : [`${formatCount(limit_tokens)} tokens`]),
  ].join(" and ");
}

/** The figures of the server's sentence, in the units that people count in. Another sentence is shown as it is. */
function describeShortage(message = "The budget of this run is spent."): string {
  const found = /may take (\d+) (microcents|tokens); (\d+) of (\d+)/.exec(message);
  if (found === null) return message;
  const [, needed, unit, used, limit] = found;
  const amount = (value: string | undefined): string =>
    unit === "tokens" ? formatCount(Number(value)) : formatCost(Number(value));
  const [call, of] = unit === "tokens" ? ["take", " tokens"] : ["cost", ""];
  return `${amount(used)} of ${amount(limit)}${of} are spent or reserved, and the next model call may ${call} up to ${amount(needed)}${of}: more than is left.`;
}
