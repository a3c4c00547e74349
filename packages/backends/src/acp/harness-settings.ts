/** A program that speaks ACP over its standard input and output, and how it is started. */
export interface AcpHarness {
  readonly command: string;
  readonly args?: readonly string[];
  /** The folder it works in, absolute. The folder of this process unless given. */
  readonly cwd?: string;
  /** Variables it gets beside those that are inherited. */
  readonly env?: Readonly<Record<string, string>>;
  /** The names of variables of this process that it inherits. Nothing else of the environment reaches it. */
  readonly inheritEnv?: readonly string[];
  /**
   * What happens to a run whose process was lost while it worked: `ask` asks a person, because a part of the work may be done; `again`
   * asks the agent again. `ask` unless given.
   */
  readonly afterLoss?: "ask" | "again";
  /** How long one turn may take until it ends or asks something: 30 minutes unless given. */
  readonly turnTimeoutMs?: number;
  /** How long the program may take to start and to open a session: 60 seconds unless given. */
  readonly startTimeoutMs?: number;
  /** How long a program stays alive while it waits for a decision: 15 minutes unless given. Then it is started again when the decision is there. */
  readonly idleTimeoutMs?: number;
  /** The longest answer in characters: 1,000,000 unless given. */
  readonly maxTextLength?: number;
}

/** What a program needs of an environment, and no key. */
const INHERITED: readonly string[] = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR", "SHELL"];

/** The environment of a harness. */
export function environmentOf(
  { env = {}, inheritEnv = INHERITED }: AcpHarness,
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const inherited = inheritEnv.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]] as const]));
  return { ...Object.fromEntries(inherited), ...env };
}
