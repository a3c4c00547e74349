import type { AgentEvent } from "@reprise/contracts";
import type { EventsOptions, RunHandle } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import type { Output } from "../output/output.ts";
import { shortText } from "../output/plain-text.ts";

const ROOM = 100;

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
        this.#output.write(event.data.delta);
        this.#isInLine = !event.data.delta.endsWith("\n");
        return;
      case "tool_call_ready": {
        const { id, name, arguments: input } = event.data;
        this.#tools.set(id, name);
        return this.#note(`→ ${name} ${shortText(JSON.stringify(input), ROOM)}`);
      }
      case "tool_call_done":
        // Waiting calls are printed when the run waits, with everything that is needed to decide.
        if (event.data.outcome === "suspended") return;
        return this.#note(describeDone(event.data.outcome, event.data.result.tool_name, event.data.result));
      case "tool_call_cancelled":
        return this.#note(`✗ ${this.#tools.get(event.data.id) ?? "tool call"}: ${event.data.reason}`);
      case "activity_snapshot":
        return this.#output.progress(describeProgress(event.data.content));
      case "step_reset":
      case "stream_reset":
        return this.#note("(the last text is withdrawn and generated again)");
      case "error":
        return this.#note(`error: ${event.data.message}`);
      default:
    }
  }

  #note(text: string): void {
    this.endLine();
    this.#output.note(text);
  }
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
