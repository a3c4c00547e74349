import type { EventData } from "@reprise/contracts";
import type { RunHandle } from "@reprise/runtime";

/** A connection is held open no longer than this. The run continues, and its events can be read. */
const PATIENCE_MS = 30_000;

/** How a call made by hand stands. */
export interface HandCallStatus {
  readonly status: "done" | "waiting" | "running";
  readonly result?: EventData["tool_call_done"]["result"];
}

/** Waits until a run of one call is over, waits for a decision, or takes too long. */
export async function waitForCall(run: RunHandle, patienceMs: number = PATIENCE_MS): Promise<HandCallStatus> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), patienceMs);
  let last: EventData["tool_call_done"] | undefined;
  let end: EventData["run_finish"] | undefined;
  try {
    for await (const event of run.events({ signal: patience.signal })) {
      if (event.type === "tool_call_done") last = event.data;
      if (event.type === "run_finish") end = event.data;
    }
  } finally {
    clearTimeout(timer);
  }
  if (end === undefined) return { status: "running" };
  if (end.termination.type === "suspended") return { status: "waiting" };
  return { status: "done", ...(last !== undefined && { result: last.result }) };
}
