import type { RunFilter, RunRecord } from "@reprise/contracts";
import { flag, type ObjectShape, oneOf, openObjectOf, optional, text, wholeNumberFrom } from "@reprise/contracts/shape";
import {
  A2A_TASK_STATES,
  A2aError,
  type A2aTask,
  type A2aTaskState,
  CANCELED_CODES,
  COMPLETED_CODES,
  REJECTED_CODE,
  readParams,
  stateOfRun,
} from "@reprise/protocols/a2a";
import type { TenantRuntime } from "@reprise/runtime";
import type { HttpExchange } from "../host/route.ts";
import { loadTask } from "./find-task.ts";
import { loadQuestions } from "./load-questions.ts";

interface ListTasks {
  readonly contextId?: string;
  readonly status?: A2aTaskState;
  readonly pageSize?: number;
  readonly pageToken?: string;
  readonly historyLength?: number;
  readonly statusTimestampAfter?: string;
  readonly includeArtifacts?: boolean;
}

const LIST: ObjectShape<ListTasks> = openObjectOf<ListTasks>({
  contextId: optional(text),
  status: optional(oneOf(...A2A_TASK_STATES)),
  pageSize: optional(wholeNumberFrom(1)),
  pageToken: optional(text),
  historyLength: optional(wholeNumberFrom(0)),
  statusTimestampAfter: optional(text),
  includeArtifacts: optional(flag),
});

const PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 100;

interface TaskPage {
  readonly tasks: readonly A2aTask[];
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

/** The tasks that clients of this protocol began, as runs are listed. */
export async function listTasks(exchange: HttpExchange, agentId: string, params: unknown): Promise<TaskPage> {
  const asked = readParams(LIST, params);
  const pageSize = Math.min(asked.pageSize ?? PAGE_SIZE, MAX_PAGE_SIZE);
  const filter: RunFilter = {
    agentId,
    origin: "a2a",
    ...(asked.contextId !== undefined && asked.contextId !== "" && { threadId: asked.contextId }),
    ...(asked.statusTimestampAfter !== undefined && { updatedAtFrom: readTime(asked.statusTimestampAfter) }),
  };
  const start = readToken(asked.pageToken);
  const { found, next } = await findRuns(exchange, filter, asked.status, start, pageSize);
  const options = { historyLength: asked.historyLength ?? 0, includeArtifacts: asked.includeArtifacts ?? false };
  const tasks = found.map(async (record) =>
    loadTask(exchange, { run: await exchange.runtime.run(record.run_id), record }, options),
  );
  return {
    tasks: await Promise.all(tasks),
    nextPageToken: next === undefined ? "" : String(next),
    pageSize,
    totalSize: await countRuns(exchange, filter, asked.status),
  };
}

/** A page of the runs in a state. Runs are stored by how they ended, so a page of a state may take several of the store's. */
async function findRuns(
  { runtime }: HttpExchange,
  filter: RunFilter,
  state: A2aTaskState | undefined,
  start: number,
  count: number,
): Promise<{ readonly found: readonly RunRecord[]; readonly next?: number }> {
  const found: RunRecord[] = [];
  for (let offset = start; ; ) {
    const { items, total } = await runtime.runs({ ...filter, ...statusOf(state), offset, limit: MAX_PAGE_SIZE });
    for (const [index, item] of items.entries()) {
      if (state !== undefined && (await stateOf(runtime, item)) !== state) continue;
      if (found.length === count) return { found, next: offset + index };
      found.push(item);
    }
    offset += items.length;
    if (items.length === 0 || offset >= total) return { found };
  }
}

/** A run that waits for runs below needs input where they do. */
async function stateOf(runtime: TenantRuntime, run: RunRecord): Promise<A2aTaskState> {
  const isAsking = run.awaits_runs === true && (await loadQuestions(runtime, run)).length > 0;
  return isAsking ? "TASK_STATE_INPUT_REQUIRED" : stateOfRun(run);
}

/** How many runs are in a state: those that ended with one of its codes, or, for failures, with none of the others'. */
async function countRuns(
  { runtime }: HttpExchange,
  filter: RunFilter,
  state: A2aTaskState | undefined,
): Promise<number> {
  const count = async (more: RunFilter): Promise<number> =>
    (await runtime.runs({ ...filter, ...more, limit: 1 })).total;
  const ended = async (codes: readonly string[]): Promise<number> => {
    const counts = await Promise.all(codes.map((terminationCode) => count({ status: "done", terminationCode })));
    return counts.reduce((sum, each) => sum + each, 0);
  };
  if (state === "TASK_STATE_COMPLETED") return ended(COMPLETED_CODES);
  if (state === "TASK_STATE_CANCELED") return ended(CANCELED_CODES);
  if (state === "TASK_STATE_REJECTED") return ended([REJECTED_CODE]);
  if (state === "TASK_STATE_FAILED") {
    return (await count({ status: "done" })) - (await ended([...COMPLETED_CODES, ...CANCELED_CODES, REJECTED_CODE]));
  }
  return state !== undefined && statusOf(state) === NONE ? 0 : count(statusOf(state));
}

const NONE: RunFilter = { status: "done", terminationCode: "none" };

function statusOf(state: A2aTaskState | undefined): RunFilter {
  switch (state) {
    case undefined:
      return {};
    case "TASK_STATE_WORKING":
      return { status: "running" };
    case "TASK_STATE_INPUT_REQUIRED":
      return { status: "waiting" };
    case "TASK_STATE_COMPLETED":
    case "TASK_STATE_FAILED":
    case "TASK_STATE_CANCELED":
    case "TASK_STATE_REJECTED":
      return { status: "done" };
    // A run is never known to lack a credential, and is listed once it has begun.
    case "TASK_STATE_SUBMITTED":
    case "TASK_STATE_AUTH_REQUIRED":
      return NONE;
    default:
      return state satisfies never;
  }
}

function readToken(token: string | undefined): number {
  if (token === undefined || token === "") return 0;
  if (/^\d{1,15}$/.test(token)) return Number(token);
  throw new A2aError("INVALID_PARAMS", "pageToken is not one of an earlier page.");
}

function readTime(text: string): number {
  const time = Date.parse(text);
  if (Number.isFinite(time)) return time;
  throw new A2aError("INVALID_PARAMS", "statusTimestampAfter is not a time in the form of ISO 8601.");
}
