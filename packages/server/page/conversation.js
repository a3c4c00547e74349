import { element } from "./elements.js";
import { ToolCallView } from "./tool-call.js";

/** @typedef {import("./stream.js").RunEvent} RunEvent */
/** @typedef {import("./tool-call.js").Verb} Verb */
/** @typedef {import("./tool-call.js").Question} Question */

/** One run on the page: everything it says and does, in order. */
export class RunView {
  /** @param {(callId: string, verb: Verb, question: Question) => Promise<void>} decide */
  constructor(decide) {
    this.decide = decide;
    this.root = element("div", { class: "run" });
    /** @type {Map<string, ToolCallView>} */
    this.calls = new Map();
    /** @type {HTMLElement | undefined} the text that is being said */
    this.text = undefined;
    /** @type {HTMLElement | undefined} */
    this.thinking = undefined;
    /** @type {Element | undefined} what the present step begins behind */
    this.mark = undefined;
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
        this.calls.get(event.data.target_id)?.resume();
        break;
      case "tool_call_done":
        this.finishCall(event.data);
        break;
      case "tool_call_cancelled":
        this.calls.get(event.data.id)?.finish(false, event.data.reason, "cancelled");
        break;
      case "step_reset":
        this.withdrawStep();
        break;
      case "error":
        this.note(event.data.message, true);
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
    const view = new ToolCallView(name, (verb, question) => this.decide(id, verb, question));
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

  /** @param {unknown} content as a tool tells how far it is */
  showProgress(content) {
    const fields = fieldsOf(content);
    const [progress, total, message] = [fields.progress, fields.total, fields.message];
    this.calls.get(String(fields.call_id))?.setProgress({
      ...(typeof progress === "number" && { progress }),
      ...(typeof total === "number" && { total }),
      ...(typeof message === "string" && { message }),
    });
  }

  /** @param {string} text */
  addText(text) {
    this.thinking = undefined;
    if (this.text === undefined) {
      this.text = element("p", { class: "said assistant" });
      this.root.append(this.text);
    }
    this.text.append(text);
  }

  /** @param {string} text */
  addThought(text) {
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

  /** Nobody will answer what this run asked: another message took its place. */
  supersede() {
    for (const view of this.calls.values()) if (!view.question.hidden) view.finish(false, undefined, "superseded");
  }

  /** @param {{ type: string, value?: unknown }} termination */
  end({ type, value }) {
    this.endText();
    if (type === "stopped") this.note(`Stopped by a rule: ${String(fieldsOf(value).code).replaceAll("_", " ")}.`);
    else if (type === "cancelled") this.note("Stopped.");
    else if (type === "error") this.note(typeof value === "string" ? value : "The run failed.", true);
  }

  /**
   * @param {string} text
   * @param {boolean} [isBad]
   */
  note(text, isBad = false) {
    this.endText();
    this.root.append(element("p", { class: isBad ? "notice bad" : "notice" }, text));
  }
}

/**
 * @param {string} outcome
 * @param {unknown} data
 * @returns {string | undefined}
 */
export function wordFor(outcome, data) {
  const code = outcome === "succeeded" ? undefined : fieldsOf(fieldsOf(data).error).code;
  if (code === "denied" || code === "superseded") return code;
  return outcome === "cancelled" ? "cancelled" : undefined;
}

/**
 * The fields of what may be an object.
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
