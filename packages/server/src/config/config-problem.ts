import { RepriseError } from "@reprise/contracts";
import type { ShapePath, ShapeProblem } from "@reprise/contracts/shape";
import { formatPath, nameOf } from "./config-path.ts";

/** One thing that is wrong with a configuration. */
export interface ConfigProblem {
  /** Where, as in `agents[3].model`; empty for the document itself. */
  readonly path: string;
  /** A sentence that can stand alone. Never holds a secret. */
  readonly message: string;
}

/** A problem at a path, as a sentence that begins with the name of the path. */
export function problemAt(path: ShapePath, says: string): ConfigProblem {
  return { path: formatPath(path), message: `${nameOf(path)}${says}` };
}

/** A problem of a shape. The value is described by its type alone, because anything in a configuration may be a secret. */
export function describeProblem({ path, says, found }: ShapeProblem): ConfigProblem {
  return problemAt(path, found?.type === undefined ? says : `${says} (got ${found.type})`);
}

/** `CONFIG_INVALID` with every problem, in its details and in its message. */
export function configInvalid(problems: readonly ConfigProblem[]): RepriseError {
  const count = problems.length === 1 ? "One thing is" : `${problems.length} things are`;
  const lines = problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  return new RepriseError("CONFIG_INVALID", `${count} wrong with the configuration:\n${lines.join("\n")}`, {
    details: { problems },
  });
}

/** The problems of a `CONFIG_INVALID`; none for any other error. */
export function problemsOf(error: unknown): readonly ConfigProblem[] {
  if (!RepriseError.is(error, "CONFIG_INVALID")) return [];
  // Made by `configInvalid` alone.
  return error.details.problems as readonly ConfigProblem[];
}

/** Makes something of a configuration, or tells why that cannot be. */
export function attempt<Result>(make: () => Result): Attempt<Result> {
  try {
    return { result: make(), problems: [] };
  } catch (error) {
    const problems = problemsOf(error);
    if (problems.length === 0) throw error;
    return { problems };
  }
}

/** What came of an attempt. There is a result exactly when there are no problems. */
export interface Attempt<Result> {
  readonly result?: Result;
  readonly problems: readonly ConfigProblem[];
}
