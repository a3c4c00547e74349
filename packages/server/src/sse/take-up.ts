import type { CursoredEvent } from "./encode-frame.ts";

/** An encoder of the events of a tree of runs. */
export interface TreeEncoding {
  encode(item: CursoredEvent): string;
  /** Takes in an event that the client has. */
  skip(item: CursoredEvent): void;
  /** Called before the first event that the client does not have, when there are some that it has. */
  begin?(): void;
}

/** The end of a stream of which a client has the beginning. */
export interface TakenUp {
  encode(item: CursoredEvent): string;
  /** What is held back, when no more events come. */
  end(): string;
}

/**
 * Skips the events that a client has: those of each run up to its position in `known`. Runs take turns, so that new events of one may
 * come before known ones of another: they are held back until all that is known was skipped.
 */
export function takeUp(known: ReadonlyMap<string, number>, { encode, skip, begin }: TreeEncoding): TakenUp {
  const behind = new Map(known);
  const held: CursoredEvent[] = [];
  let isFirst = true;
  const release = (): string => {
    begin?.();
    behind.clear();
    return held.splice(0).map(encode).join("");
  };
  return {
    encode(item) {
      const { run_id, seq } = item.event;
      // The first event is of the run at the top. The client has nothing of another one.
      if (isFirst && !known.has(run_id)) behind.clear();
      isFirst = false;
      const last = known.get(run_id) ?? 0;
      if (seq !== undefined && seq <= last) {
        skip(item);
        if (seq === last) behind.delete(run_id);
        return behind.size === 0 ? release() : "";
      }
      if (behind.size === 0) return encode(item);
      held.push(item);
      return "";
    },
    end: () => (behind.size === 0 ? "" : release()),
  };
}
