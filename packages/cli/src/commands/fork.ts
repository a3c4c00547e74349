import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import { wholeNumber } from "../settings/read-values.ts";
import { type CommandInput, textOption } from "./command.ts";
import { withApp } from "./with-app.ts";

/** Makes a new thread of an old one. */
export function fork(input: CommandInput): Promise<ExitCode> {
  const [threadId = ""] = input.arguments;
  const at = wholeNumber("--at", textOption(input, "at"));
  const name = textOption(input, "as");
  return withApp(input, async ({ runtime }) => {
    const thread = await runtime.threads.fork(threadId, {
      ...(at !== undefined && { at }),
      ...(name !== undefined && { threadId: name }),
    });
    input.output.answer(
      thread,
      () => `Thread ${thread.thread_id} is a fork of ${threadId}${at === undefined ? "" : ` at version ${at}`}.`,
    );
    return EXIT_CODES.ok;
  });
}
