import type { Observe } from "@reprise/contracts";
import {
  type A2aPushConfig,
  type A2aStreamItem,
  type A2aTask,
  INITIAL_A2A_STATE,
  isTerminalState,
  nameQuestions,
} from "@reprise/protocols/a2a";
import type { RunHandle, Runtime } from "@reprise/runtime";
import { blobUrlAt } from "../../blobs/blob-url.ts";
import type { PushNotifications, PushOptions } from "../../host/server-host.ts";
import { findRecord, findRun } from "../../wire/find-record.ts";
import { loadTaskOf } from "../find-task.ts";
import { loadQuestionsBelow } from "../load-questions.ts";
import {
  PUSH_KIND,
  PUSH_OVER_KIND,
  type PushTarget,
  type PushTask,
  pushTaskId,
  readPushTask,
  savePushTask,
} from "./push-configs.ts";
import { PushSigner } from "./push-signer.ts";
import { readStatusUpdates } from "./status-updates.ts";

const INTERVAL_MS = 5_000;
/** A process that has not finished sending by then is taken for dead. */
const CLAIM_MS = 60_000;
const TIMEOUT_MS = 15_000;
const MAX_WATCHED = 10_000;
const MAX_FAILURES = 12;
const LONGEST_PAUSE_MS = 600_000;

/**
 * Sends every change of a task's state to the receivers of the task, in order and at least once. What happened is read from the log of the
 * run, and how far each receiver was told is stored. So no change is lost with a process: the one in which a run works sends at once, and
 * every process looks regularly for updates that are due.
 */
export class PushSender implements PushNotifications {
  readonly #runtime: Runtime;
  readonly #options: PushOptions;
  readonly #report: (error: unknown) => void;
  readonly #signer: PushSigner;
  readonly #stopped = new AbortController();
  /** The tasks whose receivers were named in this process. Updates of all others wait for the next look. */
  readonly #watched = new Set<string>();
  /** The watched task that a run below it works for. */
  readonly #tops = new Map<string, string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(runtime: Runtime, options: PushOptions, report: (error: unknown) => void) {
    this.#runtime = runtime;
    this.#options = options;
    this.#report = report;
    this.#signer = new PushSigner(runtime);
    this.#schedule();
  }

  publicKeys(): Promise<object> {
    return this.#signer.publicKeys();
  }

  /** For `runtime.observe`: a run of this process continues, waits or is over. */
  readonly observe: Observe = ({ tenant, runId, parentRunId }) => {
    const top = this.#topOf(tenant, runId, parentRunId);
    const look = (): void => void (this.#watched.has(JSON.stringify([tenant, top])) && this.#look(tenant, top));
    let hasBegun = false;
    return {
      event: () => {
        if (!hasBegun) look();
        hasBegun = true;
      },
      close: look,
    };
  };

  /** The run whose task a run works for, as far as this process knows: the questions of runs below are the task's. */
  #topOf(tenant: string, runId: string, parentRunId: string | undefined): string {
    if (parentRunId === undefined) return runId;
    const top = this.#tops.get(JSON.stringify([tenant, parentRunId])) ?? parentRunId;
    if (!this.#watched.has(JSON.stringify([tenant, top]))) return runId;
    if (this.#tops.size >= MAX_WATCHED) this.#tops.clear();
    this.#tops.set(JSON.stringify([tenant, runId]), top);
    return top;
  }

  watch(tenant: string, runId: string): void {
    if (this.#watched.size >= MAX_WATCHED) this.#watched.clear();
    this.#watched.add(JSON.stringify([tenant, runId]));
    this.#look(tenant, runId);
  }

  #look(tenant: string, runId: string): void {
    void pushTaskId(tenant, runId)
      .then((id) => this.#send(id))
      .catch((error: unknown) => {
        if (!this.#stopped.signal.aborted) this.#report(error);
      });
  }

  close(): void {
    this.#stopped.abort();
    clearTimeout(this.#timer);
  }

  findProblem({ url, authentication }: A2aPushConfig): string | undefined {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      return "url must be an address of http or https.";
    const words = [authentication?.scheme ?? "", authentication?.credentials ?? ""];
    return words.some((word) => /[\r\n\0]/.test(word)) ? "authentication must not contain line breaks." : undefined;
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#sweep(), this.#options.intervalMs ?? INTERVAL_MS);
    // Node's timers keep the process alive; other platforms have plain numbers.
    if (typeof this.#timer === "object") this.#timer.unref();
  }

  async #sweep(): Promise<void> {
    try {
      for (let after: string | undefined; !this.#stopped.signal.aborted; ) {
        const query = { kind: PUSH_KIND, ...(after !== undefined && { after }) };
        const { items, next } = await this.#runtime.documents.listDocuments(query);
        for (const { id } of items) await this.#send(id);
        if (next === undefined) break;
        after = next;
      }
    } catch (error) {
      if (!this.#stopped.signal.aborted) this.#report(error);
    }
    if (!this.#stopped.signal.aborted) this.#schedule();
  }

  /** Sends the updates of a task that are due, until there are none. Other processes leave a task alone that one has claimed. */
  async #send(id: string): Promise<void> {
    for (;;) {
      if (this.#stopped.signal.aborted || !(await this.#sendDue(id))) return;
    }
  }

  /** Sends what is due now. Returns whether something was: more may have happened meanwhile. */
  async #sendDue(id: string): Promise<boolean> {
    const document = await this.#runtime.documents.loadDocument(PUSH_KIND, id);
    if (document === undefined) return false;
    const stored = readPushTask(document);
    const now = this.#runtime.now();
    if ((stored.claimed_until ?? 0) > now) return false;
    const runtime = this.#runtime.forTenant(stored.tenant);
    const run = await findRun(runtime, stored.run_id);
    if (run === undefined) {
      await savePushTask(this.#runtime, id, { ...stored, targets: [] }, document.revision);
      return false;
    }
    const record = await findRecord(run);
    const load = (): Promise<A2aTask> => {
      const task = { run, ...(record !== undefined && { record }) };
      return loadTaskOf(runtime, task, { fileUrl: (url) => blobUrlAt(stored.server_url, url) });
    };
    // A run that never began has no log: it is queued, or was taken from the queue.
    const unbegun = record === undefined ? await load() : undefined;
    const isOver = unbegun === undefined ? record?.status === "done" : isTerminalState(unbegun.status.state);
    const lastSeq = record?.last_seq ?? (isOver ? Number.MAX_SAFE_INTEGER : 0);
    const below = record?.awaits_runs === true ? await loadQuestionsBelow(runtime, record) : undefined;
    const asked = below?.isAtRest === true ? nameQuestions(below.questions) : "";
    const isDue = ({ told, asked: known = "", next_at = 0 }: PushTarget): boolean =>
      ((told?.seq ?? 0) < lastSeq || known !== asked) && next_at <= now;
    if (!stored.targets.some(isDue)) return false;
    const { claimed_until: _, ...task } = stored;
    const claim = { ...task, claimed_until: now + CLAIM_MS };
    if (!(await savePushTask(this.#runtime, id, claim, document.revision))) return false;
    const targets = await Promise.all(
      task.targets.map((target) =>
        isDue(target) ? this.#tell(target, { run, lastSeq, asked, unbegun, load }) : target,
      ),
    );
    const isDone = isOver && targets.every(({ told }) => told?.seq === lastSeq);
    if (isDone) this.#watched.delete(JSON.stringify([task.tenant, task.run_id]));
    await this.#settle(id, claim, targets, isDone);
    return true;
  }

  /** Sends a receiver its updates, one after the other, up to the first that fails. */
  async #tell(target: PushTarget, { run, lastSeq, asked, unbegun, load }: Told): Promise<PushTarget> {
    if (unbegun !== undefined) {
      const told = { cursor: "", seq: lastSeq, state: INITIAL_A2A_STATE };
      return this.#notify(target, { task: unbegun }, run.id, { told });
    }
    let current = target;
    if (target.asked !== undefined && target.asked !== asked) {
      // The questions of the runs below were answered, or others take their place.
      current = await this.#notify(current, workingAgain(run, this.#runtime.now()), run.id, { asked: undefined });
      if (current.next_at !== undefined) return current;
    }
    const { updates, end } = await readStatusUpdates(run, lastSeq, target.told);
    const wanted = updates.filter(({ at }) => at.seq > target.after);
    for (const [index, { item, at }] of wanted.entries()) {
      const { status } = "task" in item ? item.task : (item as StatusItem).statusUpdate;
      // The state that the task is in now comes with everything that belongs to it; an earlier one was passed through.
      const isNow = index === wanted.length - 1 && status.state !== "TASK_STATE_WORKING";
      current = await this.#notify(current, isNow ? { task: await load() } : item, run.id, { told: at });
      if (current.next_at !== undefined) return current;
    }
    if (end !== undefined) current = { ...current, told: end };
    if (asked === "" || current.asked === asked) return current;
    return this.#notify(current, { task: await load() }, run.id, { asked });
  }

  /** Writes what became of the targets. A client may have changed them meanwhile: what it wrote stays. */
  async #settle(id: string, claim: PushTask, targets: readonly PushTarget[], isDone: boolean): Promise<void> {
    for (;;) {
      const document = await this.#runtime.documents.loadDocument(PUSH_KIND, id);
      if (document === undefined) return;
      const { claimed_until: _, ...now } = readPushTask(document);
      const settled = now.targets.map((target) => {
        const before = claim.targets.find((each) => each.id === target.id);
        return before?.url === target.url ? (targets.find((each) => each.id === target.id) ?? target) : target;
      });
      const isWhole = isDone && settled.every((target) => targets.includes(target));
      if (isWhole) await this.#changeOver(id, now, (known) => [...without(known, settled), ...settled]);
      if (await savePushTask(this.#runtime, id, { ...now, targets: isWhole ? [] : settled }, document.revision)) return;
      // A client deleted a receiver, or named one, in between.
      if (isWhole) await this.#changeOver(id, now, (known) => without(known, settled));
    }
  }

  /** Changes the receivers of a task that is over. They are kept where no process looks for updates that are due. */
  async #changeOver(
    id: string,
    task: PushTask,
    next: (known: readonly PushTarget[]) => readonly PushTarget[],
  ): Promise<void> {
    for (;;) {
      const document = await this.#runtime.documents.loadDocument(PUSH_OVER_KIND, id);
      const targets = next(document === undefined ? [] : readPushTask(document).targets);
      const revision = document?.revision ?? 0;
      if (await savePushTask(this.#runtime, id, { ...task, targets }, revision, PUSH_OVER_KIND)) return;
    }
  }

  /** Sends a receiver an item. `reached` is how far it is once it has the item, or is given up. */
  async #notify(
    target: PushTarget,
    item: A2aStreamItem,
    taskId: string,
    reached: Pick<PushTarget, "told"> | { readonly asked: string | undefined },
  ): Promise<PushTarget> {
    const { failures: before = 0, next_at: _, ...rest } = target;
    const { asked, ...others } = { ...rest, ...reached };
    const next: PushTarget = { ...others, ...(asked !== undefined && { asked }) };
    try {
      await this.#post(target, JSON.stringify(item), taskId);
      return next;
    } catch (error) {
      const failures = before + 1;
      if (failures >= MAX_FAILURES) {
        this.#report(error);
        return next;
      }
      const pause = Math.min(1_000 * 2 ** before, LONGEST_PAUSE_MS);
      return { ...rest, failures, next_at: this.#runtime.now() + pause };
    }
  }

  async #post({ url, token, authentication }: PushTarget, body: string, taskId: string): Promise<void> {
    const { egress, privateOrigins = [] } = this.#options;
    const { origin } = new URL(url);
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const { status, body: answered } = await egress.send(url, {
      method: "POST",
      headers: {
        "content-type": "application/a2a+json",
        "x-a2a-notification-signature": await this.#signer.sign(body, taskId),
        ...(token !== undefined && { "x-a2a-notification-token": encodeHeader(token) }),
        ...(authentication !== undefined && {
          authorization: `${authentication.scheme} ${authentication.credentials ?? ""}`.trim(),
        }),
      },
      body,
      signal: AbortSignal.any([timeout, this.#stopped.signal]),
      ...(privateOrigins.includes(origin) && { configured: origin, isPrivate: true }),
    });
    for await (const _ of answered) break;
    if (status < 200 || status >= 300) throw new Error(`The receiver of task ${taskId} answered with ${status}.`);
  }
}

/** What a receiver is told of. */
interface Told {
  readonly run: RunHandle;
  /** The last position of the run's log that is committed. */
  readonly lastSeq: number;
  /** The questions of runs below that keep the run from continuing, by their name; empty when there are none. */
  readonly asked: string;
  /** The task of a run that ended before it began. */
  readonly unbegun: A2aTask | undefined;
  /** The task as it is now. */
  load(): Promise<A2aTask>;
}

function workingAgain({ id: taskId, threadId: contextId }: RunHandle, now: number): A2aStreamItem {
  const status = { state: "TASK_STATE_WORKING", timestamp: new Date(now).toISOString() } as const;
  return { statusUpdate: { taskId, contextId, status } };
}

type StatusItem = Extract<A2aStreamItem, { readonly statusUpdate: unknown }>;

/** Those of the targets that are not among others, by their ids. */
function without(targets: readonly PushTarget[], others: readonly PushTarget[]): readonly PushTarget[] {
  return targets.filter(({ id }) => others.every((other) => other.id !== id));
}

/** Only characters that a header may have. */
function encodeHeader(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, encodeURIComponent);
}
