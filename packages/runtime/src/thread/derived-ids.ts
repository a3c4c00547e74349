/**
 * Ids made inside a run follow from the run's id and the position in it: a step taken again after a crash has the same ids,
 * so that nothing is counted twice.
 */
export const stepIdOf = (runId: string, step: number): string => `${runId}-s${step}`;
export const messageIdOf = (stepId: string): string => `${stepId}-m`;
export const callIdOf = (stepId: string, index: number): string => `${stepId}-c${index}`;
export const resultIdOf = (callId: string): string => `${callId}-r`;

/** Whether an id looks as if some run had made it. A client may repeat one, never be the first to use it. */
export function looksDerived(messageId: string): boolean {
  return /-(s\d+-m|s\d+-c\d+-(r|q(\d+-)?\d+)|u\d+)$/.test(messageId);
}

/** By step and then by position in it: the order in which the model asked. */
export function compareCallIds(left: string, right: string): number {
  const [leftStep = 0, leftIndex = 0] = positionOf(left);
  const [rightStep = 0, rightIndex = 0] = positionOf(right);
  return leftStep - rightStep || leftIndex - rightIndex;
}

function positionOf(callId: string): readonly number[] {
  return (/-s(\d+)-c(\d+)$/.exec(callId) ?? []).slice(1).map(Number);
}

/** The run a call belongs to, or undefined when this is no call's id. */
export function runIdOfCall(callId: string): string | undefined {
  const named = readCallName(callId);
  return named?.suspension === undefined ? named?.run_id : undefined;
}

/** A call, and which of its questions is meant when the id is that of a question. */
export interface NamedCall {
  readonly run_id: string;
  readonly call_id: string;
  readonly suspension?: number;
}

/** The call that its own id or the id of one of its suspensions names, or undefined when this is neither. */
export function readCallName(id: string): NamedCall | undefined {
  const [, call_id, run_id, suspension] = /^((.+)-s\d+-c\d+)(?:-q(\d{1,9}))?$/.exec(id) ?? [];
  if (call_id === undefined || run_id === undefined) return undefined;
  return { run_id, call_id, ...(suspension !== undefined && { suspension: Number(suspension) }) };
}
