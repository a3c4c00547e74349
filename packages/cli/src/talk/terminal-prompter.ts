import { isCancel, note, select, text } from "@clack/prompts";
import type { DecisionVerb } from "@reprise/contracts";
import type { OpenDecision } from "@reprise/runtime";
import { plainText } from "../output/plain-text.ts";
import { coveredBy, readJson } from "./line-prompter.ts";
import { type Answer, possibleAnswers } from "./possible-answers.ts";
import { PROGRAM_CALL } from "./print-events.ts";
import type { Prompter } from "./prompter.ts";

/** Asks the person at the terminal. Ctrl-C at a question leaves. */
export function createTerminalPrompter(): Prompter {
  return {
    async ask() {
      for (;;) {
        const said = await text({ message: "You", placeholder: "message, /help or /quit" });
        if (isCancel(said)) return undefined;
        if (said !== undefined && said.trim() !== "") return said;
      }
    },
    async decide(open) {
      if (open.tool_id === PROGRAM_CALL) return answerWorkflow(open);
      note(plainText(JSON.stringify(open.arguments, null, 2)), plainText(`${open.tool_id} wants to run with`));
      const action = await select({
        message: plainText(open.ticket?.suspension.message ?? "Run it with these arguments?"),
        options: [
          { value: "approve", label: "Approve", hint: "run it with exactly these arguments" },
          ...rememberOptions(open),
          { value: "deny", label: "Deny", hint: "do not run it" },
          { value: "edit", label: "Edit", hint: "change the arguments first" },
        ],
        // An extra Enter must not approve a call.
        initialValue: "deny",
      });
      if (isCancel(action)) return undefined;
      return action === "edit" ? edit(open) : toVerb(action);
    },
    close: () => undefined,
  };
}

/** A question of a workflow, in its own words: a gate, an event, a budget. */
async function answerWorkflow(open: OpenDecision): Promise<DecisionVerb | undefined> {
  const { message = "Continue?", response_schema } = open.ticket?.suspension ?? {};
  const answers = possibleAnswers(open);
  const options = answers.map((value) => ({ value, label: LABELS[value] }));
  const asked = { message: plainText(message), options, initialValue: answers.at(-1) ?? ("deny" as const) };
  const action = answers.length === 1 ? answers[0] : await select<Answer>(asked);
  if (action === undefined || isCancel(action)) return undefined;
  if (action !== "supply") return toVerb(action);
  if (response_schema !== undefined) note(plainText(JSON.stringify(response_schema, null, 2)), "The answer has to fit");
  const given = await text({
    message: answers.length === 1 ? plainText(message) : "Your answer",
    placeholder: 'JSON, as in {"a":1} or "words"',
    validate: (value) => (readJson(value ?? "") === undefined ? "This is not valid JSON." : undefined),
  });
  const result = isCancel(given) ? undefined : readJson(given);
  return result === undefined ? undefined : { action: "supply", result };
}

const LABELS: Readonly<Record<Answer, string>> = {
  approve: "Approve",
  deny: "Deny",
  edit: "Edit",
  supply: "Answer",
};

/** Offered where the answer can reach beyond this call, with the calls it would cover. */
function rememberOptions(open: OpenDecision): { value: string; label: string; hint: string }[] {
  const covered = coveredBy(open);
  if (covered === undefined) return [];
  const hint = plainText(`run it, and later calls of ${covered}`);
  return [
    { value: "thread", label: "Approve for this thread", hint },
    { value: "always", label: "Always approve", hint },
  ];
}

function toVerb(action: string): DecisionVerb {
  if (action === "thread" || action === "always") return { action: "approve", remember: action };
  return action === "approve" ? { action: "approve" } : { action: "deny" };
}

async function edit(open: OpenDecision): Promise<DecisionVerb | undefined> {
  const edited = await text({
    message: "Arguments",
    initialValue: plainText(JSON.stringify(open.arguments)),
    validate: (value) => (readJson(value ?? "") === undefined ? "This is not valid JSON." : undefined),
  });
  const value = isCancel(edited) ? undefined : readJson(edited);
  return value === undefined ? undefined : { action: "edit", arguments: value };
}
