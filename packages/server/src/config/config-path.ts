import type { ShapePath } from "@reprise/contracts/shape";

/** A way into a configuration as people read it: `agents[3].model`. */
export function formatPath(path: ShapePath): string {
  return path.reduce<string>((before, part) => {
    if (typeof part === "number") return `${before}[${part}]`;
    const isPlain = /^[\w$-]+$/.test(part);
    return isPlain ? `${before}${before === "" ? "" : "."}${part}` : `${before}[${JSON.stringify(part)}]`;
  }, "");
}

/** Names a path in a sentence: by its last key, or by its number in the list that has one. */
export function nameOf(path: ShapePath): string {
  const last = path.findLastIndex((part) => typeof part === "string");
  if (last < 0) return "The configuration";
  return `\`${path[last]}${path
    .slice(last + 1)
    .map((index) => `[${index}]`)
    .join("")}\``;
}

/** Whether one formatted path is the same as another, or leads into it. */
export function isWithin(path: string, other: string): boolean {
  const rest = path.startsWith(other) ? path.slice(other.length) : "none";
  return rest === "" || rest.startsWith(".") || rest.startsWith("[");
}
