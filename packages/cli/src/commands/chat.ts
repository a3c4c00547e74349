import { randomUUID } from "node:crypto";
import { openToWork } from "../compose/open-app.ts";
import type { ExitCode } from "../output/exit-code.ts";
import { converse } from "../talk/conversation.ts";
import { createLinePrompter } from "../talk/line-prompter.ts";
import { createTerminalPrompter } from "../talk/terminal-prompter.ts";
import { type CommandInput, textOption } from "./command.ts";

/** Talks with an agent. */
export async function chat(input: CommandInput): Promise<ExitCode> {
  const { settings, output } = input;
  const threadId = textOption(input, "thread") ?? randomUUID();
  const app = await openToWork(settings, (problem) => output.warn(problem));
  const isPerson = process.stdin.isTTY === true && process.stdout.isTTY === true && !output.isJson;
  const prompter = isPerson ? createTerminalPrompter() : createLinePrompter(process.stdin, (text) => output.note(text));
  try {
    const known = app.runtime.agents().map(({ id }) => id);
    const agent = input.arguments[0] ?? (known.includes("default") ? "default" : (known[0] ?? "default"));
    output.note(
      `Talking with ${agent} on thread ${threadId}. /quit or Ctrl-C leaves; Ctrl-C during an answer stops it.`,
    );
    return await converse({ runtime: app.runtime, agent, threadId, prompter, output });
  } finally {
    prompter.close();
    await app.close();
  }
}
