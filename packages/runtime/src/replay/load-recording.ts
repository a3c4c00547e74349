import {
  type BlobStore,
  FIRST_DIGEST,
  MAX_LIMIT,
  type MailboxEntry,
  type Message,
  notFound,
  RepriseError,
  type RunRecord,
  type StoredChangeset,
  type TenantStore,
} from "@reprise/contracts";
import { textRefsOf } from "../effects/long-texts.ts";
import type { Services } from "../loop/services.ts";
import { findRestore } from "../thread/find-restore.ts";
import { loadState } from "../thread/loaded-thread.ts";
import { readChangesetsBetween, walkChangesets } from "../thread/read-changesets.ts";
import { foldRows } from "./fold-rows.ts";
import { messagesBefore } from "./messages-before.ts";
import { RECORDING_FORMAT, type RecordingHead, type RunRecording } from "./recording.ts";
import { replayImpossible } from "./replay-errors.ts";
import { chainAnew, chainMessage, digestBefore, sealParts } from "./seal-recording.ts";

/** A run that is over; `RUN_NOT_FOUND`, `RUN_NOT_DONE`. */
export async function requireDone(store: TenantStore, runId: string): Promise<RunRecord> {
  const run = await store.loadRun(runId);
  if (run === undefined) throw notFound("RUN_NOT_FOUND", "run", runId);
  if (run.status === "done") return run;
  throw new RepriseError("RUN_NOT_DONE", `Run ${runId} is ${run.status}, not done.`, { details: { run_id: runId } });
}

/** A recording that is read from the store as it is needed. Each of its long parts can be read any number of times. */
export interface OpenRecording {
  readonly head: RecordingHead;
  messages(): AsyncIterable<Message>;
  changesets(): AsyncIterable<StoredChangeset>;
  texts(): AsyncIterable<readonly [ref: string, text: string]>;
  readonly digest: string;
}

/**
 * Looks through everything a replay of a run needs, once, and holds none of it that may be long. `VERSION_GONE` when a part of it was
 * pruned.
 */
export async function openRecording(
  { store: stores, blobs, env }: Pick<Services, "store" | "blobs" | "env">,
  tenant: string,
  run: RunRecord,
): Promise<OpenRecording> {
  const store = stores.forTenant(tenant);
  const { run_id, thread_id } = run;
  const { value: start } = await changesetsOf(store, run).next();
  if (start === undefined) throw replayImpossible(run_id, "its first commit is missing");
  const before = await digestBefore(store, start);
  const changesets = (): AsyncIterable<StoredChangeset> =>
    before === undefined ? chainAnew(changesetsOf(store, run), env.hash) : changesetsOf(store, run);
  const seen = await lookThrough(changesets());
  const { items } = await store.listEntries({ run_id, limit: MAX_LIMIT });
  const entry = items.find(({ kind }) => kind === "run");
  if (entry?.request === undefined) throw replayImpossible(run_id, "the request it began with is not kept");
  const closing = await closedBy(store, start);
  const restore = await restoredBy(store, entry, start);
  const said = await messagesBefore(store, start, seen.messageIds);
  const version = start.version - 1;
  const head: RecordingHead = {
    format: RECORDING_FORMAT,
    tenant,
    run,
    request: entry.request,
    entry_id: entry.entry_id,
    base: {
      version,
      state: await loadState(store, thread_id, version),
      superseded: said.superseded,
      digest: before ?? FIRST_DIGEST,
    },
    ...(closing !== undefined && { closing }),
    ...(restore !== undefined && { restore }),
  };
  let messages = FIRST_DIGEST;
  for await (const message of said.read()) messages = chainMessage(messages, message, env.hash);
  const texts = [...seen.textRefs];
  return {
    head,
    messages: said.read,
    changesets,
    texts: () => readTexts(blobs, tenant, run_id, texts),
    digest: sealParts({ head, messages, changesets: seen.digests, texts }, env.hash),
  };
}

/** A recording as one value. */
export async function loadRecording(
  services: Pick<Services, "store" | "blobs" | "env">,
  tenant: string,
  run: RunRecord,
): Promise<RunRecording> {
  const { head, digest, ...parts } = await openRecording(services, tenant, run);
  const messages = await collect(parts.messages());
  const changesets = await collect(parts.changesets());
  const texts = Object.fromEntries(await collect(parts.texts()));
  return { ...head, base: { ...head.base, messages }, changesets, texts, digest };
}

/** `Array.fromAsync`, which the library that the packages are built for does not know yet. */
async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** A recording as the pieces of its JSON text, each read from the store when it is asked for. */
export async function* writeRecording(recording: OpenRecording): AsyncGenerator<string, undefined> {
  const { base, ...rest } = recording.head;
  yield `${openObject(rest)},"base":${openObject(base)},"messages":[`;
  yield* joined(recording.messages(), (message) => JSON.stringify(message));
  yield `]},"changesets":[`;
  yield* joined(recording.changesets(), (changeset) => JSON.stringify(changeset));
  yield `],"texts":{`;
  yield* joined(recording.texts(), ([ref, text]) => `${JSON.stringify(ref)}:${JSON.stringify(text)}`);
  yield `},"digest":${JSON.stringify(recording.digest)}}`;
}

/** An object up to where another field follows. */
function openObject(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}

async function* joined<Item>(
  items: AsyncIterable<Item>,
  write: (item: Item) => string,
): AsyncGenerator<string, undefined> {
  let comma = "";
  for await (const item of items) {
    yield `${comma}${write(item)}`;
    comma = ",";
  }
}

interface SeenChangesets {
  readonly digests: readonly (readonly [version: number, digest: string])[];
  readonly messageIds: ReadonlySet<string>;
  readonly textRefs: ReadonlySet<string>;
}

async function lookThrough(changesets: AsyncIterable<StoredChangeset>): Promise<SeenChangesets> {
  const digests: (readonly [number, string])[] = [];
  const messageIds = new Set<string>();
  const textRefs = new Set<string>();
  for await (const { version, digest, messages, effects = [] } of changesets) {
    digests.push([version, digest]);
    for (const { id } of messages) messageIds.add(id);
    for (const ref of textRefsOf(effects)) textRefs.add(ref);
  }
  return { digests, messageIds, textRefs };
}

/** The long texts of the run's effects. */
async function* readTexts(
  blobs: BlobStore,
  tenant: string,
  runId: string,
  refs: readonly string[],
): AsyncGenerator<readonly [ref: string, text: string], void> {
  for (const ref of refs) {
    const { content } = await blobs.get(tenant, ref).catch((error: unknown) => {
      throw replayImpossible(runId, "a text of its recording is missing", error);
    });
    yield [ref, new TextDecoder().decode(content)];
  }
}

/** A commit may be long: few are held for an export that is read slowly. */
const COMMITS_AT_ONCE = 8;

/** From the first changeset of a run to the one in which it is done. */
async function* changesetsOf(store: TenantStore, run: RunRecord): AsyncGenerator<StoredChangeset, void> {
  let hasBegun = false;
  for await (const changeset of walkChangesets(store, run.thread_id, run.base_version, COMMITS_AT_ONCE)) {
    // Between the version a run goes back to and its own first lie those of the run it undoes.
    hasBegun ||= changeset.changeset_id === `${run.run_id}-start`;
    if (!hasBegun) continue;
    yield changeset;
    if (changeset.runs.some(({ run_id, status }) => run_id === run.run_id && status === "done")) return;
  }
}

/** The run that a first changeset ends beside its own beginning, as it was before. */
async function closedBy(store: TenantStore, start: StoredChangeset): Promise<RunRecording["closing"]> {
  const closed = start.runs.find(({ run_id }) => run_id !== start.run_id);
  if (closed === undefined) return undefined;
  const before = await readChangesetsBetween(store, start.thread_id, closed.base_version, start.version - 1);
  const { run, calls } = foldRows(before, closed.run_id);
  return run === undefined ? undefined : { run, calls };
}

async function restoredBy(
  store: TenantStore,
  { request, rolls_back }: MailboxEntry,
  start: StoredChangeset,
): Promise<RunRecording["restore"]> {
  if (request?.restore !== undefined) {
    return findRestore(store, start.thread_id, request.restore, start.version - 1);
  }
  if (rolls_back === undefined || !start.reasons.includes("rollback")) return undefined;
  const base_version = start.runs.find(({ run_id }) => run_id === start.run_id)?.base_version ?? 0;
  return { run_id: rolls_back, base_version, state: await loadState(store, start.thread_id, base_version) };
}
