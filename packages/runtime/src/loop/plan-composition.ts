import { type ComposedPart, type Composition, type RunLimitsPolicy, stepOf } from "@reprise/contracts";
import { getAt, type Json, parseJson } from "@reprise/state";

/** How a step of a composition stands. */
export interface StepState {
  readonly agent_id: string;
  readonly status: "running" | "completed" | "failed" | "stopped";
  readonly run_id?: string;
  readonly thread_id?: string;
  readonly output?: string;
  readonly error?: string;
}

/** The steps that were begun, by their keys. */
export type StepStates = { readonly [key: string]: StepState };

/** A step to begin. */
export interface StepStart {
  readonly key: string;
  readonly agent_id: string;
  readonly prompt: string;
  /** The thread of an earlier step that this one continues. */
  readonly thread_id?: string;
  readonly limits?: RunLimitsPolicy;
}

/** What comes next: steps to begin, none while others are at work, or the end. */
export type NextMove =
  | { readonly kind: "start"; readonly starts: readonly StepStart[] }
  | { readonly kind: "done"; readonly text: string; readonly stopped?: string }
  | { readonly kind: "failed"; readonly message: string };

const MAX_CONCURRENCY = 10;
const MAX_ROUNDS = 3;
const WAIT: NextMove = { kind: "start", starts: [] };

/** What a composition does next. Pure: it follows from the input and from how the steps stand. */
export function planNext(composition: Composition, input: string, steps: StepStates): NextMove {
  switch (composition.type) {
    case "sequence":
      return nextInSequence(composition.steps, input, steps);
    case "parallel":
      return nextInParallel(composition, input, steps);
    case "refine":
      return nextInRefinement(composition, input, steps);
    default:
      return composition satisfies never;
  }
}

function nextInSequence(parts: readonly ComposedPart[], input: string, steps: StepStates): NextMove {
  let previous = input;
  for (const [index, part] of parts.entries()) {
    const step = steps[index];
    if (step === undefined) return begin(startOf(`${index}`, part, "{previous}", { input, previous }));
    if (step.status === "running") return WAIT;
    if (step.status !== "completed") return failed(`Step ${index + 1}`, step);
    previous = step.output ?? "";
  }
  return { kind: "done", text: previous };
}

function nextInParallel(
  { steps: parts, max_concurrency = MAX_CONCURRENCY, on_failure }: Extract<Composition, { type: "parallel" }>,
  input: string,
  steps: StepStates,
): NextMove {
  const begun = parts.map((_, index) => steps[index]);
  const failure = begun.findIndex((step) => step?.status === "failed" || step?.status === "stopped");
  const failing = begun[failure];
  if (failing !== undefined && on_failure !== "collect") return failed(`Step ${failure + 1}`, failing);
  const atWork = begun.filter((step) => step?.status === "running").length;
  const waiting = parts.flatMap((part, index) =>
    steps[index] === undefined ? startOf(`${index}`, part, "{input}", { input, previous: input }) : [],
  );
  const starts = waiting.slice(0, Math.max(0, max_concurrency - atWork));
  if (starts.length > 0 || atWork > 0) return { kind: "start", starts };
  return { kind: "done", text: JSON.stringify(begun.map((step) => describeStep(step))) };
}

function describeStep(step: StepState | undefined): Json {
  const { agent_id = "", status = "stopped", output, error } = step ?? {};
  return {
    agent_id,
    status,
    ...(output !== undefined && { output: readAnswer(output) }),
    ...(error !== undefined && { error }),
  };
}

/** An answer that is a JSON object or array, as what it is; any other as its text. */
function readAnswer(text: string): Json {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function nextInRefinement(
  { generator, critic, max_rounds = MAX_ROUNDS }: Extract<Composition, { type: "refine" }>,
  input: string,
  steps: StepStates,
): NextMove {
  let feedback = "";
  for (let round = 1; ; round += 1) {
    const draft = steps[`generator-${round}`];
    const earlier = { generator: steps[`generator-${round - 1}`], critic: steps[`critic-${round - 1}`] };
    if (draft === undefined) {
      // The generator continues on its thread, where it has the task and its last draft.
      const { input: _first, ...later } = stepOf(generator);
      const part = round === 1 ? generator : later;
      const usual =
        round === 1 ? "{input}" : `This was not accepted:\n\n${feedback}\n\nAnswer again, with all of the answer.`;
      return begin(
        continued(startOf(`generator-${round}`, part, usual, { input, previous: input }), earlier.generator),
      );
    }
    if (draft.status === "running") return WAIT;
    if (draft.status !== "completed") return failed(`The generator's round ${round}`, draft);
    const previous = draft.output ?? "";
    const verdict = steps[`critic-${round}`];
    if (verdict === undefined) {
      const usual = "The task:\n\n{input}\n\nThe answer to judge:\n\n{previous}";
      return begin(continued(startOf(`critic-${round}`, critic, usual, { input, previous }), earlier.critic));
    }
    if (verdict.status === "running") return WAIT;
    if (verdict.status !== "completed") return failed(`The critic's round ${round}`, verdict);
    const judged = readVerdict(verdict.output ?? "");
    if (judged.passes) return { kind: "done", text: previous };
    if (round >= max_rounds) return { kind: "done", text: previous, stopped: "refine_exhausted" };
    feedback = judged.feedback;
  }
}

/** A verdict is JSON with `pass`, or a text that begins with PASS. Anything else is what is wrong. */
function readVerdict(text: string): { readonly passes: boolean; readonly feedback: string } {
  const answer = readAnswer(text);
  const pass = getAt(answer, ["pass"]);
  if (typeof pass !== "boolean") return { passes: /^\W*pass\b/i.test(text), feedback: text };
  const feedback = getAt(answer, ["feedback"]);
  return { passes: pass, feedback: typeof feedback === "string" ? feedback : text };
}

function startOf(
  key: string,
  part: ComposedPart,
  usual: string,
  values: { readonly input: string; readonly previous: string },
): StepStart {
  const { agent, input = usual, limits } = stepOf(part);
  // In one go: what stands in for a placeholder is not searched for placeholders.
  const prompt = input.replace(/\{(input|previous)\}/g, (_, name) =>
    name === "input" ? values.input : values.previous,
  );
  return { key, agent_id: agent, prompt, ...(limits !== undefined && { limits }) };
}

function continued(start: StepStart, earlier: StepState | undefined): StepStart {
  return earlier?.thread_id === undefined ? start : { ...start, thread_id: earlier.thread_id };
}

function begin(start: StepStart): NextMove {
  return { kind: "start", starts: [start] };
}

function failed(which: string, { agent_id, status, error }: StepState): NextMove {
  const why = error === undefined ? "" : `: ${error}`;
  return {
    kind: "failed",
    message: `${which}, agent ${agent_id}, ${status === "stopped" ? "was stopped" : "failed"}${why}`,
  };
}
