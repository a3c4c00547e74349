import { notFound, type RepriseError, toRepriseError } from "@reprise/contracts";
import type { Runtime } from "@reprise/runtime";
import type { Json, JsonObject } from "@reprise/state";
import type { Config } from "../config.ts";
import type { ConfigPorts } from "../config-ports.ts";
import { attempt, type ConfigProblem } from "../config-problem.ts";
import { redact } from "../secrets.ts";
import { deleteEntry, putEntry } from "./change-entry.ts";
import { ConfigInForce } from "./config-in-force.ts";
import { type ConfigChange, loadHistory } from "./entry-history.ts";
import { entryOf, idsOf } from "./overlay.ts";
import { createSealer, type EntryName } from "./seal-entry.ts";
import type { ConfigKind } from "./stored-entries.ts";

/** An entry of the configuration as it can be shown. */
export interface ConfigEntry {
  readonly id: string;
  readonly source: "file" | "stored";
  /** Of the stored entry; 0 for one of the file. */
  readonly revision: number;
  /** Without secrets. */
  readonly body: Json;
  /** Why a stored entry does not count at present. */
  readonly problems?: readonly ConfigProblem[];
}

/** The whole configuration as it can be shown. */
export interface ShownConfig {
  /** Higher with every change. */
  readonly revision: number;
  /** Without secrets. */
  readonly config: Json;
  /** Stored entries that do not fit at present. */
  readonly left_out: readonly (ConfigEntry & { readonly kind: ConfigKind })[];
}

export interface ChangeOptions {
  /** Refuses the change, with `REVISION_CONFLICT`, unless the stored entry has this revision; 0: unless there is none. */
  readonly ifRevision?: number;
  /** Who makes the change, for the history. */
  readonly by?: string;
}

/**
 * A configuration that is changed while it runs: stored entries lie over the file's, by id.
 *
 * - A change is checked as part of the whole; when anything is wrong nothing is stored (`CONFIG_INVALID`).
 * - What is stored counts for the next run in this process at once, in others within `pollMs`. Runs at work keep what they have.
 * - A stored entry that does not fit any more is reported and left out.
 */
export interface LiveConfig {
  show(): Promise<ShownConfig>;
  list(kind: ConfigKind): Promise<readonly ConfigEntry[]>;
  /** `CONFIG_NOT_FOUND` when there is none. */
  get(kind: ConfigKind, id: string): Promise<ConfigEntry>;
  put(kind: ConfigKind, id: string, body: JsonObject, options?: ChangeOptions): Promise<ConfigEntry>;
  /** Takes a stored entry away; one of the file under it counts again. */
  delete(kind: ConfigKind, id: string, options?: ChangeOptions): Promise<void>;
  /** The last 20 changes of an entry, newest first. `CONFIG_NOT_FOUND` when there is and was none. */
  history(kind: ConfigKind, id: string): Promise<readonly ConfigChange[]>;
  /** What is wrong with a whole configuration, here and now. Stores nothing. */
  validate(draft: unknown): readonly ConfigProblem[];
  /** Looks no more for what others changed. */
  close(): void;
}

export interface LiveConfigOptions {
  readonly runtime: Runtime;
  /** What the file says. */
  readonly base: Config;
  readonly ports: ConfigPorts;
  /**
   * Seals stored entries that hold secrets: 32 bytes in base64. Without a key such entries are refused; secrets can be named then,
   * as `{ kind: "env" }`.
   */
  readonly secretKey?: string;
  /** How often to look whether another process changed something. 2 s. */
  readonly pollMs?: number;
  /** Told of stored entries that do not fit, and of a store that does not answer. Printed to the console unless given. */
  readonly onProblem?: (problem: RepriseError) => void;
}

const POLL_MS = 2_000;

/** Lays the stored changes over the file, and keeps doing so. Throws `CONFIG_INVALID` when the file alone is wrong. */
export async function openLiveConfig(options: LiveConfigOptions): Promise<LiveConfig> {
  const { pollMs = POLL_MS, onProblem = (problem) => console.error(problem.message) } = options;
  const { secretKey, ...others } = options;
  const sealer = await createSealer(secretKey);
  const config = new ConfigInForce({ ...others, onProblem, sealer });
  const inTurn = createQueue();
  const look = createLook(() => inTurn(() => config.catchUp()), onProblem);
  await look();
  const timer: unknown = setInterval(() => void look(), pollMs);
  // Only Node has `unref`: the timer must not keep the process alive.
  if (hasUnref(timer)) timer.unref();
  const looking = <Result>(read: () => Result | Promise<Result>): Promise<Result> =>
    inTurn(() => config.catchUp().then(read));
  return {
    show: () => looking(() => showConfig(config)),
    list: (kind) => looking(() => listEntries(config, kind)),
    get: (kind, id) => looking(() => describeEntry(config, kind, id)),
    put: (kind, id, body, expected) =>
      inTurn(async () => {
        await putEntry(config, { kind, id, ...expected }, body);
        return describeEntry(config, kind, id);
      }),
    delete: (kind, id, expected) => inTurn(() => deleteEntry(config, { kind, id, ...expected })),
    history: (kind, id) => looking(() => listChanges(config, { kind, id })),
    validate: (draft) => attempt(() => config.check(draft)).problems,
    // What `setInterval` returned, whatever it is on this platform.
    close: () => clearInterval(timer as Parameters<typeof clearInterval>[0]),
  };
}

/** One thing at a time: no look comes between a change and its effect. */
function createQueue(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const next = last.then(task, task);
    last = next.catch(() => undefined);
    return next;
  };
}

/** A poll that never fails. A store that is away stays away for a while, so it is logged once. */
function createLook(look: () => Promise<void>, onProblem: (problem: RepriseError) => void): () => Promise<void> {
  let told = "";
  let isLooking = false;
  return async () => {
    // A store that takes its time must not be asked ever more.
    if (isLooking) return;
    isLooking = true;
    try {
      await look();
      told = "";
    } catch (error) {
      const problem = toRepriseError(error);
      if (problem.message !== told) onProblem(problem);
      told = problem.message;
    } finally {
      isLooking = false;
    }
  };
}

function hasUnref(timer: unknown): timer is { unref(): void } {
  return typeof timer === "object" && timer !== null && "unref" in timer;
}

/** An entry as it can be shown; `CONFIG_NOT_FOUND` when there is none. */
function describeEntry(config: ConfigInForce, kind: ConfigKind, id: string): ConfigEntry {
  const { fitted } = config;
  const stored = config.find(kind, id);
  if (stored !== undefined) {
    const { problems } = fitted.leftOut.find(({ entry }) => entry === stored) ?? {};
    const entry = { id, source: "stored", revision: stored.revision, body: redact(stored.body) } as const;
    return problems === undefined ? entry : { ...entry, problems };
  }
  const body = entryOf(fitted.config, kind, id);
  if (body === undefined) throw notFound("CONFIG_NOT_FOUND", `entry of ${kind}`, id);
  return { id, source: "file", revision: 0, body: show(body) };
}

function listEntries(config: ConfigInForce, kind: ConfigKind): readonly ConfigEntry[] {
  const stored = config.stored.filter((entry) => entry.kind === kind).map(({ id }) => id);
  const ids = new Set([...idsOf(config.fitted.config, kind), ...stored]);
  return [...ids].map((id) => describeEntry(config, kind, id));
}

async function listChanges(config: ConfigInForce, entry: EntryName): Promise<readonly ConfigChange[]> {
  const changes = await loadHistory(config.documents, entry, config.sealer);
  // Throws for an entry that never was.
  if (changes.length === 0) describeEntry(config, entry.kind, entry.id);
  return changes;
}

function showConfig(config: ConfigInForce): ShownConfig {
  const left_out = config.fitted.leftOut.map(({ entry: { kind, id } }) => ({
    kind,
    ...describeEntry(config, kind, id),
  }));
  return { revision: config.number, config: show(config.fitted.config), left_out };
}

/** Configurations are JSON, which their interfaces hide from the compiler. */
function show(part: object): Json {
  return redact(part as Json);
}
