import { createInterface } from "node:readline";
import type { DecisionVerb } from "@reprise/contracts";
import type { OpenDecision } from "@reprise/runtime";
import { getAt, type Json, parseJson } from "@reprise/state";
import { possibleAnswers, sayAnswers } from "./possible-answers.ts";
import { PROGRAM_CALL } from "./print-events.ts";
import type { Prompter } from "./prompter.ts";

/** Reads what to say, and how to decide, from lines: for pipes and scripts. */
export function createLinePrompter(input: NodeJS.ReadableStream, note: (text: string) => void): Prompter {
  const reader = createInterface({ input, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  const next = async (): Promise<string | undefined> => {
    const { done, value } = await lines.next();
    return done === true ? undefined : String(value);
  };
  return {
    async ask() {
      for (;;) {
        const line = await next();
        if (line === undefined || line.trim() !== "") return line;
      }
    },
    async decide(open) {
      const answers = possibleAnswers(open);
      const approve = coveredBy(open) === undefined ? "approve" : "approve [thread | always]";
      note(`${describeQuestion(open)}: ${sayAnswers(answers, { approve })}?`);
      for (;;) {
        const line = await next();
        if (line === undefined) return undefined;
        const verb = readVerb(line);
        if (verb !== undefined && answers.includes(verb.action)) return verb;
        note(`Say ${sayAnswers(answers)}.`);
      }
    },
    close: () => reader.close(),
  };
}

/** A decision as people type it; undefined when it is none. What is unclear lets nothing run. */
export function readVerb(line: string): DecisionVerb | undefined {
  const [, word = "", rest = ""] = /^\s*(\w+)\s*(.*)$/s.exec(line) ?? [];
  switch (word.toLowerCase()) {
    case "approve":
    case "yes":
    case "y":
      return readApproval(rest.trim().toLowerCase());
    case "deny":
    case "no":
    case "n":
      return rest.trim() === "" ? { action: "deny" } : { action: "deny", reason: rest.trim() };
    case "edit": {
      const value = readJson(rest);
      return value === undefined ? undefined : { action: "edit", arguments: value };
    }
    case "supply": {
      const value = readJson(rest);
      return value === undefined ? undefined : { action: "supply", result: value };
    }
    default:
      return undefined;
  }
}

function readApproval(remember: string): DecisionVerb | undefined {
  if (remember === "thread" || remember === "always") return { action: "approve", remember };
  return remember === "" ? { action: "approve" } : undefined;
}

/** The calls that an answer would cover if it was remembered; undefined where answers are about one call. */
export function coveredBy({ ticket }: Pick<OpenDecision, "ticket">): string | undefined {
  const covered = getAt(ticket?.suspension.parameters ?? null, ["remembers"]);
  return typeof covered === "string" ? covered : undefined;
}

/** JSON, or undefined for what is none. */
export function readJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** What is asked: by a workflow in its own words, by a tool with its arguments. */
function describeQuestion({ tool_id, arguments: input, ticket }: OpenDecision): string {
  const { action, message } = ticket?.suspension ?? {};
  const isGate = tool_id === PROGRAM_CALL && message !== undefined;
  return isGate ? `${message} (${action})` : `${tool_id} ${JSON.stringify(input)}`;
}
