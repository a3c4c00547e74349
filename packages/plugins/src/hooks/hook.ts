import { describeThrown, type Egress } from "@reprise/contracts";
import {
  flag,
  listOf,
  narrowed,
  needed,
  nonEmptyText,
  objectOf,
  oneOf,
  optional,
  recordOf,
  type Shape,
  text,
  wholeNumberFrom,
  withOneOf,
} from "@reprise/contracts/shape";
import { getAt, type Json, parseJson } from "@reprise/state";
import { findPatternProblem } from "../tool-pattern/tool-pattern.ts";
import { MAX_ANSWER_BYTES, runCommand } from "./run-command.ts";

/** A program or an address that is asked about calls. Exactly one of `command` and `url`. */
export interface Hook {
  /** Shown in events and to the model. */
  readonly name: string;
  /** Which calls it is asked about, in the patterns of permission rules: `*`, `send_*`, `Bash(rm *)`. Every call unless given. */
  readonly tool?: string;
  /** A program with its arguments. It is started without a shell and reads the call from its standard input. */
  readonly command?: readonly string[];
  /** An address that gets the call as the body of a POST. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The name of the host in `url` may lead into a private network. IP addresses and `localhost` always may. */
  readonly allowPrivateHost?: boolean;
  /** Environment variables that the program gets, by name. Without it only `PATH`, `LANG`, `LC_ALL`, `TZ` and `HOME`. */
  readonly environment?: readonly string[];
  /** How long it may take, at most 25 seconds. 10 seconds unless given. */
  readonly timeoutMs?: number;
}

export interface PreToolHook extends Hook {
  /**
   * The decision when the hook gives no answer. Default: `deny`, and `allow` for read-only tools. Destructive tools are always
   * denied then.
   */
  readonly onFailure?: "allow" | "deny";
}

/** A hook as it is stored. */
export interface StoredHook {
  readonly name: string;
  readonly tool?: string;
  readonly command?: readonly string[];
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly allow_private_host?: boolean;
  readonly environment?: readonly string[];
  readonly timeout_ms?: number;
  readonly on_failure?: "allow" | "deny";
}

/** The runtime gives a plugin 30 seconds for all of its hooks. */
const MOST_MS = 25_000;
const DEFAULT_MS = 10_000;

const address: Shape<string> = narrowed(nonEmptyText, (url) => {
  const { protocol = "" } = URL.parse(String(url)) ?? {};
  return ["http:", "https:"].includes(protocol) ? undefined : "it must be an http(s) address";
});
const command: Shape<readonly string[]> = narrowed(listOf(text), (words) =>
  Array.isArray(words) && words[0] !== "" && words.length > 0 ? undefined : "it must begin with a program",
);
const timeout: Shape<number> = narrowed(wholeNumberFrom(1), (ms) =>
  Number(ms) <= MOST_MS ? undefined : `it must be at most ${MOST_MS}`,
);

export const hookShape: Shape<StoredHook> = withOneOf(
  objectOf<StoredHook>({
    name: needed(nonEmptyText, "The name of the hook in events, and for the model."),
    tool: optional(
      narrowed(nonEmptyText, findPatternProblem),
      "Which calls it is asked about: a pattern as in permission rules. All unless given.",
    ),
    command: optional(command, "A program with its arguments, started without a shell."),
    url: optional(address, "An address that gets the call as the body of a POST."),
    headers: optional(recordOf(text), "Headers of the POST."),
    allow_private_host: optional(flag, "The name of the host may lead into a private network."),
    environment: optional(listOf(nonEmptyText), "Environment variables that the program gets, by name."),
    timeout_ms: optional(timeout, "How long it may take, at most 25000. 10000 unless given."),
    on_failure: optional(
      oneOf("allow", "deny"),
      "What becomes of a call when the hook gives no answer. Before a call only.",
    ),
  }),
  "command",
  "url",
);

/** The answer of a hook, or the fact that it gave none. A type, not an interface, so that it is JSON. */
export type HookAnswer = {
  readonly decision: "allow" | "deny" | "ask" | "failed";
  readonly reason?: string;
  /** The text that the model reads after the call. */
  readonly context?: string;
  readonly duration_ms: number;
};

/** Asks a hook. Never throws: no answer is an answer too. */
export async function askHook(
  hook: StoredHook,
  input: Json,
  { egress, signal }: { readonly egress?: Egress; readonly signal: AbortSignal },
): Promise<HookAnswer> {
  const startedAt = performance.now();
  const limit = AbortSignal.timeout(hook.timeout_ms ?? DEFAULT_MS);
  const either = AbortSignal.any([signal, limit]);
  const since = (): number => Math.round(performance.now() - startedAt);
  try {
    const said = await callHook(hook, JSON.stringify(input), either, egress);
    return { ...readAnswer(said), duration_ms: since() };
  } catch (error) {
    const problem = limit.aborted ? "it took too long" : describeThrown(error);
    return { decision: "failed", reason: `no answer: ${problem}`, duration_ms: since() };
  }
}

async function callHook(
  { command: words, url, headers = {}, environment = [], allow_private_host }: StoredHook,
  input: string,
  signal: AbortSignal,
  egress: Egress | undefined,
): Promise<string> {
  if (words !== undefined) return runCommand({ command: words, environment, input, signal });
  if (url === undefined || egress === undefined) throw new Error("this process has no way to the network");
  const { status, body } = await egress.send(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: input,
    signal,
    configured: new URL(url).origin,
    ...(allow_private_host === true && { isPrivate: true }),
  });
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > MAX_ANSWER_BYTES) throw new Error(`it sent more than ${MAX_ANSWER_BYTES} bytes`);
    pieces.push(piece);
  }
  if (status < 200 || status > 299) throw new Error(`it answered with status ${status}`);
  return Buffer.concat(pieces).toString("utf8");
}

const DECISIONS = ["allow", "deny", "ask"] as const;
/** The longest text of a hook that people and the model get to read. */
const MAX_TEXT = 4_000;

/** Nothing said is an allowance; anything that is not an answer is no answer. */
function readAnswer(said: string): Omit<HookAnswer, "duration_ms"> {
  if (said.trim() === "") return { decision: "allow" };
  const answer = parseJson(said);
  const given = getAt(answer, ["decision"]) ?? "allow";
  const decision = DECISIONS.find((word) => word === given);
  if (decision === undefined || typeof answer !== "object" || answer === null || Array.isArray(answer)) {
    throw new Error(`it must answer with { "decision": ${DECISIONS.map((word) => `"${word}"`).join(" | ")} }`);
  }
  const texts = (["reason", "context"] as const).flatMap((key) => {
    const value = getAt(answer, [key]);
    return typeof value === "string" ? [[key, value.slice(0, MAX_TEXT).toWellFormed()] as const] : [];
  });
  return { decision, ...Object.fromEntries(texts) };
}
