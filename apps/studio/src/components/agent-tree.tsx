import type { AgentEvent } from "@reprise/contracts";
import { type ReactNode, useMemo } from "react";
import { type Branch, type BranchGroup, countWords, foldBranches, groupBranches } from "../log/fold-branches.ts";
import { formatCost, formatDuration } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { Status } from "../parts/status.tsx";

interface AgentTreeProps {
  readonly events: readonly AgentEvent[];
  readonly count: number;
  readonly runId: string;
  readonly open: (runId: string) => void;
}

/** The runs below a run, as a tree with the status of each. Many alike are one line, which says how they stand and can be opened. */
export function AgentTree({ events, count, runId, open }: AgentTreeProps): ReactNode {
  const branches = useMemo(() => foldBranches(events.slice(0, count)), [events, count]);
  if (branches.length === 0) return null;
  return (
    <section aria-label="Agents" className="border-y border-line py-2">
      <header className="flex flex-wrap items-center gap-x-3 px-3 pb-1">
        <h2 className="text-sm font-semibold">
          {branches.length === 1 ? "1 sub-agent" : `${branches.length} sub-agents`}
        </h2>
        {branches.length > 1 && <Counts branches={branches} />}
      </header>
      <Level branches={branches} parent={runId} open={open} />
    </section>
  );
}

interface LevelProps {
  readonly branches: readonly Branch[];
  readonly parent: string;
  readonly open: (runId: string) => void;
}

function Level({ branches, parent, open }: LevelProps): ReactNode {
  const groups = groupBranches(branches, parent);
  if (groups.length === 0) return null;
  return (
    <ul className="ml-4 border-l border-line">
      {groups.map((group) =>
        group.isFolded ? (
          <Folded key={group.agentId} group={group} branches={branches} open={open} />
        ) : (
          group.branches.map((branch) => <Row key={branch.runId} branch={branch} branches={branches} open={open} />)
        ),
      )}
    </ul>
  );
}

function Folded({
  group: { agentId, branches: own },
  branches,
  open,
}: {
  readonly group: BranchGroup;
  readonly branches: readonly Branch[];
  readonly open: (runId: string) => void;
}): ReactNode {
  const cost = own.reduce((sum, { costMicrocents }) => sum + costMicrocents, 0);
  return (
    <li>
      <details className="group">
        <summary className="flex flex-wrap items-center gap-x-2 px-2 py-0.5 text-sm hover:bg-hover">
          <Icon
            name="chevron"
            size={12}
            className="text-faint transition-transform duration-100 group-open:rotate-90"
          />
          <span className="font-medium">{agentId}</span>
          <span className="text-xs text-faint">×{own.length}</span>
          {cost > 0 && <span className="text-xs text-faint tabular-nums">{formatCost(cost)}</span>}
          <span className="ml-auto">
            <Counts branches={own} />
          </span>
        </summary>
        <ul className="ml-3 border-l border-line">
          {own.map((branch) => (
            <Row key={branch.runId} branch={branch} branches={branches} open={open} />
          ))}
        </ul>
      </details>
    </li>
  );
}

function Row({
  branch,
  branches,
  open,
}: {
  readonly branch: Branch;
  readonly branches: readonly Branch[];
  readonly open: (runId: string) => void;
}): ReactNode {
  const { runId, agentId, word, steps, costMicrocents, from, to } = branch;
  return (
    <li>
      <button
        type="button"
        onClick={() => open(runId)}
        className="flex w-full items-center gap-2 px-2 py-0.5 text-left text-sm hover:bg-hover"
      >
        <Icon name="agents" size={13} className="text-faint" />
        <span className="truncate font-medium">{agentId}</span>
        <span className="text-xs whitespace-nowrap text-faint tabular-nums">
          {steps === 1 ? "1 step" : `${steps} steps`}
          {to !== undefined && ` · ${formatDuration(to - from)}`}
          {costMicrocents > 0 && ` · ${formatCost(costMicrocents)}`}
        </span>
        <span className="ml-auto">
          <Status word={word} />
        </span>
      </button>
      <Level branches={branches} parent={runId} open={open} />
    </li>
  );
}

function Counts({ branches }: { readonly branches: readonly Branch[] }): ReactNode {
  return (
    <span className="flex flex-wrap gap-x-3">
      {countWords(branches).map(([word, count]) => (
        <Status key={word} word={word}>
          {count} {word}
        </Status>
      ))}
    </span>
  );
}
