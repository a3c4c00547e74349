import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";
import { Icon, type IconName } from "./icon.tsx";

type Tone = "good" | "bad" | "wait" | "run" | "faint";

const TONES: Readonly<Record<Tone, string>> = {
  good: "text-good",
  bad: "text-bad",
  wait: "text-wait",
  run: "text-run",
  faint: "text-faint",
};

const LOOKS: Readonly<Record<string, readonly [Tone, IconName]>> = {
  preparing: ["faint", "dot"],
  queued: ["faint", "clock"],
  running: ["run", "dot"],
  working: ["run", "dot"],
  "needs approval": ["wait", "hand"],
  "waiting for model": ["wait", "clock"],
  waiting: ["wait", "clock"],
  done: ["good", "check"],
  failed: ["bad", "cross"],
  denied: ["bad", "ban"],
  expired: ["bad", "clock"],
  superseded: ["faint", "ban"],
  cancelled: ["faint", "ban"],
  skipped: ["faint", "ban"],
  "not started": ["faint", "dot"],
  ready: ["good", "check"],
  idle: ["faint", "clock"],
  connecting: ["run", "dot"],
  warning: ["wait", "warning"],
  "needs authorization": ["wait", "hand"],
  passed: ["good", "check"],
  warned: ["wait", "warning"],
  worse: ["bad", "cross"],
  removed: ["wait", "minus"],
  better: ["good", "check"],
  added: ["run", "plus"],
  same: ["faint", "dot"],
  verified: ["good", "shield"],
  diverged: ["bad", "warning"],
};

/** A status: its icon, its word, its colour. */
export function Status({
  word,
  children,
  className,
}: {
  readonly word: string;
  readonly children?: ReactNode;
  readonly className?: string;
}): ReactNode {
  const [tone, icon] = LOOKS[word] ?? ["faint", "dot"];
  return (
    <span className={classNames("inline-flex items-center gap-1 text-sm whitespace-nowrap", TONES[tone], className)}>
      <Icon name={icon} size={13} className={word === "running" || word === "working" ? "animate-pulse" : ""} />
      {children ?? word}
    </span>
  );
}
