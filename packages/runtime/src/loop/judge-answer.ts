import { type Message, RepriseError, type SuspendRequest } from "@reprise/contracts";
import type { Inference } from "../phases/compose-inference.ts";
import type { PhaseResult } from "../phases/run-phase.ts";
import type { Owned } from "../resolve/resolved-agent.ts";
import { frameText } from "../thread/frame-text.ts";

/** What the plugins want to become of a step. */
export interface Verdict {
  /** Why the run is to end; "" when the plugin does not say. */
  readonly ending?: string;
  readonly question?: Owned<SuspendRequest>;
  readonly feedback?: Owned<string>;
  /** What the answer is to say instead. */
  readonly instead?: { readonly text: string; readonly drop_reasoning?: boolean };
}

/**
 * An end beats a question, and a question beats another attempt; of the same kind the first plugin is heard. A replaced text counts
 * beside an end or a question.
 */
export function readVerdict(actions: PhaseResult<"before_inference"> | PhaseResult<"after_inference">): Verdict {
  const found: { -readonly [Key in keyof Verdict]: Verdict[Key] } = {};
  for (const { plugin, value } of actions) {
    if (value.type === "terminate") found.ending ??= value.reason ?? "";
    if (value.type === "suspend_step") found.question ??= { plugin, value: value.request };
    if (value.type === "retry_inference") found.feedback ??= { plugin, value: value.feedback };
    if (value.type === "replace_text") found.instead ??= value;
  }
  const { ending, question, feedback, instead } = found;
  const changed = instead === undefined ? {} : { instead };
  if (ending !== undefined) return { ...changed, ending };
  if (question !== undefined) return { ...changed, question };
  return feedback === undefined ? changed : { ...changed, feedback };
}

/** Answers of one step that plugins may reject: a plugin that is never content must not spend for ever. */
const MOST_RETRIES = 5;

export function assertMayRetry(plugin: string, attempt: number): void {
  if (attempt <= MOST_RETRIES) return;
  const message = `Plugin ${plugin} rejected ${attempt} answers of one step; at most ${MOST_RETRIES} may be rejected.`;
  throw new RepriseError("PLUGIN_FAILED", message, { details: { plugin } });
}

interface RejectedAnswer {
  readonly stepId: string;
  readonly attempt: number;
  /** As it may be repeated to the model. */
  readonly said: string;
  readonly feedback: Owned<string>;
}

/** The request once more, with the answer that was rejected and why. Sent, never stored. */
export function withFeedback(
  inference: Inference,
  { stepId, attempt, said, feedback: { plugin, value } }: RejectedAnswer,
): Inference {
  const { request } = inference;
  const id = `${stepId}-rejected-${attempt}`;
  const content = frameText("reminder", `plugin:${plugin}`, value);
  const added: readonly Message[] = [
    ...(said === "" ? [] : [{ id, role: "assistant", content: said } as const]),
    { id: `${id}-feedback`, role: "user", content, visibility: "internal" },
  ];
  return { ...inference, request: { ...request, messages: [...request.messages, ...added] } };
}
