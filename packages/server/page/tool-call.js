import { diffLines } from "./diff-lines.js";
import { button, element, pretty } from "./elements.js";

/**
 * How a call is decided.
 *
 * @typedef {{ action: "approve" | "deny" | "edit", arguments?: unknown, remember?: "thread" | "always" }} Verb
 * @typedef {{ message?: string, parameters?: unknown }} Suspension
 * @typedef {{ binding_hash: string, suspension: number, ticket?: { suspension?: Suspension } }} Question
 */

/** A tool call on the page: its arguments, its progress, its result, and its question while it needs approval. */
export class ToolCallView {
  /**
   * @param {string} name
   * @param {(verb: Verb, question: Question) => Promise<void>} decide
   */
  constructor(name, decide) {
    this.name = name;
    this.decide = decide;
    this.isAsking = false;
    this.hadFocus = false;
    /** @type {unknown} the arguments it runs with */
    this.arguments = undefined;
    this.text = "";
    this.brief = element("span", { class: "call-brief" });
    this.state = element("span", { class: "call-state" }, "preparing");
    this.inputTitle = element("h3", {}, "Arguments");
    this.input = element("pre", { tabindex: "0", "aria-label": `Arguments of ${name}` });
    this.outputTitle = element("h3", { hidden: "" }, "Result");
    this.output = element("pre", { tabindex: "0", hidden: "", "aria-label": `Result of ${name}` });
    this.bar = element("progress", { "aria-label": `Progress of ${name}` });
    this.step = element("span");
    this.progress = element("div", { class: "call-progress", hidden: "" }, this.bar, this.step);
    this.question = element("div", { class: "question", hidden: "" });
    this.details = element(
      "details",
      {},
      element("summary", { class: "call-head" }, element("span", { class: "call-name" }, name), this.brief, this.state),
      element("div", { class: "call-body" }, this.inputTitle, this.input, this.outputTitle, this.output),
    );
    this.root = element(
      "article",
      { class: "call", "aria-label": `Tool call ${name}` },
      this.details,
      this.progress,
      this.question,
    );
  }

  /** @param {string} delta */
  addArguments(delta) {
    this.text += delta;
    this.brief.textContent = this.text;
    this.input.textContent = this.text;
  }

  /** @param {unknown} value */
  setArguments(value) {
    this.arguments = value;
    this.brief.textContent = JSON.stringify(value);
    this.input.textContent = pretty(value);
    this.setState("running", "");
  }

  /** Shows the arguments that a person gave it instead of the model's, and what is different. @param {unknown} edited */
  editArguments(edited) {
    const lines = diffLines(pretty(this.arguments).split("\n"), pretty(edited).split("\n"));
    if (lines.every(({ kind }) => kind === "same")) return;
    this.arguments = edited;
    this.brief.textContent = JSON.stringify(edited);
    this.inputTitle.textContent = "Arguments, edited";
    this.input.replaceChildren(...lines.flatMap(({ kind, text }) => [drawLine(kind, text), "\n"]));
  }

  /** @param {{ progress?: number, total?: number, message?: string }} content */
  setProgress({ progress, total, message }) {
    this.progress.hidden = false;
    if (typeof total === "number") this.bar.max = total;
    if (typeof progress === "number") this.bar.value = progress;
    this.step.textContent = message ?? "";
  }

  /** It was decided about. @param {unknown} edited the arguments of the decision, if it has any */
  resume(edited) {
    this.close();
    if (edited !== undefined) this.editArguments(edited);
    this.setState("running", "");
  }

  /**
   * @param {boolean} isGood
   * @param {unknown} data
   * @param {string} [word]
   */
  finish(isGood, data, word = isGood ? "done" : "failed") {
    this.close();
    this.progress.hidden = true;
    this.setState(word, isGood ? "done" : "failed");
    if (data === undefined || data === null) return;
    this.outputTitle.hidden = false;
    this.output.hidden = false;
    this.output.textContent = pretty(data);
  }

  /** @param {Question} question */
  ask(question) {
    this.isAsking = true;
    this.setState("needs approval", "asks");
    this.root.classList.add("asks");
    // The exact arguments are in sight before somebody agrees to them.
    this.details.open = true;
    const message = question.ticket?.suspension?.message ?? `May ${this.name} run with these arguments?`;
    const approve = button("Approve", "button primary", () => this.answer({ action: "approve" }, question));
    const deny = button("Deny", "button danger", () => this.answer({ action: "deny" }, question));
    const edit = button("Edit…", "button", () => this.edit(question));
    const problem = element("p", { class: "problem", role: "alert" });
    const actions = element("div", { class: "actions" }, approve, ...this.rememberButtons(question), deny, edit);
    this.question.replaceChildren(element("p", { class: "asked" }, message), problem, actions);
    this.question.hidden = false;
  }

  /** For a question whose answer can reach beyond this call. @param {Question} question */
  rememberButtons(question) {
    const parameters = question.ticket?.suspension?.parameters;
    const isCovering = typeof parameters === "object" && parameters !== null && "remembers" in parameters;
    if (!isCovering || typeof parameters.remembers !== "string") return [];
    const covered = parameters.remembers;
    /** @type {readonly (readonly [label: string, remember: "thread" | "always"])[]} */
    const choices = [
      ["Allow in this thread", "thread"],
      ["Always allow", "always"],
    ];
    return choices.map(([label, remember]) => {
      const choice = button(label, "button", () => this.answer({ action: "approve", remember }, question));
      choice.title = `Later calls of ${covered} run without asking.`;
      return choice;
    });
  }

  /** @param {Question} question */
  edit(question) {
    const field = element("textarea", { "aria-label": `New arguments of ${this.name}`, spellcheck: "false" });
    field.value = pretty(this.arguments);
    field.rows = Math.min(field.value.split("\n").length + 1, 16);
    const problem = element("p", { class: "problem", role: "alert" });
    const back = () => {
      this.ask(question);
      this.question.querySelector("button")?.focus();
    };
    const run = button("Run with these", "button primary", () => {
      try {
        void this.answer({ action: "edit", arguments: JSON.parse(field.value) }, question);
      } catch (error) {
        problem.textContent = `The arguments must be JSON: ${error instanceof Error ? error.message : ""}`;
      }
    });
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      back();
    });
    const actions = element("div", { class: "actions" }, run, button("Back", "button", back));
    this.question.replaceChildren(field, problem, actions);
    field.focus();
    this.question.scrollIntoView({ block: "nearest" });
  }

  /**
   * @param {Verb} verb
   * @param {Question} question
   */
  async answer(verb, question) {
    const buttons = [...this.question.querySelectorAll("button")];
    // A button that is disabled loses the focus.
    this.hadFocus = this.question.contains(document.activeElement);
    for (const each of buttons) each.disabled = true;
    try {
      await this.decide(verb, question);
      // The stream tells the rest, and may have done so already.
      if (!this.isAsking) return;
      if (verb.action === "deny") this.finish(false, undefined, "denied");
      else this.resume(verb.arguments);
    } catch (error) {
      // Said where it was asked; the question is open again.
      for (const each of buttons) each.disabled = false;
      const problem = this.question.querySelector("[role=alert]");
      if (problem !== null && error instanceof Error) problem.textContent = error.message;
    }
  }

  /** Nothing is asked any more. */
  close() {
    if (!this.isAsking) return;
    this.isAsking = false;
    this.details.open = false;
    const { activeElement } = document;
    const hasFocus = this.question.contains(activeElement) || (this.hadFocus && activeElement === document.body);
    // The keyboard goes where the next message is written.
    if (hasFocus) document.getElementById("say")?.focus();
    this.question.hidden = true;
    this.question.replaceChildren();
    this.root.classList.remove("asks");
  }

  /**
   * @param {string} word
   * @param {string} className
   */
  setState(word, className) {
    this.state.textContent = word;
    this.state.className = `call-state ${className}`;
  }
}

/**
 * @param {"same" | "removed" | "added"} kind
 * @param {string} text
 */
function drawLine(kind, text) {
  if (kind === "same") return `  ${text}`;
  return kind === "removed" ? element("del", {}, `- ${text}`) : element("ins", {}, `+ ${text}`);
}
