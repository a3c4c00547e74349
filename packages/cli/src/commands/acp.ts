import { openEditorServers } from "@reprise/plugins/mcp";
import { createLineSplitter } from "@reprise/protocols/acp";
import { connectAcp } from "@reprise/server/acp";
import { chooseAgent, openToWork } from "../compose/open-app.ts";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import { CommandFailure } from "../output/failure.ts";
import { keepStandardOutput } from "../output/keep-standard-output.ts";
import { readVersion } from "../package-file.ts";
import type { CommandInput } from "./command.ts";

/** Serves one editor until it closes standard input. Unfinished runs continue with the next process of the store. */
export async function acp(input: CommandInput): Promise<ExitCode> {
  const { settings, output } = input;
  // Before a module is loaded: what it prints must not get between the messages.
  const write = keepStandardOutput();
  const app = await openToWork(settings, (problem) => output.warn(problem));
  try {
    const agent = input.arguments[0] ?? chooseAgent(app.runtime);
    assertKnown(
      agent,
      app.runtime.agents().map(({ id }) => id),
    );
    const { runtime } = app;
    const warn = (text: string): void => output.warn(text);
    const allowed = app.setup.config.server?.acp?.mcp_servers ?? "all";
    const connection = connectAcp({
      runtime,
      write,
      agent,
      version: readVersion(),
      warn,
      ...(allowed !== "none" && { editorServers: { open: openEditorServers(runtime), allowed } }),
    });
    await untilGone(connection.receive).finally(connection.close);
    return EXIT_CODES.ok;
  } finally {
    await app.close();
  }
}

function assertKnown(agent: string, known: readonly string[]): void {
  if (known.includes(agent)) return;
  throw new CommandFailure(`There is no agent ${JSON.stringify(agent)}.`, {
    code: "AGENT_NOT_FOUND",
    exitCode: EXIT_CODES.misused,
    remedy: `Known: ${known.slice(0, 10).join(", ")}.`,
  });
}

/** Hands over every line, and settles when the editor is gone or the process is asked to end. */
async function untilGone(receive: (line: string) => void): Promise<void> {
  const { stdin } = process;
  await new Promise<void>((resolve, reject) => {
    const refuse = (): void =>
      reject(new CommandFailure("A message of the editor is too long.", { remedy: "Send smaller files." }));
    const lines = createLineSplitter(receive, refuse);
    stdin.setEncoding("utf8");
    stdin.on("data", (text: string) => lines.push(text));
    stdin.once("end", resolve);
    stdin.once("error", resolve);
    process.once("SIGTERM", resolve);
    process.once("SIGINT", resolve);
  });
  stdin.pause();
}
