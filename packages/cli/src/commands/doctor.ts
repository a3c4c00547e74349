import { checkConfig } from "../doctor/check-config.ts";
import { checkPort } from "../doctor/check-port.ts";
import { checkStore } from "../doctor/check-store.ts";
import { type Finding, ok } from "../doctor/finding.ts";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import type { CommandInput } from "./command.ts";

/** Looks at everything a server needs. Fails when something would keep it from working. */
export async function doctor({ settings, output }: CommandInput): Promise<ExitCode> {
  const { findings: config, setup } = await checkConfig(settings);
  output.progress("Looking at the store …");
  const rest = setup === undefined ? [] : [...(await checkStore(setup)), await checkPort(setup)];
  const findings = [ok("node", `Node ${process.versions.node}`), ...config, ...rest];
  const isHealthy = findings.every(({ status }) => status !== "fail");
  output.answer({ ok: isHealthy, findings }, () => findings.map(describeFinding).join("\n"));
  return isHealthy ? EXIT_CODES.ok : EXIT_CODES.failed;
}

function describeFinding({ check, status, message, remedy }: Finding): string {
  const line = `${status.padEnd(4)}  ${check.padEnd(9)} ${message}`;
  return remedy === undefined ? line : `${line}\n      ${" ".repeat(9)} → ${remedy}`;
}
