import { RepriseError } from "../errors/reprise-error.ts";
import { narrowed, nonEmptyText, type Shape } from "../shape/shape.ts";

const MAX_ID_LENGTH = 256;

/** Refuses an id that is not safe as a file name, a key, a subject and a log line. Thread ids come from clients. */
export function assertId(what: string, id: string): void {
  const problem = findProblem(id);
  if (problem === undefined) return;
  throw new RepriseError("INVALID_ID", `The ${what} id ${JSON.stringify(id.slice(0, 80))} ${problem}.`);
}

/** The shape of an id that comes from outside. */
export const idText: Shape<string> = narrowed(
  nonEmptyText,
  (id) => {
    const problem = findProblem(String(id));
    return problem === undefined ? undefined : `the id ${JSON.stringify(String(id).slice(0, 80))} ${problem}`;
  },
  "INVALID_ID",
);

function findProblem(id: string): string | undefined {
  if (id === "") return "is empty";
  if (id.length > MAX_ID_LENGTH) return `is longer than ${MAX_ID_LENGTH} characters`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is refused here.
  if (/[\u0000-\u001f\u007f-\u009f]/.test(id)) return "has control characters";
  if (/[/\\]/.test(id) || id === "." || id === "..") return "looks like a path";
  if (!id.isWellFormed()) return "has half a character in it";
  if (id === "__proto__" || id === "constructor" || id === "prototype") return "is reserved";
  return undefined;
}
