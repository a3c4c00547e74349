import type { EventType } from "@reprise/contracts";

/** What becomes of each event, in the words of the reference page. Every chunk an event can give is named. */
export const EVENT_TABLE: Readonly<Record<EventType, string>> = {
  run_start:
    "`start` and `data-run-info`, once the message has an id: at once when the run continues, else with the first step",
  run_finish:
    "the open part is ended (`text-end`, `reasoning-end`), calls without a result get `tool-input-error` or, in an earlier step, `tool-output-error`, then `finish-step`; `data-output` when the answer has a shape; then `finish`, for a cancelled run `abort`, for a failed one `error` and `finish`. Before the first step `start` and `data-run-info` come first",
  text_delta: "`text-start` when no text is open, `text-delta`; ends open reasoning (`reasoning-end`)",
  reasoning_delta: "`reasoning-start` when none is open, `reasoning-delta`; ends open text (`text-end`)",
  reasoning_encrypted_value: "`data-reasoning-encrypted`, transient",
  tool_call_start: "`tool-input-start`; ends what is being said (`text-end`, `reasoning-end`)",
  tool_call_delta: "`tool-input-delta`",
  tool_call_ready: "`tool-input-available`; ends what is being said (`text-end`, `reasoning-end`)",
  tool_call_done:
    "`tool-output-available` with the whole result, `tool-output-error`, or `tool-output-denied` when it was denied. A call that waits gets `tool-approval-request`; one that is the browser's to do stays as it is. A question of the runtime's own gets its part here (`tool-input-available`). The last result of a step brings `finish-step`. When it ends a run that waited, `start` and `data-run-info` come first",
  tool_call_resumed: "`tool-input-available` when the arguments were edited, in the step at hand",
  tool_call_cancelled: "nothing: the result follows",
  step_start:
    "`start-step`; the first one brings `start` and `data-run-info`. A step that was left open is ended (`text-end`, `reasoning-end`, `tool-input-error`, `finish-step`)",
  step_end:
    "the open part is ended (`text-end`, `reasoning-end`), unfinished calls get `tool-input-error`; `finish-step`, or with the last result when the step made calls",
  step_reset:
    "the open part is ended (`text-end`, `reasoning-end`), the calls of the step get `tool-input-error`; nothing when nothing was shown",
  stream_reset:
    "`data-stream-reset`, transient; the response ends without `finish` and `[DONE]`, and the page attaches anew",
  child_run_start: "`data-child-run`, one per run below; the newest stays",
  child_run_progress: "`data-child-run`",
  inference_complete: "`data-inference-complete`, transient",
  state_delta: "`data-state-delta`, transient",
  activity_snapshot:
    "`data-activity-snapshot`; the newest of an activity stays. The types `reasoning`, `source-url`, `source-document` and `file` are also the parts of these names (`reasoning-start`, `reasoning-delta`, `reasoning-end`)",
  error: "nothing yet: told at the end of the run, behind the results of its calls, because clients read no further",
  context_resolved: "nothing",
  model_routed: "nothing",
  model_waiting: "nothing",
  definition_changed: "nothing",
  agent_handoff: "`data-agent-handoff`; stays in the message, one per handoff",
  budget_warning: "nothing",
  cost_recorded: "nothing",
  permission_evaluated: "nothing",
  compaction_started: "nothing",
  compaction_completed: "nothing",
  compaction_failed: "nothing",
  guardrail_tripped: "nothing",
  hook_completed: "nothing",
  tool_catalog_resolved: "nothing",
  workflow_start: "`data-workflow`: `{workflowId, document}`; brings `start` and `data-run-info`",
  node_start: "`data-node`, one per node; the newest stays",
  node_delta: "`data-node-text`, transient",
  node_reasoning_delta: "`data-node-reasoning`, transient",
  node_tool_call: "`data-node-tool`, transient",
  node_tool_result: "`data-node-tool`, transient",
  node_cost: "nothing",
  node_end: "`data-node`",
  node_retry: "`data-node`",
  node_wait: "`data-node`; the question itself is the call's (`tool-approval-request`)",
  node_resume: "`data-node`",
};
