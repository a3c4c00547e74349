import { isCancel, note, select, text } from "@clack/prompts";
import type { DecisionVerb } from "@reprise/contracts";
import type { OpenDecision } from "@reprise/runtime";
import { plainText } from "../output/plain-text.ts";
import { coveredBy, readJson } from "./line-prompter.ts";
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
