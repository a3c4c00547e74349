import { createInterface } from "node:readline";
import { openToLook } from "../compose/open-app.ts";
import { INSPECTION_TOOLS } from "../inspect/inspection-tools.ts";
import { serveInspection } from "../inspect/serve-inspection.ts";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import { keepStandardOutput } from "../output/keep-standard-output.ts";
import { readVersion } from "../package-file.ts";
import type { CommandInput } from "./command.ts";

/** Lets one assistant look into a store until it closes standard input. Works on no run. */
export async function mcp({ settings, options }: CommandInput): Promise<ExitCode> {
  const write = keepStandardOutput();
  const app = await openToLook(settings);
  const lines = createInterface({ input: process.stdin });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => lines.close());
  const tools = INSPECTION_TOOLS.filter(({ decides }) => decides !== true || options.allowDecisions === true);
  try {
    await serveInspection({
      runtime: app.runtime,
      tools,
      version: readVersion(),
      lines,
      write: (line) => void write(line),
    });
    return EXIT_CODES.ok;
  } finally {
    await app.close();
  }
}
