import type { ReactNode } from "react";
import { pretty } from "../parts/format.ts";
import { diffLines } from "../text/diff-lines.ts";

/** Two JSON values line by line: what was taken away and what came. */
export function LineDiff({
  before,
  after,
  label,
}: {
  readonly before: unknown;
  readonly after: unknown;
  readonly label: string;
}): ReactNode {
  const lines = diffLines(pretty(before).split("\n"), pretty(after).split("\n"));
  return (
    <pre
      tabIndex={0}
      role="group"
      aria-label={label}
      className="overflow-x-auto rounded-md bg-side p-2.5 font-mono text-xs leading-5"
    >
      {lines.map(({ kind, text }, index) => {
        const key = `${index}-${kind}`;
        if (kind === "same") return <div key={key}>{`  ${text}`}</div>;
        const Tag = kind === "removed" ? "del" : "ins";
        const look = kind === "removed" ? "bg-bad-ground text-bad" : "bg-good-ground text-good";
        return (
          <Tag key={key} className={`block no-underline ${look}`}>
            {`${kind === "removed" ? "-" : "+"} ${text}`}
          </Tag>
        );
      })}
    </pre>
  );
}
