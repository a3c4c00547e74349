import type { Observe } from "@reprise/contracts";
import { type A2aPushConfig, type A2aTask, encodeTask, isTerminalState, stateOfRun } from "@reprise/protocols/a2a";
import type { Runtime } from "@reprise/runtime";
import type { PushNotifications, PushOptions } from "../../host/server-host.ts";
import { findRecord, findRun } from "../../wire/find-record.ts";
import { loadQuestions } from "../find-task.ts";
import { PUSH_KIND, type PushTarget, type PushTask, pushTaskId, readPushTask, savePushTask } from "./push-configs.ts";
import { PushSigner } from "./push-signer.ts";

const INTERVAL_MS = 5_000;
/** A process that has not finished sending by then is taken for dead. */
const CLAIM_MS = 60_000;
const TIMEOUT_MS = 15_000;
const MAX_WATCHED = 10_000;
const MAX_FAILURES = 12;
const LONGEST_PAUSE_MS = 600_000;

/**
 * Sends the updates of tasks to their receivers: when a task needs input, and when it is over. At least once, in any process: the receivers
 * are stored, the process in which a run ends sends at once, and every process looks regularly for updates that are due.
 */
export class PushSender implements PushNotifications {
  readonly #runtime: Runtime;
  readonly #options: PushOptions;
  readonly #report: (error: unknown) => void;
  readonly #signer: PushSigner;
  readonly #stopped = new AbortController();
  /** The tasks whose receivers were named in this process. Updates of all others wait for the next look. */
  readonly #watched = new Set<string>();
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

  /** For `runtime.observe`: a run of this process waits or is over. */
  readonly observe: Observe = ({ tenant, runId }) => {
    const key = JSON.stringify([tenant, runId]);
    return { close: () => void (this.#watched.has(key) && this.#look(tenant, runId)) };
  };

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

  /** Sends what is due of a task. Other processes leave a task alone that one has claimed. */
  async #send(id: string): Promise<void> {
    const { documents } = this.#runtime;
    const document = await documents.loadDocument(PUSH_KIND, id);
    if (document === undefined) return;
    const stored = readPushTask(document);
    const now = this.#runtime.now();
    if ((stored.claimed_until ?? 0) > now) return;
    const found = await this.#load(stored);
    if (found === "gone")
      return void (await savePushTask(this.#runtime, id, { ...stored, targets: [] }, document.revision));
    if (found === undefined || !stored.targets.some((target) => isDue(target, found.marker, now))) return;
    const { claimed_until: _, ...task } = stored;
    const claim = { ...task, claimed_until: now + CLAIM_MS };
    if (!(await savePushTask(this.#runtime, id, claim, document.revision))) return;
    const body = JSON.stringify({ task: found.task });
    const targets = await Promise.all(
      task.targets.map(async (target) =>
        isDue(target, found.marker, now) ? this.#notify(target, found.marker, body, task.run_id) : target,
      ),
    );
    const isDone = found.isOver && targets.every(({ sent }) => sent === found.marker);
    if (isDone) this.#watched.delete(JSON.stringify([task.tenant, task.run_id]));
    await this.#settle(id, claim, isDone ? [] : targets);
  }

  /** Writes what became of the targets. A client may have changed them meanwhile: what it wrote stays. */
  async #settle(id: string, claim: PushTask, targets: readonly PushTarget[]): Promise<void> {
    for (;;) {
      const document = await this.#runtime.documents.loadDocument(PUSH_KIND, id);
      if (document === undefined) return;
      const { claimed_until: _, ...now } = readPushTask(document);
      const settled = now.targets.flatMap((target) => {
        const before = claim.targets.find((each) => each.id === target.id);
        if (before === undefined || before.url !== target.url) return [target];
        return targets.filter((each) => each.id === target.id);
      });
      if (await savePushTask(this.#runtime, id, { ...now, targets: settled }, document.revision)) return;
    }
  }

  async #load({ tenant, run_id }: PushTask): Promise<Update | "gone" | undefined> {
    const runtime = this.#runtime.forTenant(tenant);
    const run = await findRun(runtime, run_id);
    if (run === undefined) return "gone";
    const record = await findRecord(run);
    if (record === undefined) return undefined;
    const state = stateOfRun(record);
    const isOver = isTerminalState(state);
    if (!isOver && state !== "TASK_STATE_INPUT_REQUIRED") return undefined;
    const [{ messages }, questions] = await Promise.all([
      runtime.threads.messages(record.thread_id, { runId: record.run_id }),
      loadQuestions(runtime, record),
    ]);
    const task = encodeTask({ run: record, messages, questions });
    return { marker: `${state}:${record.last_seq}`, isOver, task };
  }

  async #notify(target: PushTarget, marker: string, body: string, taskId: string): Promise<PushTarget> {
    const { failures: before = 0, next_at: _, ...rest } = target;
    try {
      await this.#post(target, body, taskId);
      return { ...rest, sent: marker };
    } catch (error) {
      const failures = before + 1;
      if (failures >= MAX_FAILURES) {
        this.#report(error);
        return { ...rest, sent: marker };
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

interface Update {
  readonly marker: string;
  readonly isOver: boolean;
  readonly task: A2aTask;
}

function isDue({ sent, next_at = 0 }: PushTarget, marker: string, now: number): boolean {
  return sent !== marker && next_at <= now;
}

/** Only characters that a header may have. */
function encodeHeader(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, encodeURIComponent);
}
