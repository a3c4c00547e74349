import type { Scenario } from "../model/scenario.ts";

/** Histories whose replay once parted from them, each by a race: found by chance, kept so that nobody has to be lucky again. */
export const RACED_HISTORIES: readonly (readonly [why: string, scenario: Scenario])[] = [
  [
    "a decision that is found after a call was refused beside it",
    {
      seed: 4911,
      agent: { mode: "parallel_streaming", partial: "wait", readsEarly: false, isGuarded: false },
      processes: 2,
      latency: 3,
      isDeaf: false,
      scripts: [
        [
          { text: "Well.", calls: [], trouble: "none", slowMs: 0 },
          {
            text: "",
            calls: [
              { tool: "look", label: 0, waitMs: 0 },
              { tool: "vote", label: 0, waitMs: 90000 },
              { tool: "missing", label: 0, waitMs: 0 },
            ],
            trouble: "cut",
            slowMs: 0,
          },
          { text: "", calls: [], trouble: "none", slowMs: 0 },
        ],
        [{ text: "", calls: [], trouble: "none", slowMs: 0 }],
        [{ text: "", calls: [], trouble: "cut", slowMs: 0 }],
      ],
      commands: [
        { do: "say", at: 0, thread: 0, policy: "continue", priority: 0, turns: 2 },
        { do: "say", at: 0, thread: 0, policy: "continue", priority: 0, turns: 5 },
        { do: "trap", at: 0, point: "tool:executed", skip: 1, stop: "die", turns: 0 },
        { do: "advance", ms: 13000, turns: 0 },
        { do: "trap", at: 0, point: "commit:before", skip: 0, stop: "die", turns: 0 },
        { do: "decide", at: 0, pick: 0, verb: { action: "approve" }, how: "now", turns: 0 },
        { do: "kill", at: 0, turns: 6 },
      ],
      verdicts: [{ action: "edit", arguments: { label: "wrong" } }],
    },
  ],
  [
    "a cancellation that comes while the inbox is read",
    {
      seed: 0,
      agent: { mode: "parallel_streaming", partial: "wait", readsEarly: false, isGuarded: false },
      processes: 2,
      latency: 0,
      isDeaf: false,
      scripts: [
        [
          {
            text: "",
            calls: [
              { tool: "ask", label: 0, waitMs: 0 },
              { tool: "tell", label: 0, waitMs: 300 },
            ],
            trouble: "none",
            slowMs: 0,
          },
        ],
        [{ text: "", calls: [], trouble: "none", slowMs: 0 }],
        [{ text: "", calls: [], trouble: "none", slowMs: 0 }],
      ],
      commands: [
        { do: "say", at: 0, thread: 0, policy: "continue", priority: 0, turns: 0 },
        { do: "decide", at: 0, pick: 0, verb: { action: "approve" }, how: "now", turns: 1 },
        { do: "decide", at: 0, pick: 0, verb: { action: "approve" }, how: "now", turns: 0 },
        { do: "cancel", at: 0, pick: 0, turns: 0 },
        { do: "advance", ms: 4000, turns: 0 },
        { do: "decide", at: 0, pick: 0, verb: { action: "approve" }, how: "now", turns: 0 },
        { do: "thaw", turns: 0 },
        { do: "flaky", at: 0, method: "commit", count: 1, isLate: false, turns: 0 },
      ],
      verdicts: [{ action: "supply", result: { supplied: true } }],
    },
  ],
  [
    "a cancellation that comes right after the last result",
    {
      seed: 0,
      agent: { mode: "parallel_streaming", partial: "wait", readsEarly: false, isGuarded: false },
      processes: 2,
      latency: 0,
      isDeaf: false,
      scripts: [
        [{ text: "", calls: [{ tool: "look", label: 0, waitMs: 300 }], trouble: "none", slowMs: 0 }],
        [{ text: "", calls: [], trouble: "none", slowMs: 0 }],
        [{ text: "", calls: [], trouble: "none", slowMs: 700 }],
      ],
      commands: [
        { do: "say", at: 0, thread: 0, policy: "continue", priority: 0, turns: 0 },
        { do: "thaw", turns: 1 },
        { do: "say", at: 0, thread: 0, policy: "interrupt", priority: 0, turns: 0 },
        { do: "advance", ms: 1000, turns: 0 },
        { do: "cancel", at: 0, pick: 0, turns: 0 },
        { do: "boot", turns: 0 },
        { do: "advance", ms: 100, turns: 0 },
      ],
      verdicts: [{ action: "deny", reason: "No." }],
    },
  ],
  [
    "a cancellation that comes when the model has just ended",
    {
      seed: 0,
      agent: { mode: "parallel_streaming", partial: "wait", readsEarly: false, isGuarded: false },
      processes: 2,
      latency: 0,
      isDeaf: false,
      scripts: [
        [
          { text: "", calls: [{ tool: "look", label: 0, waitMs: 300 }], trouble: "none", slowMs: 0 },
          { text: "", calls: [], trouble: "none", slowMs: 700 },
          { text: "", calls: [], trouble: "cut", slowMs: 0 },
        ],
        [{ text: "", calls: [], trouble: "none", slowMs: 0 }],
        [{ text: "", calls: [], trouble: "none", slowMs: 0 }],
      ],
      commands: [
        { do: "say", at: 0, thread: 0, policy: "continue", priority: 0, turns: 0 },
        { do: "advance", ms: 4000, turns: 0 },
        { do: "say", at: 0, thread: 0, policy: "continue", priority: 0, turns: 1 },
        { do: "say", at: 0, thread: 0, policy: "interrupt", priority: 0, turns: 0 },
        { do: "advance", ms: 13000, turns: 0 },
        { do: "trap", at: 0, point: "commit:before", skip: 0, stop: "die", turns: 0 },
        { do: "hop", at: 0, pick: 0, back: 0, turns: 0 },
        { do: "curse", point: "commit:before", deaths: 2, turns: 0 },
      ],
      verdicts: [{ action: "supply", result: { supplied: true } }],
    },
  ],
  [
    "a cancellation that comes while a decision is found, which is then left",
    {
      seed: 0,
      agent: { mode: "parallel_streaming", partial: "wait", readsEarly: false, isGuarded: false },
      processes: 2,
      latency: 0,
      isDeaf: false,
      scripts: [
        [
          {
            text: "",
            calls: [
              { tool: "wait_for_answer", label: 0, waitMs: 0 },
              { tool: "look", label: 0, waitMs: 90000 },
            ],
            trouble: "none",
            slowMs: 0,
          },
        ],
        [{ text: "", calls: [], trouble: "none", slowMs: 700 }],
        [{ text: "", calls: [], trouble: "none", slowMs: 0 }],
      ],
      commands: [
        { do: "say", at: 0, thread: 0, policy: "continue", priority: 0, turns: 0 },
        { do: "flaky", at: 0, method: "decide", count: 1, isLate: false, turns: 1 },
        { do: "decide", at: 1, pick: 0, verb: { action: "supply", result: { supplied: true } }, how: "now", turns: 0 },
        { do: "say", at: 0, thread: 0, policy: "interrupt", priority: 0, turns: 0 },
        { do: "hop", at: 0, pick: 0, back: 0, turns: 0 },
        { do: "trap", at: 0, point: "commit:before", skip: 0, stop: "die", turns: 0 },
        { do: "read", at: 0, pick: 0, follow: false, turns: 0 },
      ],
      verdicts: [{ action: "approve" }],
    },
  ],
];
