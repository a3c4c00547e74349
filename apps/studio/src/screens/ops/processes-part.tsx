import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Lease, Worker } from "../../api/types.ts";
import { formatTime } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Status } from "../../parts/status.tsx";
import { useLeases, useWorkers } from "./ops-queries.ts";
import { Loaded, PartPage, Section } from "./section.tsx";

/** The processes of the store: which agents each serves, and which threads it holds. */
export function ProcessesPart(): ReactNode {
  const workers = useWorkers();
  const leases = useLeases();
  const held = leases.data ?? [];
  return (
    <PartPage label="Operations, processes">
      <Section
        title="Processes"
        about="Each takes work for the agents that it serves. One that is silent for too long loses its leases, and another continues."
      >
        <Loaded query={workers}>
          {(all) =>
            all.length === 0 ? (
              <p className="text-sm text-faint">No process works on this store. What is accepted waits.</p>
            ) : (
              <ul className="grid gap-3">
                {all.map((worker) => (
                  <Process
                    key={worker.owner}
                    worker={worker}
                    leases={held.filter(({ owner }) => owner === worker.owner)}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
      <Section
        title="Leases"
        about="A lease lets one process alone write to a thread. Its epoch fences off the ones before."
      >
        <Loaded query={leases}>
          {(all) =>
            all.length === 0 ? (
              <p className="text-sm text-faint">No run is at work.</p>
            ) : (
              <ul className="divide-y divide-line rounded-lg border border-line">
                {all.map((lease) => (
                  <LeaseRow
                    key={lease.thread_id}
                    lease={lease}
                    isGone={workers.data !== undefined && !workers.data.some(({ owner }) => owner === lease.owner)}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
    </PartPage>
  );
}

function Process({ worker, leases }: { readonly worker: Worker; readonly leases: readonly Lease[] }): ReactNode {
  const { owner, until, is_expired, agents } = worker;
  return (
    <li className="flex flex-col gap-2.5 rounded-lg border border-line px-4 py-3">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Icon name="ops" size={14} className="text-faint" />
        <span className="min-w-0 truncate font-mono text-sm font-medium">{owner}</span>
        {is_expired ? <Status word="expired">silent</Status> : <Status word="ready">alive</Status>}
        <span className="ml-auto text-xs text-faint tabular-nums">until {formatTime(until, true)}</span>
      </p>
      <p className="flex flex-wrap items-center gap-1.5 text-sm text-faint">
        {agents.length === 0 ? "Serves no agent." : "Serves"}
        {agents.map((agent) => (
          <Link
            key={agent}
            to="/agents/$agentId"
            params={{ agentId: agent }}
            className="rounded-md bg-raised px-1.5 py-0.5 text-xs text-ink hover:bg-hover"
          >
            {agent}
          </Link>
        ))}
      </p>
      <p className="text-sm text-faint">
        {leases.length === 0
          ? "Holds no thread."
          : leases.length === 1
            ? "Holds 1 thread."
            : `Holds ${leases.length} threads.`}
      </p>
    </li>
  );
}

function LeaseRow({ lease, isGone }: { readonly lease: Lease; readonly isGone: boolean }): ReactNode {
  const { thread_id, owner, epoch, lease_until, is_expired, run_id } = lease;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2 text-sm">
      <Link
        to="/threads/$threadId"
        params={{ threadId: thread_id }}
        className="min-w-0 flex-1 truncate font-mono text-xs text-accent underline"
      >
        {thread_id}
      </Link>
      {run_id !== undefined && (
        <Link to="/runs/$runId" params={{ runId: run_id }} className="text-accent underline">
          open the run
        </Link>
      )}
      <span className="max-w-52 truncate font-mono text-xs text-faint">{owner}</span>
      <span className="text-faint tabular-nums">epoch {epoch}</span>
      {is_expired ? (
        <Status word="expired" />
      ) : isGone ? (
        <Status word="warning">its process is gone</Status>
      ) : (
        <span className="text-faint tabular-nums">until {formatTime(lease_until, true)}</span>
      )}
    </li>
  );
}
