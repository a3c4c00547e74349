/** How a command ended, for scripts. */
export const EXIT_CODES = {
  ok: 0,
  failed: 1,
  /** The command line or the configuration is wrong. Nothing was done. */
  misused: 2,
  /** A run waits for a decision. */
  waiting: 3,
} as const;

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];
