/** The agent of a run. A rerun with changes runs as an agent of its own, which is named after the original. */
export function baseAgent(agentId: string | null | undefined): string {
  return (agentId ?? "").split("-rerun-", 1)[0] ?? "";
}
