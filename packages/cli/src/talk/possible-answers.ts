import type { OpenDecision } from "@reprise/runtime";
import { PROGRAM_CALL } from "./print-events.ts";

/** An answer to a question, in the words of people. */
export type Answer = "approve" | "deny" | "edit" | "supply";

const TO_A_CALL: readonly Answer[] = ["approve", "deny", "edit", "supply"];

/** The answers that a question of a workflow takes, by what it asks for. */
const TO_A_WORKFLOW: Readonly<Record<string, readonly Answer[]>> = {
  "gate:approval": ["approve", "deny"],
  "gate:input": ["supply", "deny"],
  event: ["supply"],
};

/** The answers that a question takes. */
export function possibleAnswers({ tool_id, ticket }: Pick<OpenDecision, "tool_id" | "ticket">): readonly Answer[] {
  if (tool_id !== PROGRAM_CALL) return TO_A_CALL;
  const action = ticket?.suspension.action ?? "";
  const kind = action.startsWith("event:") ? "event" : action;
  // A review may change what is reviewed; budgets, upgrades and interrupted tools take an answer of their own too.
  return TO_A_WORKFLOW[kind] ?? ["approve", "supply", "deny"];
}

const FORMS: Readonly<Record<Answer, string>> = {
  approve: "approve",
  deny: "deny",
  edit: "edit <json>",
  supply: "supply <json>",
};

/** `approve, deny or supply <json>`. */
export function sayAnswers(answers: readonly Answer[], forms: Partial<typeof FORMS> = {}): string {
  const said = answers.map((answer) => forms[answer] ?? FORMS[answer]);
  const last = said.at(-1) ?? "";
  return said.length < 2 ? last : `${said.slice(0, -1).join(", ")} or ${last}`;
}
