import { createInterface } from "node:readline";
import { serveMcpLines } from "@reprise/server";
import { openToWork } from "../compose/open-app.ts";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import { keepStandardOutput } from "../output/keep-standard-output.ts";
import { mcpServing } from "../serve/server-options.ts";
import type { CommandInput } from "./command.ts";

/** Serves one MCP client until it closes standard input. Unfinished runs continue with the next process of the store. */
export async function serveMcp({ settings, output }: CommandInput): Promise<ExitCode> {
  // Before a module is loaded: what it prints must not get between the messages.
  const write = keepStandardOutput();
  const app = await openToWork(settings, (problem) => output.warn(problem));
  const lines = createInterface({ input: process.stdin });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => lines.close());
  try {
    await serveMcpLines({
      runtime: app.runtime,
      serving: mcpServing(app.setup.config.server?.mcp),
      lines,
      write: (line) => void write(line),
      report: (error) => output.warn(String(error)),
    });
    return EXIT_CODES.ok;
  } finally {
    await app.close();
  }
}
