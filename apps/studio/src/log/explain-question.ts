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
}

/** The part of an open question that is explained. */
export interface Question {
  readonly tool: string;
  readonly action?: string;
  readonly message?: string;
  readonly parameters?: unknown;
  /** What the answer does, as the ticket says. */
  readonly resumeMode?: string;
}

const BUDGET = "reprise/budget";
const REVIEW = "reprise/review";

/** Says what is asked, and what each answer does. */
export function explainQuestion({ tool, action, message, parameters, resumeMode }: Question): Explained {
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
  if (tool === BUDGET)
    return {
      title: "Budget spent",
      message: message ?? "The budget of this run is spent.",
      approve: { label: "Raise the budget", effect: "The run continues with the limits below." },
      deny: { label: "End the run", effect: "The run ends with what it has." },
      edit: { label: "Set other limits…", effect: "The run continues with your limits." },
      isUnknown: false,
    };
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
