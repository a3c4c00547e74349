import { RunView, userMessage } from "./conversation.js";
import { button, element } from "./elements.js";
import { loadPast, showPast } from "./past.js";
import { ask, askJson, openEvents, randomId, readRun } from "./server.js";

/**
 * The run that is shown last. `working` until it waits for a decision or is done.
 *
 * @typedef {"working" | "waiting" | "done"} RunState
 * @typedef {{ id: string, agentId: string, view: RunView, last: string | undefined, state: RunState }} ShownRun
 * @typedef {{ id: string, agentId: string, text: string, node: HTMLElement }} QueuedRun
 */

/**
 * What a chat tells the rest of the page.
 *
 * @typedef {object} Listener
 * @property {() => void} changed the run works, waits or is done, or a message was queued
 * @property {() => void} stored the thread is another one, or has something new
 * @property {(error: unknown) => void} failed
 */

/** The conversation that is shown: one thread, the run that is read on it, and the messages that are queued behind it. */
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
    /** @type {ShownRun | undefined} */
    this.shown = undefined;
    /** @type {QueuedRun[]} */
    this.queue = [];
    /** @type {AbortController | undefined} set while events are read */
    this.reading = undefined;
    /** Counts what was shown: an answer for a thread that was left meanwhile is not shown. */
    this.visit = 0;
    /** Messages are sent one after the other: the first makes the thread that the next one is for. */
    this.sending = 0;
    this.turn = Promise.resolve();
    /** Whether the reader sees the end. Then it stays in sight, whatever grows. */
    this.isAtEnd = true;
    log.addEventListener("scroll", () => {
      this.isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
    });
    new ResizeObserver(() => this.isAtEnd && this.scrollToEnd()).observe(log);
  }

  /** Whether an answer is under way. A run that waits for its model and not for a person continues by itself. */
  get isBusy() {
    const { state } = this.shown ?? {};
    return this.sending > 0 || state === "working" || (state === "waiting" && this.openQuestions.length === 0);
  }

  /** The tools whose calls need approval. */
  get openQuestions() {
    return this.shown?.state === "waiting" ? this.shown.view.openQuestions : [];
  }

  /** Shows something else instead of a thread. @param {Node} welcome */
  begin(welcome) {
    this.leave(undefined);
    this.log.replaceChildren(welcome);
    this.listener.changed();
  }

  /** Shows a thread: its past, then the run under way. @param {string} id */
  async open(id) {
    this.visit += 1;
    const { visit } = this;
    const past = await loadPast(id);
    if (visit !== this.visit) return undefined;
    this.leave(id);
    const { nodes, last } = showPast(past, () => this.createView());
    this.log.replaceChildren(...nodes);
    for (const { run_id, agent_id, text } of past.queued) this.enqueue(run_id, agent_id, text);
    const open = past.runs.find(({ status }) => status !== "done");
    if (open !== undefined) this.readFromStart(this.append(open.run_id, open.agent_id));
    else if (last !== undefined) this.shown = { ...last, last: undefined, state: "done" };
    this.scrollToEnd();
    this.listener.stored();
    this.listener.changed();
    this.takeNext();
    return past.runs[0]?.agent_id;
  }

  /**
   * Sends a message on this thread or on a new one. While a run is under way the message is queued behind it.
   *
   * @param {string} agentId
   * @param {string} text
   * @param {"continue" | "enqueue"} [policy] what becomes of a question that is open: withdrawn, or answered first
   */
  say(agentId, text, policy = "continue") {
    this.sending += 1;
    this.listener.changed();
    const { visit } = this;
    const sent = this.turn.then(() => {
      if (visit !== this.visit) throw new Error("The thread was left before the message was sent.");
      return this.send(agentId, text, policy);
    });
    this.turn = sent
      .catch(() => undefined)
      .finally(() => {
        this.sending -= 1;
        this.listener.changed();
      });
    return sent;
  }

  /**
   * @param {string} agentId
   * @param {string} text
   * @param {"continue" | "enqueue"} policy
   */
  async send(agentId, text, policy) {
    const isOpen = this.shown !== undefined && this.shown.state !== "done";
    const isWithdrawing = policy === "continue" && this.openQuestions.length > 0;
    const isQueued = this.queue.length > 0 || (isOpen && (policy === "enqueue" || this.openQuestions.length === 0));
    if (this.threadId === undefined) this.log.replaceChildren();
    const node = userMessage(text);
    this.log.append(node);
    this.scrollToEnd();
    const messages = [{ role: "user", content: text }];
    const busyPolicy = isQueued ? "enqueue" : "continue";
    try {
      // The messages before this one are sent first, and none is before the run has ended.
      if (isWithdrawing && isQueued) await this.cancel();
      const { runId, response, isLeft } = await this.start({ agentId, messages, busyPolicy });
      if (isLeft) return;
      if (isQueued) {
        // Its events are read when its turn has come.
        void response.body?.cancel();
        node.remove();
        this.enqueue(runId, agentId, text);
        this.takeNext();
        return;
      }
      this.shown?.view.withdrawQuestions("superseded");
      void this.follow(this.append(runId, agentId), async () => response);
    } catch (error) {
      node.remove();
      throw error;
    }
  }

  /**
   * Starts a run on this thread.
   *
   * @param {{ agentId: string, messages: readonly object[], busyPolicy?: string, restore?: object }} request
   */
  async start(request) {
    const { visit } = this;
    const thread = this.threadId === undefined ? {} : { threadId: this.threadId };
    const response = await ask("v1/runs", { body: { ...request, ...thread }, repeatKey: randomId() });
    const idIn = (/** @type {string} */ name) => decodeURIComponent(response.headers.get(name) ?? "");
    const isLeft = visit !== this.visit;
    if (isLeft) void response.body?.cancel();
    else this.threadId = idIn("x-reprise-thread-id");
    this.listener.stored();
    return { runId: idIn("x-reprise-run-id"), response, isLeft };
  }

  /**
   * Shows a message that waits for its turn.
   *
   * @param {string} id
   * @param {string} agentId
   * @param {string} text
   */
  enqueue(id, agentId, text) {
    const remove = button("Remove", "link", () => {
      this.dequeue(queued).catch(this.listener.failed);
    });
    const note = element("p", { class: "queued-note" }, "Queued: sent when this run is done. ", remove);
    const node = element(
      "div",
      { class: "queued", role: "group", "aria-label": "Queued message" },
      userMessage(text),
      note,
    );
    const queued = { id, agentId, text, node };
    this.queue.push(queued);
    this.log.append(node);
    this.scrollToEnd();
    this.listener.changed();
  }

  /** Takes a message back that was not sent yet. @param {QueuedRun} queued */
  async dequeue(queued) {
    await askJson(`v1/runs/${encodeURIComponent(queued.id)}/cancel`, {});
    if (!this.queue.includes(queued)) return;
    this.queue = this.queue.filter((each) => each !== queued);
    queued.node.remove();
    this.listener.changed();
  }

  /** Shows the next queued message as sent, once the run before it is done. */
  takeNext() {
    if (this.shown !== undefined && this.shown.state !== "done") return;
    const next = this.queue.shift();
    if (next === undefined) return;
    const message = userMessage(next.text);
    next.node.replaceWith(message);
    const run = this.createRun(next.id, next.agentId);
    message.after(run.view.root);
    this.readFromStart(run);
  }

  /** Asks the run to end. */
  async stop() {
    await this.turn;
    await this.cancel();
  }

  async cancel() {
    if (this.shown !== undefined) await askJson(`v1/runs/${encodeURIComponent(this.shown.id)}/cancel`, {});
  }

  /** Answers the message of a failed run anew: the thread goes back to right behind the message. @param {RunView} view */
  async retry(view) {
    const failed = this.shown;
    if (failed === undefined || failed.view !== view || failed.state !== "done") return;
    const restore = { run_id: failed.id, keep_input: true };
    const { runId, response, isLeft } = await this.start({ agentId: failed.agentId, messages: [], restore });
    if (isLeft) return;
    const run = this.createRun(runId, failed.agentId);
    view.root.replaceWith(run.view.root);
    void this.follow(run, async () => response);
  }

  /** @param {string | undefined} threadId */
  leave(threadId) {
    this.visit += 1;
    this.reading?.abort();
    this.reading = undefined;
    this.threadId = threadId;
    this.shown = undefined;
    this.queue = [];
  }

  /** A page in the background holds no connection for a run that waits: browsers have only a few for each server. */
  pause() {
    if (this.isBusy) return;
    this.reading?.abort();
    this.reading = undefined;
  }

  /** Looks again at a run that waits. */
  resume() {
    const run = this.shown;
    if (run?.state === "waiting" && this.reading === undefined) this.readOn(run);
  }

  /**
   * @param {string} id
   * @param {string} agentId
   */
  append(id, agentId) {
    const run = this.createRun(id, agentId);
    const [queued] = this.queue;
    if (queued === undefined) this.log.append(run.view.root);
    else queued.node.before(run.view.root);
    return run;
  }

  /**
   * @param {string} id
   * @param {string} agentId
   * @returns {ShownRun}
   */
  createRun(id, agentId) {
    this.shown?.view.settle();
    return { id, agentId, view: this.createView(), last: undefined, state: "working" };
  }

  createView() {
    return new RunView({
      decide: (callId, verb, question) => this.decide(callId, verb, question),
      retry: (view) => this.retry(view).catch(this.listener.failed),
    });
  }

  /** @param {ShownRun} run */
  readFromStart(run) {
    void this.follow(run, (signal) => openEvents(run.id, { signal }));
  }

  /** Reads on after the last event that was shown. @param {ShownRun} run */
  readOn(run) {
    void this.follow(run, (signal) => openEvents(run.id, { lastEventId: run.last, signal }));
  }

  /**
   * Shows a run's events until it is done.
   *
   * @param {ShownRun} run
   * @param {(signal: AbortSignal) => Promise<Response>} open
   * @returns {Promise<void>}
   */
  async follow(run, open) {
    this.reading?.abort();
    const control = new AbortController();
    this.reading = control;
    this.shown = run;
    this.setState(run, run.state);
    try {
      for await (const { id, event } of readRun(await open(control.signal), run.id, control.signal)) {
        if (this.reading !== control) return;
        if (id !== undefined) run.last = id;
        if (!this.show(run, event)) return await this.readAnew(run);
      }
      this.setState(run, "done");
    } catch (error) {
      if (control.signal.aborted) return;
      this.setState(run, "done");
      this.listener.failed(error);
    } finally {
      if (this.reading === control) {
        this.reading = undefined;
        this.listener.stored();
        this.takeNext();
      }
    }
  }

  /**
   * Shows an event. The end stays in sight unless the reader has scrolled away from it.
   *
   * @param {ShownRun} run
   * @param {import("./stream.js").RunEvent} event
   */
  show(run, event) {
    const isKept = run.view.show(event);
    if (this.isAtEnd) this.scrollToEnd();
    const state = stateAfter(run.state, event);
    if (state !== run.state) {
      this.setState(run, state);
      if (state === "waiting") this.listener.stored();
    }
    return isKept;
  }

  /**
   * @param {ShownRun} run
   * @param {RunState} state
   */
  setState(run, state) {
    run.state = state;
    run.view.root.classList.toggle("working", state === "working");
    this.listener.changed();
  }

  scrollToEnd() {
    this.log.scrollTop = this.log.scrollHeight;
  }

  /** Some of what was shown was withdrawn: the run is shown again from its beginning. @param {ShownRun} run */
  async readAnew(run) {
    /** @type {ShownRun} */
    const fresh = { ...run, view: this.createView(), last: undefined, state: "working" };
    run.view.root.replaceWith(fresh.view.root);
    await this.follow(fresh, (signal) => openEvents(run.id, { signal }));
  }

  /**
   * Decides about exactly the question that was shown.
   *
   * @param {string} callId
   * @param {import("./tool-call.js").Verb} verb
   * @param {import("./tool-call.js").Question} question
   */
  async decide(callId, verb, { binding_hash, suspension }) {
    const body = { ...verb, binding_hash, suspension, decision_id: randomId() };
    await askJson(`v1/decisions/${encodeURIComponent(callId)}`, body);
    this.resume();
  }
}

/**
 * @param {RunState} state
 * @param {import("./stream.js").RunEvent} event
 * @returns {RunState}
 */
function stateAfter(state, event) {
  if (event.type === "run_finish") return event.data.termination.type === "suspended" ? "waiting" : "done";
  // Decisions are let in while a run waits for more of them.
  if (event.type === "tool_call_resumed" || event.type === "tool_call_done") return state;
  return event.type === "stream_reset" ? state : "working";
}
