import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useDecisions, useHealth } from "../../api/queries.ts";
import { readSamples } from "../../log/read-metrics.ts";
import { formatCost, formatCount } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { Status } from "../../parts/status.tsx";
import { useLeases, useMetrics, useQueues, useSpend, useStoreHealth, useWorkers } from "./ops-queries.ts";
import { PartPage, Section } from "./section.tsx";

/** Everything at one glance; each figure leads to its part. */
export function Overview(): ReactNode {
  const health = useStoreHealth();
  const store = useHealth();
  const queues = useQueues("dead_letter", 5);
  const workers = useWorkers();
  const leases = useLeases();
  const spend = useSpend(24);
  const decisions = useDecisions();
  const metrics = useMetrics();
  const counts = queues.data?.counts;
  const alive = workers.data?.filter(({ is_expired }) => !is_expired).length;
  const stuck = leases.data?.filter(({ is_expired }) => is_expired).length ?? 0;
  const [active] = readSamples(metrics.data ?? "", "reprise_runs_active");
  const missing = health.data?.agentsMissing ?? [];
  return (
    <PartPage label="Operations, overview">
      <section
        aria-label="Store"
        className="flex flex-wrap items-center gap-x-4 gap-y-1 rounded-lg border border-line px-4 py-3"
      >
        {health.data === undefined ? (
          <Status word="connecting">Asking the store</Status>
        ) : health.data.isReady ? (
          <Status word="done" className="font-medium">
            The store reads and writes
          </Status>
        ) : (
          <Status word="failed" className="font-medium">
            {health.data.reason || "The store does not answer"}
          </Status>
        )}
        {store.data?.durability !== undefined && (
          <span className="text-sm text-faint">
            What is acknowledged survives: {store.data.durability.replaceAll("-", " ")}
          </span>
        )}
      </section>
      {missing.length > 0 && (
        <p role="alert" className="flex items-start gap-2 rounded-lg bg-wait-ground px-4 py-3 text-wait">
          <Icon name="warning" className="mt-0.5" />
          Work waits for {missing.join(", ")}: no live process serves{" "}
          {missing.length === 1 ? "this agent" : "these agents"}.
        </p>
      )}
      <Section title="Now">
        <ul className="grid grid-cols-2 gap-3 md:grid-cols-4">
          <Tile part="queues" name="Queued" value={counts?.queued} about="wait for their turn" />
          <Tile part="queues" name="Taken" value={counts?.claimed} about="are being worked on" />
          <Tile part="queues" name="Dead letters" value={counts?.dead_letter} about="could not be started" isBad />
          <Tile name="Open questions" value={decisions.data?.length} about="need somebody" to="/inbox" />
          <Tile part="processes" name="Processes" value={alive} about="work on the store" />
          <Tile part="processes" name="Expired leases" value={stuck} about="will be taken over" isBad />
          <Tile part="latency" name="Runs at work" value={active?.value} about="in this process" />
          <Tile
            part="spend"
            name="Spent in 24 h"
            value={spend.data?.total.cost_microcents}
            format={formatCost}
            about={`${formatCount(spend.data?.total.runs ?? 0)} runs`}
          />
        </ul>
      </Section>
    </PartPage>
  );
}

interface TileProps {
  readonly name: string;
  readonly value: number | undefined;
  readonly about: string;
  readonly part?: string;
  readonly to?: string;
  readonly format?: (value: number) => string;
  /** Anything but zero deserves a look. */
  readonly isBad?: boolean;
}

function Tile({ name, value, about, part, to, format = formatCount, isBad = false }: TileProps): ReactNode {
  const isAlarming = isBad && (value ?? 0) > 0;
  return (
    <li>
      <Link
        to={to ?? "/ops/$part"}
        params={part === undefined ? {} : { part }}
        className={`flex h-full flex-col gap-0.5 rounded-lg border px-3 py-2.5 transition-colors duration-100 hover:bg-side ${
          isAlarming ? "border-bad" : "border-line hover:border-line-strong"
        }`}
      >
        <span className="flex items-center gap-1.5 text-xs text-faint">
          {isAlarming && <Icon name="warning" size={12} className="text-bad" />}
          {name}
        </span>
        <span className={`text-xl font-semibold tabular-nums ${isAlarming ? "text-bad" : ""}`}>
          {value === undefined ? "–" : format(value)}
        </span>
        <span className="text-xs text-faint">{about}</span>
      </Link>
    </li>
  );
}
