import { RunView, userMessage } from "./conversation.js";
import { loadPast, showPast } from "./past.js";
import { ask, askJson, readRun } from "./server.js";

/** @typedef {{ id: string, view: RunView, last: string | undefined }} ShownRun */

/**
 * What a chat tells the rest of the page.
 *
 * @typedef {object} Listener
 * @property {(isBusy: boolean) => void} busy events are being read, or no more
 * @property {(termination: string) => void} ended how the run stands, by the type of its termination
 * @property {() => void} changed the thread is another one, or has something new
 * @property {(error: unknown) => void} failed
 */

/** @param {string} runId */
const eventsOf = (runId) => `/v1/runs/${encodeURIComponent(runId)}/events`;

/** The conversation that is shown: one thread, and the run that is read on it. */
export class Chat {
  /**
   * @param {HTMLElement} log
   * @param {Listener} listener
   */
  constructor(log, listener) {
    this.log = log;
    this.listener = listener;
    /** @type {string | undefined} */
    this.threadId = undefined;
    /** @type {ShownRun | undefined} the run that was shown last */
    this.shown = undefined;
    /** @type {AbortController | undefined} set while events are being read */
    this.reading = undefined;
  }

  get isBusy() {
    return this.reading !== undefined;
  }

  /** Shows something else instead of a thread. @param {Node} welcome */
  begin(welcome) {
    this.leave(undefined);
    this.log.replaceChildren(welcome);
    this.listener.ended("natural_end");
  }

  /** Shows a thread: what was said and done, then whatever goes on. @param {string} id */
  async open(id) {
    const past = await loadPast(id);
    this.leave(id);
    this.log.replaceChildren(...showPast(past));
    this.log.scrollTop = this.log.scrollHeight;
    this.listener.changed();
    const open = past.runs.find(({ status }) => status !== "done");
    if (open === undefined) this.listener.ended("natural_end");
    else void this.follow(this.append(open.run_id), (signal) => ask(eventsOf(open.run_id), { signal }));
    return past.runs[0]?.agent_id;
  }

  /**
   * Says something to an agent, on this thread or on a new one.
   *
   * @param {string} agentId
   * @param {string} text
   */
  async say(agentId, text) {
    this.shown?.view.supersede();
    if (this.threadId === undefined) this.log.replaceChildren();
    this.log.append(userMessage(text));
    this.log.scrollTop = this.log.scrollHeight;
    const thread = this.threadId === undefined ? {} : { threadId: this.threadId };
    const response = await ask("/v1/runs", {
      body: { agentId, messages: [{ role: "user", content: text }], ...thread },
    });
    const idIn = (/** @type {string} */ name) => decodeURIComponent(response.headers.get(name) ?? "");
    this.threadId = idIn("x-reprise-thread-id");
    this.listener.changed();
    await this.follow(this.append(idIn("x-reprise-run-id")), async () => response);
  }

  /** Asks the run to end. */
  async stop() {
    if (this.shown !== undefined) await askJson(`/v1/runs/${encodeURIComponent(this.shown.id)}/cancel`, {});
  }

  /** @param {string | undefined} threadId */
  leave(threadId) {
    this.reading?.abort();
    this.reading = undefined;
    this.listener.busy(false);
    this.threadId = threadId;
    this.shown = undefined;
  }

  /** @param {string} id */
  append(id) {
    /** @type {ShownRun} */
    const run = { id, view: this.createView(), last: undefined };
    this.shown = run;
    this.log.append(run.view.root);
    return run;
  }

  createView() {
    return new RunView((callId, verb, question) => this.decide(callId, verb, question));
  }

  /**
   * Shows a run's events until it waits or is done.
   *
   * @param {ShownRun} run
   * @param {(signal: AbortSignal) => Promise<Response>} open
   * @returns {Promise<void>}
   */
  async follow(run, open) {
    this.reading?.abort();
    const control = new AbortController();
    this.reading = control;
    this.listener.busy(true);
    try {
      for await (const { id, event } of readRun(await open(control.signal), eventsOf(run.id), control.signal)) {
        if (this.reading !== control) return;
        if (id !== undefined) run.last = id;
        if (!this.show(run, event)) return await this.readAnew(run);
        if (event.type === "run_finish") this.listener.ended(event.data.termination.type);
      }
    } catch (error) {
      if (!control.signal.aborted) this.listener.failed(error);
    } finally {
      if (this.reading === control) {
        this.reading = undefined;
        this.listener.busy(false);
        this.listener.changed();
      }
    }
  }

  /**
   * Goes on showing the end, unless the reader has scrolled away from it.
   *
   * @param {ShownRun} run
   * @param {import("./stream.js").RunEvent} event
   */
  show(run, event) {
    const { log } = this;
    const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
    const isKept = run.view.show(event);
    if (isAtEnd) log.scrollTop = log.scrollHeight;
    return isKept;
  }

  /** What was shown was withdrawn: the run is shown again from its beginning. @param {ShownRun} run */
  async readAnew(run) {
    const fresh = { ...run, view: this.createView(), last: undefined };
    run.view.root.replaceWith(fresh.view.root);
    this.shown = fresh;
    await this.follow(fresh, (signal) => ask(eventsOf(run.id), { signal }));
  }

  /**
   * Decides about exactly what was shown, and goes on reading after what was read.
   *
   * @type {ConstructorParameters<typeof RunView>[0]}
   */
  async decide(callId, verb, { binding_hash, suspension }) {
    try {
      await askJson(`/v1/decisions/${encodeURIComponent(callId)}`, { ...verb, binding_hash, suspension });
    } catch (error) {
      // What is wrong with edited arguments is said beside them.
      if (verb.action !== "edit") this.listener.failed(error);
      throw error;
    }
    const run = this.shown;
    if (run === undefined || this.isBusy) return;
    void this.follow(run, (signal) => ask(eventsOf(run.id), { lastEventId: run.last, signal }));
  }
}
