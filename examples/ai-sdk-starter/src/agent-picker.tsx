import { useEffect, useState } from "react";
import { type Agent, listAgents } from "./server.ts";

const KEPT = "agent";

interface AgentPickerProps {
  /** Empty until the server has listed its agents. */
  readonly agent: string;
  /** A message is under way: the agent cannot be changed. */
  readonly isBusy: boolean;
  readonly onPick: (agent: string) => void;
  readonly onProblem: (error: Error) => void;
}

/** The agent to talk to. The browser remembers it. */
export function AgentPicker({ agent, isBusy, onPick, onProblem }: AgentPickerProps) {
  const [agents, setAgents] = useState<readonly Agent[]>([]);
  useEffect(() => {
    listAgents().then((found) => {
      setAgents(found);
      const kept = found.find(({ id }) => id === localStorage.getItem(KEPT));
      onPick((kept ?? found[0])?.id ?? "");
    }, onProblem);
  }, [onPick, onProblem]);
  const pick = (id: string) => {
    localStorage.setItem(KEPT, id);
    onPick(id);
  };
  return (
    <label>
      Agent
      <select value={agent} disabled={isBusy} onChange={(event) => pick(event.target.value)}>
        {agents.map(({ id, description }) => (
          <option key={id} value={id} title={description}>
            {id}
          </option>
        ))}
      </select>
    </label>
  );
}
