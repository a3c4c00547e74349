import {
  type BackendOutcome,
  type BackendQuestion,
  describeThrown,
  type ExecutionBackend,
  RepriseError,
  type StoppedReason,
  type SuspendRequest,
  type Termination,
} from "@reprise/contracts";
import {
  flag,
  json,
  listOf,
  needed,
  nonEmptyText,
  objectOf,
  optional,
  recordOf,
  text,
  toStoredNames,
  unionOf,
  wholeNumberFrom,
} from "@reprise/contracts/shape";
import type { Json } from "@reprise/state";
import { copyJson } from "../json/copy-json.ts";
import { sayProblem } from "../spec/say-problem.ts";

const TERMINATION = unionOf<"type", Termination>("type", {
  natural_end: {},
  behavior_requested: { detail: optional(text) },
  stopped: { value: needed(objectOf<StoppedReason>({ code: needed(nonEmptyText), detail: optional(text) })) },
  cancelled: { detail: optional(text) },
  suspended: {},
  error: { value: needed(text), code: optional(text), retryable: optional(flag) },
});

/** A `BackendQuestion` as it is stored. */
export interface StoredQuestion
  extends Pick<BackendQuestion, "id" | "action" | "message" | "parameters">,
    Pick<SuspendRequest, "response_schema" | "expires_in_ms"> {}

/** A `BackendOutcome` as it is stored with the run. */
export interface StoredOutcome extends Omit<BackendOutcome, "questions"> {
  readonly questions?: readonly StoredQuestion[];
}

const QUESTION = objectOf<StoredQuestion>({
  id: needed(nonEmptyText),
  action: needed(nonEmptyText),
  message: optional(text),
  parameters: optional(json),
  response_schema: optional(recordOf(json)),
  expires_in_ms: optional(wholeNumberFrom(0)),
});

const OUTCOME = objectOf<StoredOutcome>({
  termination: needed(TERMINATION),
  text: needed(text),
  questions: optional(listOf(QUESTION)),
});

/** The answer of a backend, which comes from outside: checked, copied, and with the names under which it is stored. */
export function readOutcome(backend: ExecutionBackend, given: unknown): StoredOutcome {
  const answer = toStoredNames(given, OUTCOME.schema);
  const [problem] = OUTCOME.problems(answer, []);
  if (problem !== undefined) {
    throw backendFailed(backend, problem.path.length === 0 ? "its outcome is not an object" : sayProblem(problem));
  }
  // Of this shape, and made of JSON; its interface hides it.
  const outcome = copyJson(answer as Json) as unknown as StoredOutcome;
  const ids = (outcome.questions ?? []).map(({ id }) => id);
  if (outcome.termination.type !== "suspended") return outcome;
  if (ids.length === 0) throw backendFailed(backend, "it suspended the run without a question in `questions`");
  if (new Set(ids).size < ids.length) throw backendFailed(backend, "two of its questions have the same id");
  return outcome;
}

export function backendFailed({ id }: ExecutionBackend, problem: unknown): RepriseError {
  const said = typeof problem === "string" ? problem : describeThrown(problem);
  return new RepriseError("BACKEND_FAILED", `Backend ${id} failed: ${said}.`, {
    cause: problem,
    details: { backend: id },
  });
}
