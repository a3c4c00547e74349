import type { AgentEvent, RunRecord } from "@reprise/contracts";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import { shortText } from "../output/plain-text.ts";
import { table } from "../output/table.ts";
import { oneOf, wholeNumber } from "../settings/read-values.ts";
import { type CommandInput, textOption } from "./command.ts";
import { withApp } from "./with-app.ts";

export function listRuns(input: CommandInput): Promise<ExitCode> {
  const limit = wholeNumber("--limit", textOption(input, "limit")) ?? 20;
  const [thread, wanted] = [textOption(input, "thread"), textOption(input, "status")];
  const status = wanted === undefined ? undefined : oneOf("--status", wanted, ["running", "waiting", "done"]);
  return withApp(input, async ({ runtime }) => {
    const page = await runtime.runs({
      limit,
      ...(thread !== undefined && { thread_id: thread }),
      ...(status !== undefined && { status }),
    });
    input.output.answer(page, () =>
      page.items.length === 0
        ? "No runs."
        : table(["run", "agent", "status", "ended", "steps", "thread"], page.items.map(rowOf)),
    );
    return EXIT_CODES.ok;
  });
}

function rowOf({ run_id, agent_id, status, termination_code = "", steps, thread_id }: RunRecord): readonly string[] {
  return [run_id, agent_id, status, termination_code, String(steps), thread_id];
}

export function showRun(input: CommandInput): Promise<ExitCode> {
  const [runId = ""] = input.arguments;
  return withApp(input, async ({ runtime }) => {
    const run = await (await runtime.run(runId)).record();
    const { items: calls } = await runtime.calls({ runId: run.run_id, limit: 200 });
    input.output.answer({ run, calls }, () =>
      [
        `run ${run.run_id} of agent ${run.agent_id} on thread ${run.thread_id}`,
        `${run.status}${run.termination_code === undefined ? "" : ` (${run.termination_code})`}, ${run.steps} steps, ${run.input_tokens} tokens in, ${run.output_tokens} out`,
        ...(run.termination_detail === undefined ? [] : [run.termination_detail]),
        ...calls.map((call) => `${call.status} ${call.tool_id} ${JSON.stringify(call.arguments)} (${call.call_id})`),
      ].join("\n"),
    );
    return EXIT_CODES.ok;
  });
}

export function printEvents(input: CommandInput): Promise<ExitCode> {
  const [runId = ""] = input.arguments;
  const after = textOption(input, "after");
  const { output } = input;
  return withApp(input, async ({ runtime }) => {
    const run = await runtime.run(runId);
    const control = new AbortController();
    const leave = (): void => control.abort();
    process.once("SIGINT", leave);
    try {
      const options = {
        follow: input.options.follow === true,
        signal: control.signal,
        ...(after !== undefined && { after }),
      };
      for await (const { event, cursor } of run.eventsWithCursor(options)) {
        output.record({ cursor, event });
        output.write(`${describeEvent(event)}\n`);
      }
    } catch (error) {
      // A watcher may stop at any time.
      if (!control.signal.aborted) throw error;
    } finally {
      process.off("SIGINT", leave);
    }
    return EXIT_CODES.ok;
  });
}

function describeEvent(event: AgentEvent): string {
  const data = event.data === undefined ? "" : ` ${shortText(JSON.stringify(event.data), 120)}`;
  return `${String(event.seq ?? "–").padStart(4)} ${event.type}${data}`;
}

export function exportRun(input: CommandInput): Promise<ExitCode> {
  const [runId = ""] = input.arguments;
  return withApp(input, async ({ runtime }) => {
    const recording = await runtime.exportRun(runId);
    // For people too: it is written to a file, and read by a program.
    input.output.raw(`${JSON.stringify(recording)}\n`);
    return EXIT_CODES.ok;
  });
}

export function cancelRun(input: CommandInput): Promise<ExitCode> {
  const [runId = ""] = input.arguments;
  return withApp(input, async ({ runtime }) => {
    const run = await runtime.run(runId);
    await run.cancel(textOption(input, "reason"));
    input.output.answer({ status: "cancel_requested", run_id: run.id }, () => `Run ${run.id} is being cancelled.`);
    return EXIT_CODES.ok;
  });
}
