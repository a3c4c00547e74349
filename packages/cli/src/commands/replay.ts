import { type App, openToLook, openWithAgents } from "../compose/open-app.ts";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import { type CommandInput, textOption } from "./command.ts";
import { oneOf } from "./read-values.ts";
import { withApp } from "./with-app.ts";

/** Runs a finished run again from what was stored, and compares. */
export function replay(input: CommandInput): Promise<ExitCode> {
  const [runId = ""] = input.arguments;
  const mode = oneOf("--mode", textOption(input, "mode") ?? "verify", ["verify", "reexecute"]);
  const work = async ({ runtime }: App): Promise<ExitCode> => {
    input.output.progress(`Replaying run ${runId} …`);
    const result = await runtime.replay(runId, { mode });
    input.output.answer(result, () =>
      result.equal
        ? `Run ${runId} is what was recorded: ${result.versions} versions and ${result.events} events are equal (${result.hash}).`
        : `Run ${runId} is not what was recorded: ${JSON.stringify(result.divergence)}`,
    );
    return result.equal ? EXIT_CODES.ok : EXIT_CODES.failed;
  };
  // A recording is verified by itself, whatever is configured now.
  return withApp(input, work, mode === "verify" ? openToLook : openWithAgents);
}
