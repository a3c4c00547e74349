import type { Scenario } from "../model/scenario.ts";

type Turn = Scenario["scripts"][number][number];
type Call = Turn["calls"][number];
type Command = Scenario["commands"][number];

const SILENT: Turn = { text: "", calls: [], trouble: "none", slowMs: 0 };
const calls = (...asked: readonly Call[]): Turn => ({ ...SILENT, calls: asked });
const say = (policy: "continue" | "interrupt", turns = 0): Command => ({
  do: "say",
  at: 0,
  thread: 0,
  policy,
  priority: 0,
  turns,
});
const die = (point: "commit:before" | "tool:executed", skip = 0): Command => ({
  do: "trap",
  at: 0,
  point,
  skip,
  stop: "die",
  turns: 0,
});
const advance = (ms: number): Command => ({ do: "advance", ms, turns: 0 });
const approve = (turns = 0): Command => ({
  do: "decide",
  at: 0,
  pick: 0,
  verb: { action: "approve" },
  how: "now",
  turns,
});
const HOP: Command = { do: "hop", at: 0, pick: 0, back: 0, turns: 0 };
const CANCEL: Command = { do: "cancel", at: 0, pick: 0, turns: 0 };
const THAW: Command = { do: "thaw", turns: 0 };

const WORLD = {
  seed: 0,
  agent: { mode: "parallel_streaming", partial: "wait", readsEarly: false, isGuarded: false },
  processes: 2,
  latency: 0,
  isDeaf: false,
  verdicts: [{ action: "approve" }],
} as const satisfies Partial<Scenario>;

/** Histories whose replay once parted from them, each by a race: found by chance, kept so that nobody has to be lucky again. */
export const RACED_HISTORIES: readonly (readonly [why: string, scenario: Scenario])[] = [
  [
    "a decision that is found after a call was refused beside it",
    {
      ...WORLD,
      seed: 4911,
      latency: 3,
      scripts: [
        [
          { ...SILENT, text: "Well." },
          {
            ...calls(
              { tool: "look", label: 0, waitMs: 0 },
              { tool: "vote", label: 0, waitMs: 90_000 },
              { tool: "missing", label: 0, waitMs: 0 },
            ),
            trouble: "cut",
          },
          SILENT,
        ],
        [SILENT],
        [{ ...SILENT, trouble: "cut" }],
      ],
      commands: [
        say("continue", 2),
        say("continue", 5),
        die("tool:executed", 1),
        advance(13_000),
        die("commit:before"),
        approve(),
        { do: "kill", at: 0, turns: 6 },
      ],
      verdicts: [{ action: "edit", arguments: { label: "wrong" } }],
    },
  ],
  [
    "a cancellation that comes while the inbox is read",
    {
      ...WORLD,
      scripts: [
        [calls({ tool: "ask", label: 0, waitMs: 0 }, { tool: "tell", label: 0, waitMs: 300 })],
        [SILENT],
        [SILENT],
      ],
      commands: [say("continue"), approve(1), approve(), CANCEL, advance(4_000), approve(), THAW],
      verdicts: [{ action: "supply", result: { supplied: true } }],
    },
  ],
  [
    "a cancellation that comes right after the last result",
    {
      ...WORLD,
      scripts: [[calls({ tool: "look", label: 0, waitMs: 300 })], [SILENT], [{ ...SILENT, slowMs: 700 }]],
      commands: [say("continue"), { ...THAW, turns: 1 }, say("interrupt"), advance(1_000), CANCEL, advance(100)],
    },
  ],
  [
    "a cancellation that comes when the model has just ended",
    {
      ...WORLD,
      scripts: [
        [calls({ tool: "look", label: 0, waitMs: 300 }), { ...SILENT, slowMs: 700 }, { ...SILENT, trouble: "cut" }],
        [SILENT],
        [SILENT],
      ],
      commands: [
        say("continue"),
        advance(4_000),
        say("continue", 1),
        say("interrupt"),
        advance(13_000),
        die("commit:before"),
        HOP,
      ],
    },
  ],
  [
    "a cancellation that comes while a decision is found, which is then left",
    {
      ...WORLD,
      scripts: [
        [calls({ tool: "wait_for_answer", label: 0, waitMs: 0 }, { tool: "look", label: 0, waitMs: 90_000 })],
        [{ ...SILENT, slowMs: 700 }],
        [SILENT],
      ],
      commands: [
        say("continue"),
        { do: "flaky", at: 0, method: "decide", count: 1, isLate: false, turns: 1 },
        { do: "decide", at: 1, pick: 0, verb: { action: "supply", result: { supplied: true } }, how: "now", turns: 0 },
        say("interrupt"),
        HOP,
        die("commit:before"),
        { do: "read", at: 0, pick: 0, follow: false, turns: 0 },
      ],
    },
  ],
];
