import type { Message } from "@reprise/contracts";

/** What messages have to fit into. */
export interface Room {
  /** Tokens for all of them together. */
  readonly tokens: number;
  /** Messages at the end that are never left out. */
  readonly minRecent: number;
  /** Ids of further messages that stay. */
  readonly pinned?: readonly string[];
  readonly sizeOf: (message: Message) => number;
}

/** What is left of the messages, and what they come to. They fit unless `tokens` is more than the room has. */
export interface Truncated {
  readonly messages: readonly Message[];
  readonly tokens: number;
  readonly dropped: number;
}

/**
 * Leaves out the oldest messages, as few as it takes. What is left begins where a conversation can begin: with a user's words or
 * behind them, never with a result, never between a call and one of its results. System messages and the last words of the user
 * stay wherever they are. When even that is too much, the least that may be sent comes back, too large.
 */
export function truncateMessages(
  messages: readonly Message[],
  { tokens: room, minRecent, pinned: kept = [], sizeOf }: Room,
): Truncated {
  const total = messages.reduce((sum, message) => sum + sizeOf(message), 0);
  if (total <= room) return { messages, tokens: total, dropped: 0 };
  const pinned = findPinned(messages, kept);
  const starts = findStarts(messages, pinned);
  const latest = Math.max(messages.length - minRecent, 0);
  let tokens = total;
  let from = 0;
  for (let at = 0, left = total; at < latest && tokens > room; ) {
    const message = messages[at];
    if (message !== undefined && !pinned.has(at)) left -= sizeOf(message);
    at += 1;
    if (starts[at] !== true) continue;
    from = at;
    tokens = left;
  }
  if (from === 0) return { messages, tokens, dropped: 0 };
  const left = messages.filter((_, index) => index >= from || pinned.has(index));
  return { messages: left, tokens, dropped: messages.length - left.length };
}

/** System messages, the last thing the user said, the last message in the user's position, and those that the request names. */
function findPinned(messages: readonly Message[], kept: readonly string[]): ReadonlySet<number> {
  const pinned = new Set<number>();
  for (const [index, { role, id }] of messages.entries()) if (role === "system" || kept.includes(id)) pinned.add(index);
  const said = messages.findLastIndex(({ role, visibility }) => role === "user" && visibility !== "internal");
  const last = messages.findLastIndex(({ role }) => role === "user");
  for (const index of [said, last]) if (index >= 0) pinned.add(index);
  return pinned;
}

/** By index, whether what is left may begin there. */
function findStarts(messages: readonly Message[], pinned: ReadonlySet<number>): readonly boolean[] {
  const callers = findCallers(messages);
  const firstUser = [...pinned].filter((index) => messages[index]?.role === "user").sort((a, b) => a - b)[0];
  const starts: boolean[] = new Array(messages.length).fill(false);
  let lowest = messages.length;
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    lowest = Math.min(lowest, callers[at] ?? messages.length);
    const role = messages[at]?.role;
    // Behind the user's last words any message may follow; before them, only a user's message may begin.
    const isBeginning = role === "user" || firstUser === undefined || at > firstUser;
    // A system message stays anyway: what comes after it is what begins.
    const mayBegin = role === "system" ? (starts[at + 1] ?? true) : role !== "tool" && isBeginning;
    starts[at] = mayBegin && lowest >= at;
  }
  return starts;
}

/** By index of a result, the index of the message that made its call; undefined for other messages and unknown calls. */
function findCallers(messages: readonly Message[]): readonly (number | undefined)[] {
  const calls = new Map<string, number>();
  return messages.map(({ tool_calls, tool_call_id }, index) => {
    for (const { id } of tool_calls ?? []) calls.set(id, index);
    return tool_call_id === undefined ? undefined : calls.get(tool_call_id);
  });
}
