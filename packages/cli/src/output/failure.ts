import { EXIT_CODES, type ExitCode } from "./exit-code.ts";

/** One thing of several that are wrong. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

export interface FailureOptions {
  readonly exitCode?: ExitCode;
  readonly code?: string;
  /** What to do about it, as a sentence. */
  readonly remedy?: string | undefined;
  readonly problems?: readonly Problem[];
  readonly cause?: unknown;
}

/** Why a command ends without having done what it was asked to, in words for people. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly remedy: string | undefined;
  readonly problems: readonly Problem[];

  constructor(message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? EXIT_CODES.failed;
    this.code = options.code ?? "FAILED";
    this.remedy = options.remedy;
    this.problems = options.problems ?? [];
  }
}

/** The command line is wrong. */
export function usageFailure(message: string, remedy?: string): CommandFailure {
  return new CommandFailure(message, { exitCode: EXIT_CODES.misused, code: "USAGE", remedy });
}
