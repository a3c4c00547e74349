import { text as readAll } from "node:stream/consumers";
import { chooseAgent, openToWork } from "../compose/open-app.ts";
import type { ExitCode } from "../output/exit-code.ts";
import { EventPrinter } from "../talk/print-events.ts";
import { stopOnSignal } from "../talk/stop-on-signal.ts";
import { tellOutcome } from "../talk/tell-outcome.ts";
import { type CommandInput, textOption } from "./command.ts";

/** Runs an agent once. */
export async function runAgent(input: CommandInput): Promise<ExitCode> {
  const { settings, output } = input;
  const [named, said = ""] = input.arguments;
  const threadId = textOption(input, "thread");
  const text = said === "-" ? await readAll(process.stdin) : said;
  const app = await openToWork(settings, (problem) => output.warn(problem));
  try {
    const agent = named ?? chooseAgent(app.runtime);
    const run = await app.runtime.start({ agent, input: text, ...(threadId !== undefined && { threadId }) });
    const takeBack = stopOnSignal(run, (note) => output.note(note));
    try {
      await new EventPrinter(output).follow(run);
      return tellOutcome(run, await run.outcome(), output);
    } finally {
      takeBack();
    }
  } finally {
    await app.close();
  }
}
