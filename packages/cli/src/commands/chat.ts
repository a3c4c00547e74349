import { randomUUID } from "node:crypto";
import { chooseAgent, openToWork } from "../compose/open-app.ts";
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
  const isPerson = output.isPerson && process.stdout.isTTY === true;
  const prompter = isPerson ? createTerminalPrompter() : createLinePrompter(process.stdin, (text) => output.note(text));
  try {
    const agent = input.arguments[0] ?? chooseAgent(app.runtime);
    output.note(`Chatting with ${agent} on thread ${threadId}. /help lists the commands, /quit leaves.`);
    return await converse({ runtime: app.runtime, agent, threadId, prompter, output });
  } finally {
    prompter.close();
    await app.close();
  }
}
