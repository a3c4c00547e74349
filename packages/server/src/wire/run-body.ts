import {
  DECISION_INPUT,
  type DecisionInput,
  RUN_OVERRIDES,
  RUN_REQUEST,
  type RunOverrides,
  type RunRequest,
} from "@reprise/contracts";
import {
  flag,
  listOf,
  named,
  type ObjectShape,
  objectOf,
  openObjectOf,
  optional,
  unchecked,
} from "@reprise/contracts/shape";

/** Fields of a request that the server fills in, or that the body has in another form. */
type OwnFields =
  | "origin"
  | "overrides"
  | "budget_id"
  | "allotment_id"
  | "counts_calls"
  | "deadline_at"
  | "background"
  | "depth"
  | "root_run_id"
  | "heeds"
  | "inherited"
  | "for_run_id";

interface Strict {
  readonly strict?: boolean;
}

/** The body that starts a run: the fields of a run request, with those of its overrides beside them. */
export type RunBody = Omit<RunRequest, OwnFields | "messages"> &
  Partial<Pick<RunRequest, "messages">> &
  RunOverrides &
  Strict;

/** The body of what is said to a run that exists. */
export type InputsBody = Partial<Pick<RunRequest, "agent_id" | "messages" | "initial_decisions">> & Strict;

interface SentDecision extends DecisionInput {
  readonly updated_at?: number;
}

/** A decision as clients send it. When they decided is their own clock's matter: taken, and not looked at. */
export const DECISION_BODY: ObjectShape<SentDecision> = objectOf<SentDecision>({
  ...DECISION_INPUT.fields,
  updated_at: named(optional(unchecked<number>({ type: "integer" })), "updated_at", "updatedAt"),
});

const {
  origin: _origin,
  overrides: _overrides,
  budget_id: _budget,
  allotment_id: _allotment,
  counts_calls: _counts,
  deadline_at: _deadline,
  background: _background,
  depth: _depth,
  root_run_id: _root,
  heeds: _heeds,
  inherited: _inherited,
  for_run_id: _for,
  ...fields
} = RUN_REQUEST.fields;

const messages = optional(fields.messages.shape);
const initial_decisions = named(optional(listOf(DECISION_BODY)), ...RUN_REQUEST.names.initial_decisions);
const strict = optional(flag, "Refuse fields that are not known; otherwise they are ignored with a warning");

export const RUN_BODY: ObjectShape<RunBody> = openObjectOf<RunBody>({
  ...fields,
  ...RUN_OVERRIDES.fields,
  messages,
  initial_decisions,
  strict,
});

export const INPUTS_BODY: ObjectShape<InputsBody> = openObjectOf<InputsBody>({
  agent_id: named(optional(fields.agent_id.shape), ...RUN_REQUEST.names.agent_id),
  messages,
  initial_decisions,
  strict,
});
