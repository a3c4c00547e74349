import { terminationCode } from "@reprise/contracts";
import type { OpenDecision, RunHandle, RunOutcome } from "@reprise/runtime";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import type { Output } from "../output/output.ts";

/** Says how a run stands, and answers the exit code for it. What it said is already printed. */
export function tellOutcome(run: RunHandle, outcome: RunOutcome, output: Output): ExitCode {
  const ids = { run_id: run.id, thread_id: run.threadId };
  switch (outcome.status) {
    case "done": {
      const { text, output: value, termination } = outcome;
      output.record({
        outcome: { status: "done", ...ids, text, ...(value !== undefined && { output: value }), termination },
      });
      if (termination.type === "stopped")
        output.note(`Stopped: ${terminationCode(termination).replace("stopped:", "")}.`);
      return EXIT_CODES.ok;
    }
    case "waiting":
      output.record({ outcome: { status: "waiting", ...ids, open: outcome.open } });
      output.note(outcome.open.map(describeOpen).join("\n"));
      return EXIT_CODES.waiting;
    case "cancelled":
      output.record({ outcome: { status: "cancelled", ...ids } });
      output.note("The run was stopped.");
      return EXIT_CODES.failed;
    case "failed": {
      const { error, code } = outcome;
      output.record({ outcome: { status: "failed", ...ids, error, ...(code !== undefined && { code }) } });
      output.note(`The run failed: ${error}`);
      return EXIT_CODES.failed;
    }
    default:
      return outcome satisfies never;
  }
}

/** What waits, with everything that is needed to decide: the exact arguments are shown. */
export function describeOpen({ id, tool_id, arguments: input, ticket }: OpenDecision): string {
  const question = ticket?.suspension.message ?? "Run it with these arguments?";
  return [
    `${tool_id} needs a decision: ${question}`,
    `  ${JSON.stringify(input)}`,
    `  reprise decide ${id} approve   (or: deny, edit --arguments <json>, supply --result <json>)`,
  ].join("\n");
}
