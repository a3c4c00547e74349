import type { DecisionVerb } from "@reprise/contracts";
import { type App, openWithAgents } from "../compose/open-app.ts";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import { usageFailure } from "../output/failure.ts";
import { jsonValue, oneOf } from "../settings/read-values.ts";
import { describeOpen } from "../talk/tell-outcome.ts";
import { type CommandInput, textOption } from "./command.ts";
import { withApp } from "./with-app.ts";

/** Answers a call that waits, or lists what waits. */
export function decide(input: CommandInput): Promise<ExitCode> {
  const [callId, action] = input.arguments;
  if (callId === undefined) return listOpen(input);
  const verb = readVerb(input, action ?? "");
  const work = async ({ runtime }: App): Promise<ExitCode> => {
    const decision = await runtime.decisions.decide(callId, verb);
    input.output.answer(
      decision,
      () => `Decided: ${verb.action}. The run continues in a process that serves this store.`,
    );
    return EXIT_CODES.ok;
  };
  // Only the tool knows whether it takes other arguments.
  return withApp(input, work, verb.action === "edit" ? openWithAgents : undefined);
}

function listOpen(input: CommandInput): Promise<ExitCode> {
  const threadId = textOption(input, "thread");
  return withApp(input, async ({ runtime }) => {
    const items = await runtime.decisions.list(threadId === undefined ? {} : { threadId });
    input.output.answer({ items }, () =>
      items.length === 0 ? "No tool call waits for a decision." : items.map(describeOpen).join("\n"),
    );
    return EXIT_CODES.ok;
  });
}

function readVerb(input: CommandInput, action: string): DecisionVerb {
  const edited = jsonValue("--arguments", textOption(input, "arguments"));
  const result = jsonValue("--result", textOption(input, "result"));
  const reason = textOption(input, "reason");
  const remember = textOption(input, "remember");
  const said = reason === undefined ? {} : { reason };
  const words = ["once", "thread", "always"] as const;
  const why = remember === undefined ? said : { ...said, remember: oneOf("--remember", remember, words) };
  const word = oneOf("The action", action, ["approve", "deny", "edit", "supply"]);
  if (word !== "edit" && edited !== undefined) throw usageFailure("--arguments goes with edit.");
  if (word !== "supply" && result !== undefined) throw usageFailure("--result goes with supply.");
  switch (word) {
    case "edit":
      if (edited === undefined) throw usageFailure("To edit, give the arguments.", "Add --arguments <json>.");
      return { action: word, arguments: edited, ...why };
    case "supply":
      if (result === undefined) throw usageFailure("To supply, give the result.", "Add --result <json>.");
      if (remember !== undefined) throw usageFailure("--remember goes with approve, deny and edit.");
      return { action: word, result, ...said };
    default:
      return { action: word, ...why };
  }
}
