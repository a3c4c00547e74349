import type { BackendOutcome, BackendQuestion, BackendRun, Termination } from "@reprise/contracts";
import { isPlainObject } from "@reprise/contracts/shape";
import type {
  A2aArtifact,
  A2aMessage,
  A2aPart,
  A2aStreamItem,
  A2aTaskState,
  A2aTaskStatus,
} from "@reprise/protocols/a2a";
import type { Json } from "@reprise/state";

/** The text of a task may grow to this; a longer one is refused. */
const MAX_TEXT = 4_000_000;
/** A file that is longer than this, as a URL, is not shown. */
const MAX_SHOWN_FILE = 262_144;

/**
 * A task as its updates tell it. Text is shown as it comes; an artifact that comes again after the connection was lost is shown from where
 * it had got to.
 */
export class FollowedTask {
  readonly #reader: Pick<BackendRun, "showText" | "show">;
  /** The artifacts whose files were shown. */
  readonly #files = new Set<string>();
  /** The texts of the artifacts, in the order in which they began. */
  readonly #texts = new Map<string, string>();
  readonly #answered: ReadonlySet<string>;
  #shown = "";
  #status: A2aTaskStatus | undefined;
  #answer: A2aMessage | undefined;
  id: string | undefined;
  contextId: string | undefined;

  /** `answered` are questions that the agent gets answers to: it is at work on them, even where its task still asks. */
  constructor(reader: Pick<BackendRun, "showText" | "show">, answered: readonly AskedQuestion[] = []) {
    this.#reader = reader;
    this.#answered = new Set(answered.map(keyOf));
  }

  take(item: A2aStreamItem): void {
    if ("task" in item) {
      const { id, contextId, status, artifacts = [] } = item.task;
      this.#know(id, contextId);
      for (const artifact of artifacts) this.#put(artifact, false);
      this.#status = status;
    } else if ("statusUpdate" in item) {
      const { taskId, contextId, status } = item.statusUpdate;
      this.#know(taskId, contextId);
      this.#status = status;
    } else if ("artifactUpdate" in item) {
      const { taskId, contextId, artifact, append } = item.artifactUpdate;
      this.#know(taskId, contextId);
      this.#put(artifact, append === true);
    } else if ("message" in item) {
      this.#answer = item.message;
      this.contextId = item.message.contextId ?? this.contextId;
    }
  }

  /** How the task stands: what the run comes to, or undefined while the agent works. */
  get outcome(): BackendOutcome | undefined {
    if (this.#answer !== undefined) return { termination: { type: "natural_end" }, text: this.#finish(this.#answer) };
    const status = this.#status;
    const termination = status === undefined ? undefined : terminationOf(status);
    if (status === undefined || termination === undefined) return undefined;
    if (termination.type !== "suspended") return { termination, text: this.#finish(status.message) };
    const questions = questionsOf(this.id ?? "", status);
    const isOpen = questions.some((question) => !this.#answered.has(keyOf(question)));
    return isOpen ? { termination, text: this.#text, questions } : undefined;
  }

  #know(id: string, contextId: string): void {
    this.id = id;
    this.contextId = contextId;
  }

  #put({ artifactId, parts = [] }: A2aArtifact, append: boolean): void {
    this.#showFiles(artifactId, parts);
    const before = append ? (this.#texts.get(artifactId) ?? "") : "";
    this.#texts.set(artifactId, before + textOf(parts));
    const text = this.#text;
    if (text.length > MAX_TEXT) throw new Error("The answer of the remote agent is too long.");
    // Text that was replaced cannot be taken back from readers; they get the whole with the end of the step.
    if (!text.startsWith(this.#shown)) return;
    if (text.length > this.#shown.length) this.#reader.showText(text.slice(this.#shown.length));
    this.#shown = text;
  }

  /** Shows the files of an artifact, once: a task that is read again has them all again. */
  #showFiles(artifactId: string, parts: readonly A2aPart[]): void {
    for (const [index, { url, raw, filename, mediaType = "application/octet-stream" }] of parts.entries()) {
      const message_id = index === 0 ? artifactId : `${artifactId}-${index}`;
      const address = url ?? (raw === undefined ? undefined : `data:${mediaType};base64,${raw}`);
      if (address === undefined || address.length > MAX_SHOWN_FILE || this.#files.has(message_id)) continue;
      this.#files.add(message_id);
      const content = { url: address, media_type: mediaType, ...(filename !== undefined && { filename }) };
      this.#reader.show({ type: "activity_snapshot", data: { message_id, activity_type: "file", content } });
    }
  }

  get #text(): string {
    return [...this.#texts.values()].filter((text) => text !== "").join("\n\n");
  }

  /** The text of a task that is over. An agent that makes no artifacts answers with the message of its status. */
  #finish(message: A2aMessage | undefined): string {
    const text = this.#text;
    const said = textOf(message?.parts ?? []);
    if (text !== "" || said === "") return text;
    this.#reader.showText(said);
    return said;
  }
}

/** A question as far as it is told apart from others: one that is asked again has another number. */
type AskedQuestion = Pick<BackendQuestion, "id" | "parameters">;

function keyOf({ id, parameters }: AskedQuestion): string {
  return JSON.stringify([id, isPlainObject(parameters) ? (parameters.suspension ?? null) : null]);
}

/** The text of parts. Structured data is its JSON, and a file its address. */
function textOf(parts: readonly A2aPart[]): string {
  return parts.map(({ text, data, url }) => text ?? (data === undefined ? (url ?? "") : JSON.stringify(data))).join("");
}

function terminationOf({ state, message }: A2aTaskStatus): Termination | undefined {
  const said = textOf(message?.parts ?? []);
  switch (state satisfies A2aTaskState) {
    case "TASK_STATE_SUBMITTED":
    case "TASK_STATE_WORKING":
      return undefined;
    case "TASK_STATE_COMPLETED":
      return { type: "natural_end" };
    case "TASK_STATE_CANCELED":
      return { type: "cancelled", ...(said !== "" && { detail: said }) };
    case "TASK_STATE_INPUT_REQUIRED":
    case "TASK_STATE_AUTH_REQUIRED":
      return { type: "suspended" };
    case "TASK_STATE_REJECTED":
      return { type: "stopped", value: { code: "rejected", ...(said !== "" && { detail: said }) } };
    case "TASK_STATE_FAILED":
      return {
        type: "error",
        value: said === "" ? `The remote task ended as ${state}.` : said,
        code: "BACKEND_FAILED",
      };
    default:
      return { type: "error", value: `The remote task is in the unknown state ${JSON.stringify(state)}.` };
  }
}

/** The data part in which agents of Reprise describe a question. */
interface DescribedQuestion {
  readonly target_id: string;
  readonly action: string;
  readonly words?: string;
  readonly fields: { readonly [key: string]: Json };
}

/** The questions of a task. Those of agents that describe theirs are told apart; any other agent has one, in words. */
function questionsOf(taskId: string, { state, message }: A2aTaskStatus): readonly BackendQuestion[] {
  const parts = message?.parts ?? [];
  const described = parts.flatMap(({ data }, index) => readQuestion(data, parts[index - 1]?.text));
  if (described.length > 0) {
    return described.map(({ target_id, action, words, fields }) => ({
      id: target_id,
      action,
      ...(words !== undefined && { message: words }),
      parameters: { task_id: taskId, described: true, ...fields },
    }));
  }
  const id = `${taskId}:${message?.messageId ?? state}`;
  const words = textOf(parts);
  const action = state === "TASK_STATE_AUTH_REQUIRED" ? "remote_sign_in" : "remote_input";
  return [
    { id, action, message: words === "" ? "The remote agent needs input." : words, parameters: { task_id: taskId } },
  ];
}

function readQuestion(data: Json | undefined, words: string | undefined): readonly DescribedQuestion[] {
  const question = isPlainObject(data) ? data.question : undefined;
  if (!isPlainObject(question)) return [];
  const { target_id, action, binding_hash, suspension, ...fields } = question;
  if (typeof target_id !== "string" || target_id === "" || typeof action !== "string" || action === "") return [];
  const bound = {
    ...(binding_hash !== undefined && { binding_hash }),
    ...(suspension !== undefined && { suspension }),
  };
  // Parsed from JSON.
  const json = { ...fields, ...bound } as { readonly [key: string]: Json };
  return [{ target_id, action, ...(words !== undefined && { words }), fields: json }];
}
