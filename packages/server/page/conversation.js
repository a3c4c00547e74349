import { button, element } from "./elements.js";
import { MarkdownView } from "./markdown-view.js";
import { ToolCallView } from "./tool-call.js";

/** @typedef {import("./stream.js").RunEvent} RunEvent */
/** @typedef {import("./tool-call.js").Verb} Verb */
/** @typedef {import("./tool-call.js").Question} Question */

/**
 * What a person can do about a run.
 *
 * @typedef {object} RunActions
 * @property {(callId: string, verb: Verb, question: Question) => Promise<void>} decide
 * @property {(view: RunView) => Promise<void>} retry
 */

/** One run on the page: everything it says and does, in order. */
export class RunView {
  /** @param {RunActions} actions */
  constructor(actions) {
    this.actions = actions;
    this.root = element("div", { class: "run" });
    /** @type {Map<string, ToolCallView>} */
    this.calls = new Map();
    /** @type {MarkdownView | undefined} the text that is being said */
    this.text = undefined;
    /** @type {HTMLElement | undefined} */
    this.thinking = undefined;
    /** @type {Element | undefined} the last element before the present step */
    this.mark = undefined;
    /** @type {HTMLElement | undefined} why the model is not answering yet */
    this.delay = undefined;
    /** @type {HTMLButtonElement | undefined} */
    this.retryButton = undefined;
  }

  /** The tools whose calls need approval. */
  get openQuestions() {
    return [...this.calls.values()].filter(({ isAsking }) => isAsking).map(({ name }) => name);
  }

  /**
   * Shows an event. Answers false for one that makes everything before it doubtful: then the run has to be read anew.
   *
   * @param {RunEvent} event
   * @returns {boolean}
   */
  show(event) {
    switch (event.type) {
      case "step_start":
        this.mark = this.root.lastElementChild ?? undefined;
        this.endText();
        break;
      case "text_delta":
        this.addText(event.data.delta);
        break;
      case "reasoning_delta":
        this.addThought(event.data.delta);
        break;
      case "tool_call_start":
        this.call(event.data.id, event.data.name);
        break;
      case "tool_call_delta":
        this.calls.get(event.data.id)?.addArguments(event.data.args_delta);
        break;
      case "tool_call_ready":
        this.call(event.data.id, event.data.name).setArguments(event.data.arguments);
        break;
      case "activity_snapshot":
        if (event.data.activity_type === "tool-call-progress") this.showProgress(event.data.content);
        break;
      case "tool_call_resumed":
        this.calls.get(event.data.target_id)?.resume(fieldsOf(event.data.result).arguments);
        break;
      case "tool_call_done":
        this.finishCall(event.data);
        break;
      case "tool_call_cancelled":
        this.calls.get(event.data.id)?.finish(false, undefined, event.data.reason);
        break;
      case "model_waiting":
        this.showDelay(event.data.until);
        break;
      case "step_reset":
        this.withdrawStep();
        break;
      case "run_finish":
        this.end(event.data.termination);
        break;
      case "stream_reset":
        return false;
      default:
    }
    return true;
  }

  /**
   * @param {string} id
   * @param {string} name
   */
  call(id, name) {
    const known = this.calls.get(id);
    if (known !== undefined) return known;
    this.endText();
    const view = new ToolCallView(name, (verb, question) => this.actions.decide(id, verb, question));
    this.calls.set(id, view);
    this.root.append(view.root);
    return view;
  }

  /** @param {{ id: string, outcome: string, result: { tool_name: string, data: unknown, message: string | null }, suspended?: Question }} done */
  finishCall({ id, outcome, result, suspended }) {
    const view = this.call(id, result.tool_name);
    if (outcome === "suspended" && suspended !== undefined) view.ask(suspended);
    else view.finish(outcome === "succeeded", result.data ?? result.message, wordFor(outcome, result.data));
  }

  /** @param {unknown} content progress as a tool reports it */
  showProgress(content) {
    const fields = fieldsOf(content);
    const [progress, total, message] = [fields.progress, fields.total, fields.message];
    this.calls.get(String(fields.call_id))?.setProgress({
      ...(typeof progress === "number" && { progress }),
      ...(typeof total === "number" && { total }),
      ...(typeof message === "string" && { message }),
    });
  }

  /** @param {number} until */
  showDelay(until) {
    this.delay?.remove();
    const time = new Date(until).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
    this.delay = this.note(`The model cannot answer now. The run continues by itself at ${time}.`);
  }

  /** @param {string} text */
  addText(text) {
    this.delay?.remove();
    this.thinking = undefined;
    if (this.text === undefined) {
      this.text = new MarkdownView();
      this.root.append(this.text.root);
    }
    this.text.append(text);
  }

  /** @param {string} text */
  addThought(text) {
    this.delay?.remove();
    if (this.thinking === undefined) {
      this.thinking = element("div");
      this.root.append(element("details", { class: "thinking" }, element("summary", {}, "Thinking"), this.thinking));
    }
    this.thinking.append(text);
  }

  endText() {
    this.text = undefined;
    this.thinking = undefined;
  }

  /** Takes back what the present step showed: the model is asked anew. */
  withdrawStep() {
    this.endText();
    while (this.root.lastElementChild !== null && this.root.lastElementChild !== this.mark)
      this.root.lastElementChild.remove();
    for (const [id, view] of this.calls) if (!view.root.isConnected) this.calls.delete(id);
  }

  /** Withdraws the open questions: the run has ended, or another message took its place. @param {"superseded" | "cancelled"} word */
  withdrawQuestions(word) {
    for (const view of this.calls.values()) if (view.isAsking) view.finish(false, undefined, word);
  }

  /** Something else follows on the thread: nothing can be done about this run any more. */
  settle() {
    this.retryButton?.remove();
  }

  /** @param {{ type: string, value?: unknown }} termination */
  end({ type, value }) {
    this.endText();
    const code = String(fieldsOf(value).code);
    if (type !== "suspended") {
      this.delay?.remove();
      this.withdrawQuestions(code === "superseded" ? code : "cancelled");
    }
    if (type === "stopped" && code !== "superseded") this.note(`Stopped by a rule: ${code.replaceAll("_", " ")}.`);
    else if (type === "cancelled") this.note("Stopped.");
    else if (type === "error") this.showError(typeof value === "string" ? value : "The run failed.");
  }

  /** @param {string} message */
  showError(message) {
    const retry = button("Retry", "button small", () => {
      retry.disabled = true;
      void this.actions.retry(this).finally(() => {
        retry.disabled = false;
      });
    });
    this.retryButton = retry;
    this.root.append(element("div", { class: "failure", role: "alert" }, element("p", {}, message), retry));
  }

  /** @param {string} text */
  note(text) {
    this.endText();
    const made = element("p", { class: "notice" }, text);
    this.root.append(made);
    return made;
  }
}

/**
 * @param {string} outcome
 * @param {unknown} data
 * @returns {string | undefined}
 */
export function wordFor(outcome, data) {
  const code = outcome === "succeeded" ? undefined : fieldsOf(fieldsOf(data).error).code;
  if (code === "denied" || code === "superseded" || code === "expired") return code;
  return outcome === "cancelled" ? "cancelled" : undefined;
}

/**
 * The fields of a value that may be an object.
 *
 * @param {unknown} value
 * @returns {Readonly<Record<string, unknown>>}
 */
function fieldsOf(value) {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** @param {string} text */
export function userMessage(text) {
  return element("p", { class: "said user" }, text);
}
