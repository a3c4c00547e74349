import type { ReactNode } from "react";

/** The outlines of the icons, on a grid of 16. */
const OUTLINES = {
  chat: "M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z",
  inbox: "M2 9.5 4 3h8l2 6.5v3.5H2zM2 9.5h3.5l1 1.5h3l1-1.5H14",
  runs: "M2.5 4h7M5 8h8.5M3.5 12h6",
  agents: "M5 6V3.5h6V6M3 6h10v7H3zM6 9v1M10 9v1",
  ops: "M2 13h12M4 13V8M7 13V4M10 13V6.5M13 13V2.5",
  flow: "M2.5 3h4v3h-4zM9.5 10h4v3h-4zM4.5 6v5.5h5",
  evals: "M6 2h4M6.8 2v4L3.2 12.4a1 1 0 0 0 .9 1.6h7.8a1 1 0 0 0 .9-1.6L9.2 6V2M4.8 10h6.4",
  check: "M3 8.5 6.5 12 13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  clock: "M8 4.5V8l2.5 1.5M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z",
  hand: "M5 8V4.5a1 1 0 0 1 2 0V3a1 1 0 0 1 2 0v1a1 1 0 0 1 2 0v5.5a4 4 0 0 1-7.5 2L3 9.5a1 1 0 0 1 2-1z",
  dot: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6z",
  stop: "M4.5 4.5h7v7h-7z",
  ban: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM4 4l8 8",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.5 10.5 14 14",
  chevron: "M6 4l4 4-4 4",
  down: "M4 6l4 4 4-4",
  copy: "M5.5 5.5h7v8h-7zM3.5 10.5v-8h7",
  fork: "M4 3v10M4 10c0-3 7-2 7-5V3M2.5 3h3M9.5 3h3",
  retry: "M12.5 5.5A5.2 5.2 0 1 0 13 9M13 2.5v3.5H9.5",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  clip: "M11.5 7 7.3 11.2a2.2 2.2 0 0 1-3.1-3.1l5-5a1.6 1.6 0 0 1 2.2 2.2l-5 5",
  edit: "M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3z",
  send: "M2.5 8h10M8.5 4l4 4-4 4",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  panel: "M2.5 3h11v10h-11zM10 3v10",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z",
  tool: "M10 2.5a3 3 0 0 0-2.8 4L2.5 11.2 4.8 13.5l4.7-4.7a3 3 0 0 0 3.8-3.9l-1.9 1.9-1.8-.4-.4-1.8z",
  spark: "M8 2l1.5 4.5L14 8l-4.5 1.5L8 14l-1.5-4.5L2 8l4.5-1.5z",
  person: "M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8zM3 13.5c.6-2.5 2.6-3.7 5-3.7s4.4 1.2 5 3.7",
  trash: "M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5 5 13.5h6l.5-9",
  download: "M8 2.5v8M4.5 7.5 8 11l3.5-3.5M3 13.5h10",
  warning: "M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 11.8v.2",
  shield: "M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4zM5.8 8l1.6 1.6L10.4 6.5",
  compare: "M3 3h4v10H3zM9 3h4v10H9z",
  bolt: "M9 1.5 3.5 9H8l-1 5.5L12.5 7H8z",
  link: "M6.5 9.5l3-3M7 4.8l1.4-1.4a2.6 2.6 0 0 1 3.7 3.7L10.7 8.5M9 11.2l-1.4 1.4a2.6 2.6 0 0 1-3.7-3.7L5.3 7.5",
} as const;

export type IconName = keyof typeof OUTLINES;

/** A small picture beside a word. It says nothing by itself, so it is hidden from screen readers. */
export function Icon({
  name,
  size = 16,
  className = "",
}: {
  readonly name: IconName;
  readonly size?: number;
  readonly className?: string;
}): ReactNode {
  return (
    <svg
      aria-hidden="true"
      className={`shrink-0 ${className}`}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={OUTLINES[name]} />
    </svg>
  );
}
