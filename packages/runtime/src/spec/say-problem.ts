import { type ShapeProblem, toAuthorWords } from "@reprise/contracts/shape";

/** A problem of a spec as a sentence that begins with its field: `` `stop_condition_specs`[0].rounds is required ``. */
export function sayProblem({ path, says, found }: ShapeProblem): string {
  const [field = "", ...rest] = path;
  const inside = rest.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
  return `\`${field}\`${inside}${says}${found === undefined ? "" : ` (got ${found.value})`}`;
}

/** The same in the words of an author, whose options are in camelCase. */
export function sayAuthorProblem(problem: ShapeProblem): string {
  return sayProblem(toAuthorWords(problem));
}

/** The words for the problems of a document: those it is written in. */
export function wordsOf(document: unknown): (problem: ShapeProblem) => string {
  const names = typeof document === "object" && document !== null ? Object.keys(document) : [];
  const isCamelCase = (name: string | number): boolean => /^[a-z0-9]+[A-Z]/.test(String(name));
  return (problem) => ([...names, ...problem.path].some(isCamelCase) ? sayAuthorProblem(problem) : sayProblem(problem));
}
