import type { Path } from "./path.ts";

const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/** Writes a path for people: `$.users[0].name`, `$["a key"]`. */
export function formatPath(path: Path): string {
  let text = "$";
  for (const segment of path) {
    if (typeof segment === "number") text += `[${segment}]`;
    // An error must be able to name the place also when that is what is wrong with it.
    else if (typeof segment !== "string") text += "[?]";
    else text += PLAIN_KEY.test(segment) ? `.${segment}` : `[${JSON.stringify(segment)}]`;
  }
  return text;
}

/** Writes a path as a JSON Pointer (RFC 6901). */
export function toJsonPointer(path: Path): string {
  return path.map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
