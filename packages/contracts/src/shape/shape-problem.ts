/** A way into a document: keys and indexes. */
export type ShapePath = readonly (string | number)[];

/** Something that does not have its shape. */
export interface ShapeProblem {
  readonly path: ShapePath;
  /** The end of a sentence that begins with the path: ` is required`, `: a weight must be above 0`. */
  readonly says: string;
  /** The value that was found instead. Absent where it explains nothing. */
  readonly found?: Found;
  /** The error code of the rule that was broken, where it has one of its own. */
  readonly code?: string;
}

/** A value in words. */
export interface Found {
  /** For a short text or a number itself. Only for those to whom nothing in the document is a secret. */
  readonly value: string;
  /** The type of the value, without its content. Absent when the type was right. */
  readonly type?: string;
}

const LONGEST_SHOWN = 60;

/** Says what was wanted, and what is there; of what is at least of the right type, only to whom it can be shown. */
export function unfit(path: ShapePath, wanted: string, value: unknown, isRightType: boolean): ShapeProblem {
  // A number or a flag gives nothing away.
  const type = typeof value === "number" || typeof value === "boolean" ? String(value) : describeType(value);
  return { path, says: ` must be ${wanted}`, found: { value: describeValue(value), ...(!isRightType && { type }) } };
}

function describeValue(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value.length <= LONGEST_SHOWN ? JSON.stringify(value) : describeType(value);
}

/** Names the type of a value, without its content. */
export function describeType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  switch (typeof value) {
    case "string":
      return "a string";
    case "object":
      return "an object";
    default:
      return `a ${typeof value}`;
  }
}

/** A problem as a sentence that begins with its path: `messages[0].role must be one of user, assistant (got "admin")`. */
export function describeProblem({ path, says, found }: ShapeProblem): string {
  const at = path.reduce<string>((before, part) => {
    if (typeof part === "number") return `${before}[${part}]`;
    return before === "" ? part : `${before}.${part}`;
  }, "");
  return `${at}${says}${found === undefined ? "" : ` (got ${found.value})`}`;
}
