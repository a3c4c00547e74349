import type { AgentEvent, EventData, RunRecord } from "@reprise/contracts";
import { terminationCode } from "@reprise/contracts";
import { shortText } from "../output/plain-text.ts";

const ROOM = 400;
/** A story longer than this tells its beginning and its end. */
const MAX_LINES = 200;

/** What a run did, in sentences: one line for each thing that happened, with the number of its event. */
export async function tellRun(record: RunRecord, events: AsyncIterable<AgentEvent>): Promise<string> {
  const story = new Story();
  for await (const event of events) story.hear(event);
  return [headline(record), ...story.lines].join("\n");
}

function headline(run: RunRecord): string {
  const { run_id, agent_id, thread_id, status, termination_code, termination_detail, steps } = run;
  const end = termination_code === undefined ? status : `${status}: ${termination_code}`;
  const why = termination_detail === undefined ? "" : ` (${shortText(termination_detail, ROOM)})`;
  const tokens = `${run.input_tokens} tokens in, ${run.output_tokens} out`;
  return `Run ${run_id} of agent ${agent_id} on thread ${thread_id}. ${end}${why}. ${steps} steps, ${tokens}.`;
}

/** Collects lines. Text that comes in pieces is one line. */
class Story {
  readonly #lines: string[] = [];
  #text = "";
  #textAt: number | undefined;

  get lines(): readonly string[] {
    this.#endText();
    const left = this.#lines.length - MAX_LINES;
    if (left <= 0) return this.#lines;
    const half = MAX_LINES / 2;
    return [
      ...this.#lines.slice(0, half),
      `… ${left} lines are left out; run_events has them …`,
      ...this.#lines.slice(-half),
    ];
  }

  hear(event: AgentEvent): void {
    if (event.type === "text_delta") {
      this.#textAt ??= event.seq;
      this.#text += event.data.delta;
      return;
    }
    // A model that is asked again begins anew.
    if (event.type === "step_reset" || event.type === "stream_reset") this.#text = "";
    const said = describe(event);
    if (said === undefined) return;
    this.#endText();
    this.#add(event.seq, said);
  }

  #endText(): void {
    if (this.#text !== "") this.#add(this.#textAt, `The agent says: ${shortText(this.#text, ROOM)}`);
    this.#text = "";
    this.#textAt = undefined;
  }

  #add(seq: number | undefined, text: string): void {
    this.#lines.push(`[${seq ?? "–"}] ${text}`);
  }
}

/** What an event means to a reader; undefined for one that only programs need. */
function describe(event: AgentEvent): string | undefined {
  switch (event.type) {
    case "run_start":
      return "The run is taken up by a process.";
    case "step_start":
      return "A step begins: the model is asked.";
    case "tool_call_ready":
      return `The model calls ${event.data.name} ${shortText(JSON.stringify(event.data.arguments), ROOM)} (call ${event.data.id}).`;
    case "tool_call_done":
      return describeCall(event.data);
    case "tool_call_cancelled":
      return `The call ${event.data.id} is cancelled: ${shortText(event.data.reason, ROOM)}`;
    case "step_reset":
      return "The model is asked again; its text so far is withdrawn.";
    case "model_waiting":
      return `The run waits for its model (${event.data.reason}).`;
    case "node_start":
      return `The node ${event.data.node_id} begins.`;
    case "node_end":
      return `The node ${event.data.node_id} ends: ${event.data.outcome}.`;
    case "error":
      return `Error: ${shortText(event.data.message, ROOM)}`;
    case "run_finish":
      return describeEnd(event.data);
    default:
      return undefined;
  }
}

function describeCall({ id, outcome, result, suspended }: EventData["tool_call_done"]): string {
  const name = result.tool_name;
  if (suspended !== undefined) {
    const asked = suspended.ticket.suspension.message ?? suspended.ticket.suspension.action;
    return `The call ${id} of ${name} waits for a decision: ${shortText(asked, ROOM)}`;
  }
  const told = outcome === "succeeded" ? JSON.stringify(result.data) : (result.message ?? outcome);
  return `${name} ${outcome === "succeeded" ? "answers" : outcome}: ${shortText(told, ROOM)}`;
}

function describeEnd({ termination }: EventData["run_finish"]): string {
  if (termination.type === "suspended") return "The run gives its process back until somebody decides.";
  return `The run ends: ${terminationCode(termination)}.`;
}
