import { button, element, pretty } from "./elements.js";

/**
 * How a call is decided.
 *
 * @typedef {{ action: "approve" | "deny" | "edit", arguments?: unknown }} Verb
 * @typedef {{ binding_hash: string, suspension: number, ticket?: { suspension?: { message?: string } } }} Question
 */

/** A tool call on the page: what it is called with, how far it is, what came of it, and the question when it asks one. */
export class ToolCallView {
  /**
   * @param {string} name
   * @param {(verb: Verb, question: Question) => Promise<void>} decide
   */
  constructor(name, decide) {
    this.name = name;
    this.decide = decide;
    /** @type {unknown} */
    this.arguments = undefined;
    this.text = "";
    this.brief = element("span", { class: "call-brief" });
    this.state = element("span", { class: "call-state" }, "preparing");
    this.input = element("pre", { tabindex: "0", "aria-label": `Arguments of ${name}` });
    this.outputTitle = element("h3", { hidden: "" }, "Result");
    this.output = element("pre", { tabindex: "0", hidden: "", "aria-label": `Result of ${name}` });
    this.bar = element("progress", { "aria-label": `How far ${name} is` });
    this.step = element("span");
    this.progress = element("div", { class: "call-progress", hidden: "" }, this.bar, this.step);
    this.question = element("div", { class: "question", hidden: "" });
    this.details = element(
      "details",
      {},
      element("summary", { class: "call-head" }, element("span", { class: "call-name" }, name), this.brief, this.state),
      element("div", { class: "call-body" }, element("h3", {}, "Arguments"), this.input, this.outputTitle, this.output),
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

  /** @param {{ progress?: number, total?: number, message?: string }} content */
  setProgress({ progress, total, message }) {
    this.progress.hidden = false;
    if (typeof total === "number") this.bar.max = total;
    if (typeof progress === "number") this.bar.value = progress;
    this.step.textContent = message ?? "";
  }

  /** It goes on after a decision. */
  resume() {
    this.close();
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
    this.setState("waits for you", "waits");
    this.root.classList.add("waits");
    // What is decided about is in sight, all of it.
    this.details.open = true;
    const message = question.ticket?.suspension?.message ?? `May ${this.name} run with these arguments?`;
    const approve = button("Approve", "button primary", () => this.answer({ action: "approve" }, question));
    const deny = button("Deny", "button danger", () => this.answer({ action: "deny" }, question));
    const edit = button("Edit …", "button", () => this.edit(question));
    this.question.replaceChildren(element("p", {}, message), element("div", { class: "actions" }, approve, deny, edit));
    this.question.hidden = false;
  }

  /** @param {Question} question */
  edit(question) {
    const field = element("textarea", { "aria-label": `New arguments of ${this.name}`, spellcheck: "false" });
    field.value = pretty(this.arguments);
    const problem = element("p", { role: "alert" });
    const run = button("Run with these", "button primary", () => {
      try {
        void this.answer({ action: "edit", arguments: JSON.parse(field.value) }, question);
      } catch {
        problem.textContent = "This is no JSON.";
      }
    });
    const back = button("Back", "button", () => this.ask(question));
    this.question.replaceChildren(field, problem, element("div", { class: "actions" }, run, back));
    field.focus();
    this.question.scrollIntoView({ block: "nearest" });
  }

  /**
   * @param {Verb} verb
   * @param {Question} question
   */
  async answer(verb, question) {
    const buttons = [...this.question.querySelectorAll("button")];
    for (const each of buttons) each.disabled = true;
    try {
      await this.decide(verb, question);
      this.close();
    } catch (error) {
      // Said where it was asked; the question is open again.
      for (const each of buttons) each.disabled = false;
      const problem = this.question.querySelector("[role=alert]");
      if (problem !== null && error instanceof Error) problem.textContent = error.message;
    }
  }

  /** Nothing is asked any more. */
  close() {
    if (!this.question.hidden) this.details.open = false;
    this.question.hidden = true;
    this.question.replaceChildren();
    this.root.classList.remove("waits");
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
