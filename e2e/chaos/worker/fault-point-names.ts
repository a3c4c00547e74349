/** Where a process can be made to die. Everything here has to be visited before one may say that every point was tried. */

/** Those of the runtime itself: its `env.point(…)`. A test compares them with its sources. */
export const RUNTIME_POINTS: readonly string[] = ["commit:before", "commit:after", "tool:before", "tool:executed"];

/** What changes a store, as the worker's store names it. */
const STORE_OPERATIONS: readonly string[] = [
  "submit",
  "submit_claiming",
  "decide",
  "requestCancel",
  "commit(user_message)",
  "commit(rollback+user_message)",
  "commit(assistant_turn+tool_intent)",
  "commit(tool_intent)",
  "commit(tool_results)",
  "commit(tool_results+tool_intent)",
  "commit(run_finished)",
  "commit(assistant_turn+run_finished)",
  "commit(external_patch)",
  "renew",
  "release",
  "enter",
];

const CLAIMS: readonly string[] = ["start", "resume", "recover"];

/** What a client is told, and the moments just before and after it. */
const ANSWERS: readonly string[] = ["start", "decide", "cancel", "patch"];

/** Right after an event of the type was sent: what a client saw is all there is. */
const STREAMED: readonly string[] = [
  "run_start",
  "step_start",
  "reasoning_delta",
  "text_delta",
  "tool_call_start",
  "tool_call_delta",
  "tool_call_ready",
  "inference_complete",
  "step_end",
  "tool_call_done",
  "tool_call_resumed",
  "tool_call_cancelled",
  "state_delta",
  "run_finish",
  "stream_reset",
];

const streamed = (type: string): string => `stream.${type}`;

const around = (name: string): readonly string[] => [`${name}:before`, `${name}:after`];

/** Where a process with workflow runs can be made to die. */
export const FLOW_POINTS: readonly string[] = [
  "commit:before",
  "commit:after",
  ...["user_message", "tool_results", "run_finished"].flatMap((reason) => around(`store.commit(${reason})`)),
  ...CLAIMS.map((kind) => `store.claim(${kind}):after`),
  ...around("store.decide"),
  ...around("answer.decide"),
  ...["workflow_start", "node_start", "node_delta", "node_tool_call", "node_tool_result", "node_cost"].map(streamed),
  ...["node_end", "node_retry", "node_wait", "node_resume", "run_finish"].map(streamed),
  "model:request",
  "model:midway",
  "model:finish",
  ...around("effect"),
];

export const FAULT_POINTS: readonly string[] = [
  ...RUNTIME_POINTS,
  ...STORE_OPERATIONS.flatMap((operation) => around(`store.${operation}`)),
  "store.claim:before",
  ...CLAIMS.map((kind) => `store.claim(${kind}):after`),
  ...ANSWERS.flatMap((answer) => around(`answer.${answer}`)),
  ...STREAMED.map(streamed),
  "model:request",
  "model:midway",
  "model:finish",
  ...around("effect"),
];
