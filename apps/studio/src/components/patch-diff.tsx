import type { ReactNode } from "react";
import type { StateChange } from "../log/diff-state.ts";
import { classNames } from "../parts/class-names.ts";

const LOOKS = {
  added: ["+", "added", "bg-good-ground text-good"],
  removed: ["−", "removed", "bg-bad-ground text-bad"],
  changed: ["~", "changed", "bg-wait-ground text-wait"],
} as const;

/** What changed in a state, path by path, with who changed it. */
export function PatchDiff({ changes }: { readonly changes: readonly StateChange[] }): ReactNode {
  return (
    <ul className="flex flex-col divide-y divide-line overflow-hidden rounded-md border border-line">
      {changes.map(({ path, kind, before, after, by }) => {
        const [sign, word, look] = LOOKS[kind];
        return (
          <li key={path.join("/")} className="flex flex-col gap-0.5 px-2 py-1.5">
            <p className="flex items-baseline gap-2">
              <span className={classNames("rounded-sm px-1 font-mono text-xs", look)}>
                <span aria-hidden="true">{sign}</span> {word}
              </span>
              <span className="min-w-0 flex-1 font-mono text-xs break-all">{path.join(" › ") || "everything"}</span>
              <span className="text-xs text-faint">{by}</span>
            </p>
            <p className="font-mono text-xs break-words">
              {before !== undefined && <del className="text-faint">{short(before)}</del>}
              {before !== undefined && after !== undefined && " → "}
              {after !== undefined && <span>{short(after)}</span>}
            </p>
          </li>
        );
      })}
    </ul>
  );
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}
