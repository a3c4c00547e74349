import type { EventType } from "@reprise/contracts";

/** The AG-UI events that each event gives, in the words of the reference page. Every event type that it can give is named. */
export const AG_UI_EVENT_TABLE: Readonly<Record<EventType, string>> = {
  run_start: "`RUN_STARTED`, when the run begins or continues after it waited",
  run_finish:
    "everything open is ended (`TEXT_MESSAGE_END`, `REASONING_MESSAGE_END`, `REASONING_END`, `TOOL_CALL_END`, `STEP_FINISHED`, `SUBAGENT_FINISHED`), calls without a result get one that says so (`TOOL_CALL_RESULT`); then `RUN_FINISHED` with result, outcome and usage, or `RUN_ERROR`. `RUN_STARTED` comes first when the run waited",
  text_delta:
    "`TEXT_MESSAGE_START` when no text is open, `TEXT_MESSAGE_CONTENT`; ends open reasoning (`REASONING_MESSAGE_END`, `REASONING_END`)",
  reasoning_delta:
    "`REASONING_START` and `REASONING_MESSAGE_START` when none is open, `REASONING_MESSAGE_CONTENT`; ends open text (`TEXT_MESSAGE_END`)",
  reasoning_encrypted_value: "`REASONING_ENCRYPTED_VALUE`",
  tool_call_start:
    "`TOOL_CALL_START` as part of the step's message; ends what is being told (`TEXT_MESSAGE_END`, `REASONING_MESSAGE_END`, `REASONING_END`)",
  tool_call_delta: "`TOOL_CALL_ARGS`",
  tool_call_ready:
    "`TOOL_CALL_ARGS` with all arguments when none were told and there are any, `TOOL_CALL_END`; before them `TOOL_CALL_START` when it was not told; ends what is being told (`TEXT_MESSAGE_END`, `REASONING_MESSAGE_END`, `REASONING_END`)",
  tool_call_done:
    "`TOOL_CALL_RESULT` with the whole result as JSON, unless the client sent it. A call that waits gets nothing yet: it is in the outcome of the run. A call that the model did not make is shown first (`TOOL_CALL_START`, `TOOL_CALL_ARGS`, `TOOL_CALL_END`). `RUN_STARTED` comes first when it ends a run that waited",
  tool_call_resumed: "nothing: the result follows",
  tool_call_cancelled: "nothing: the result follows",
  step_start:
    "`STEP_STARTED`; a step that was left open is ended (`TEXT_MESSAGE_END`, `REASONING_MESSAGE_END`, `REASONING_END`, `TOOL_CALL_END`, `TOOL_CALL_RESULT`, `STEP_FINISHED`)",
  step_end:
    "`STEP_FINISHED`; what is open in it is ended (`TEXT_MESSAGE_END`, `REASONING_MESSAGE_END`, `REASONING_END`, `TOOL_CALL_END`), and calls that were not finished get a result that says so (`TOOL_CALL_RESULT`)",
  step_reset:
    "what is open is ended (`TEXT_MESSAGE_END`, `REASONING_MESSAGE_END`, `REASONING_END`, `TOOL_CALL_END`), the calls of the step get a result that says so (`TOOL_CALL_RESULT`). What follows has other ids, with `_2` and `~2` behind them",
  stream_reset: "`RUN_ERROR` with the code `STREAM_RESET`: connect again",
  inference_complete: "`CUSTOM` of the name `inference_complete`: `model`, `usage`, `durationMs`",
  state_delta: "`STATE_DELTA`",
  activity_snapshot: "`ACTIVITY_SNAPSHOT` the first time, `ACTIVITY_DELTA` from then on",
  agent_handoff: "`CUSTOM` of the name `agent_handoff`: `from`, `to`, `number`",
  child_run_start: "nothing: the events of the run follow with its `subagentRunId`",
  child_run_progress: "nothing",
  error: "nothing yet: told at the end of the run, because clients read no further",
  context_resolved: "nothing",
  model_routed: "nothing",
  model_waiting: "nothing",
  definition_changed: "nothing",
  budget_warning: "nothing",
  cost_recorded: "nothing",
  permission_evaluated: "nothing",
  compaction_started: "nothing",
  compaction_completed: "nothing",
  compaction_failed: "nothing",
  guardrail_tripped: "nothing",
  hook_completed: "nothing",
  tool_catalog_resolved: "nothing",
  workflow_start: "`CUSTOM` `workflow_start`",
  node_start: "`ACTIVITY_SNAPSHOT` of the type `workflow-node`, one per node; `ACTIVITY_DELTA` from its second time on",
  node_delta: "`CUSTOM` `node_delta`",
  node_reasoning_delta: "`CUSTOM` `node_reasoning_delta`",
  node_tool_call: "`CUSTOM` `node_tool_call`",
  node_tool_result: "`CUSTOM` `node_tool_result`",
  node_cost: "nothing",
  node_end: "`ACTIVITY_DELTA`, or `ACTIVITY_SNAPSHOT` of a node that never began",
  node_retry: "`ACTIVITY_DELTA`",
  node_wait: "`ACTIVITY_DELTA`",
  node_resume: "`ACTIVITY_DELTA`",
};
