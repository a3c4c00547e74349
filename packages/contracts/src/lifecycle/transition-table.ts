/** For each status, where each trigger leads. A pair that is absent is illegal; a status without triggers is terminal. */
export type TransitionTable<Status extends string, Trigger extends string> = Readonly<
  Record<Status, Readonly<Partial<Record<Trigger, Status>>>>
>;

/** Where a trigger leads from a status, or undefined when the table has no such step. */
export function nextStatus<Status extends string, Trigger extends string>(
  table: TransitionTable<Status, Trigger>,
  status: Status,
  trigger: Trigger,
): Status | undefined {
  return table[status][trigger];
}

export function isTerminal<Status extends string, Trigger extends string>(
  table: TransitionTable<Status, Trigger>,
  status: Status,
): boolean {
  return Object.keys(table[status]).length === 0;
}

/** The table as a mermaid diagram; the documentation is made of it. */
export function drawTable<Status extends string, Trigger extends string>(
  table: TransitionTable<Status, Trigger>,
  initial: Status,
): string {
  const statuses = Object.keys(table) as Status[];
  const lines = statuses.flatMap((status) =>
    Object.entries(table[status]).map(([trigger, next]) => `    ${status} --> ${String(next)}: ${trigger}`),
  );
  const ends = statuses.filter((status) => isTerminal(table, status)).map((status) => `    ${status} --> [*]`);
  return ["stateDiagram-v2", `    [*] --> ${initial}`, ...lines, ...ends].join("\n");
}
