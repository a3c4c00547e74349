import type { AgentEvent, EventData } from "@reprise/contracts";
import type { EventsOptions, RunHandle } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import type { Output } from "../output/output.ts";
import { shortText } from "../output/plain-text.ts";

const ROOM = 100;

/** The calls that stand for the questions of workflows: their nodes are printed instead. */
export const PROGRAM_CALL = "reprise/program";

/** Prints what an agent says as it says it, and its tool calls on lines of their own. For programs, every event as it is. */
export class EventPrinter {
  readonly #output: Output;
  /** Whether the last thing that was written was text without an end of line. */
  #isInLine = false;
  readonly #tools = new Map<string, string>();

  constructor(output: Output) {
    this.#output = output;
  }

  /** Prints a run's events until it waits or is done. Returns the cursor to continue from. */
  async follow(run: RunHandle, options: EventsOptions = {}): Promise<string | undefined> {
    let last: string | undefined;
    for await (const { event, cursor } of run.eventsWithCursor(options)) {
      last = cursor;
      this.#output.record({ cursor, event });
      if (!this.#output.isJson) this.#print(event);
    }
    this.endLine();
    return last;
  }

  endLine(): void {
    if (this.#isInLine) this.#output.write("\n");
    this.#isInLine = false;
  }

  #print(event: AgentEvent): void {
    switch (event.type) {
      case "text_delta":
        return this.#write(event.data.delta);
      case "tool_call_ready": {
        const { id, name, arguments: input } = event.data;
        this.#tools.set(id, name);
        return this.#note(`→ ${name} ${shortText(JSON.stringify(input), ROOM)}`);
      }
      case "tool_call_done":
        // Waiting calls are printed when the run waits, with everything that is needed to decide.
        if (event.data.outcome === "suspended" || event.data.result.tool_name === PROGRAM_CALL) return;
        return this.#note(describeDone(event.data.outcome, event.data.result.tool_name, event.data.result));
      case "tool_call_cancelled":
        return this.#note(`✗ ${this.#tools.get(event.data.id) ?? "tool call"}: ${event.data.reason}`);
      case "activity_snapshot":
        return this.#output.progress(describeProgress(event.data.content));
      case "step_reset":
      case "stream_reset":
        return this.#note("(the last text is withdrawn and generated again)");
      case "node_start":
        return this.#note(`▸ ${event.data.node_id} (${event.data.node_type})`);
      case "node_tool_call":
        return this.#note(`→ ${event.data.tool_id} ${shortText(JSON.stringify(event.data.arguments), ROOM)}`);
      case "node_tool_result":
        return this.#note(
          `${event.data.success ? "←" : "✗"} ${event.data.tool_id} ${shortText(event.data.output_summary, ROOM)}`,
        );
      case "node_retry":
        return this.#note(
          `↻ ${event.data.node_id} in ${event.data.delay_ms} ms: ${shortText(event.data.error.message, ROOM)}`,
        );
      case "node_wait":
        return this.#note(`… ${event.data.node_id} waits (${event.data.wait})`);
      case "node_end":
        return this.#note(describeNode(event.data));
      case "error":
        return this.#note(`error: ${event.data.message}`);
      default:
    }
  }

  #write(text: string): void {
    this.#output.write(text);
    this.#isInLine = !text.endsWith("\n");
  }

  #note(text: string): void {
    this.endLine();
    this.#output.note(text);
  }
}

function describeNode({ node_id, outcome, output, error, reason }: EventData["node_end"]): string {
  if (outcome === "skipped") return `– ${node_id} is skipped (${reason ?? "branch_not_taken"})`;
  if (outcome === "failed") return `✗ ${node_id}: ${shortText(error?.message ?? outcome, ROOM)}`;
  return `✓ ${node_id} ${output === undefined ? "" : shortText(JSON.stringify(output), ROOM)}`.trimEnd();
}

function describeDone(
  outcome: string,
  tool: string,
  result: { readonly data: Json; readonly message: string | null },
): string {
  return outcome === "succeeded"
    ? `← ${tool} ${shortText(JSON.stringify(result.data), ROOM)}`
    : `✗ ${tool}: ${shortText(result.message ?? outcome, ROOM)}`;
}

function describeProgress(content: Json): string {
  if (typeof content !== "object" || content === null || Array.isArray(content)) return "";
  const { tool_name, progress, total, message } = content as { readonly [key: string]: Json };
  const share = typeof progress === "number" ? ` ${progress}${typeof total === "number" ? `/${total}` : ""}` : "";
  return `… ${String(tool_name ?? "")}${share}${typeof message === "string" ? ` ${message}` : ""}`;
}
