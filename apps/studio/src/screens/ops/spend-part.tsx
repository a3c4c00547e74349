import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import type { Spend } from "../../api/types.ts";
import { readSamples } from "../../log/read-metrics.ts";
import { Chart } from "../../parts/chart.tsx";
import { classNames } from "../../parts/class-names.ts";
import { formatCost, formatCount } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { useMetrics, useSpend } from "./ops-queries.ts";
import { Loaded, PartPage, Section, Table } from "./section.tsx";

const TIMES: readonly (readonly [hours: number, label: string])[] = [
  [1, "1 hour"],
  [24, "24 hours"],
  [24 * 7, "7 days"],
  [24 * 30, "30 days"],
];

/** What was spent: over time, by agent, thread and model, and against the limits that were set. */
export function SpendPart(): ReactNode {
  const [hours, setHours] = useState(24);
  const spend = useSpend(hours);
  return (
    <PartPage label="Operations, spend">
      <Section
        title={`Spend of ${spend.data?.tenant ?? "this tenant"}`}
        about="Added up from the records of the runs that began in this time."
        actions={
          <div role="group" aria-label="Time" className="flex gap-1">
            {TIMES.map(([each, label]) => (
              <button
                key={each}
                type="button"
                aria-pressed={hours === each}
                onClick={() => setHours(each)}
                className={classNames(
                  "rounded-md border px-2 py-1 text-sm",
                  hours === each
                    ? "border-accent bg-accent-ground font-medium"
                    : "border-line text-faint hover:text-ink",
                )}
              >
                {label}
              </button>
            ))}
          </div>
        }
      >
        <Loaded query={spend}>{(answer) => <Total spend={answer} />}</Loaded>
      </Section>
      {spend.data !== undefined && (
        <>
          <Section title="Budgets" about="Of the newest runs that have one of their own.">
            <Budgets budgets={spend.data.budgets} />
          </Section>
          <div className="grid items-start gap-8 lg:grid-cols-2">
            <Section title="By agent">
              <Table
                label="Spend by agent"
                columns={COLUMNS("Agent")}
                empty="No run began in this time."
                rows={spend.data.by_agent.map((row) => ({
                  key: row.agent_id,
                  cells: [
                    <Link key="a" to="/agents/$agentId" params={{ agentId: row.agent_id }} className="hover:underline">
                      {row.agent_id}
                    </Link>,
                    ...figures(row),
                  ],
                }))}
              />
            </Section>
            <Section title="By model">
              <ByModel />
            </Section>
          </div>
          <Section title="By thread" about="The 50 that cost most.">
            <Table
              label="Spend by thread"
              columns={COLUMNS("Thread")}
              empty="No run began in this time."
              rows={spend.data.by_thread.map((row) => ({
                key: row.thread_id,
                cells: [
                  <Link
                    key="t"
                    to="/threads/$threadId"
                    params={{ threadId: row.thread_id }}
                    className="font-mono text-xs hover:underline"
                  >
                    {row.thread_id}
                  </Link>,
                  ...figures(row),
                ],
              }))}
            />
          </Section>
        </>
      )}
    </PartPage>
  );
}

const COLUMNS = (name: string) => [
  { name },
  { name: "Runs", isNumber: true },
  { name: "Tokens", isNumber: true },
  { name: "Cost", isNumber: true },
];

type Amount = Spend["total"];

function figures({ runs, input_tokens, output_tokens, cost_microcents, priced }: Amount): readonly ReactNode[] {
  return [
    formatCount(runs),
    formatCount(input_tokens + output_tokens),
    <span key="c" title={priced ? undefined : "Some models have no known price: the cost is higher."}>
      {formatCost(cost_microcents)}
      {!priced && "+"}
    </span>,
  ];
}

function Total({ spend }: { readonly spend: Spend }): ReactNode {
  const { total, over_time: parts, is_partial: isPartial } = spend;
  const isPriced = total.cost_microcents > 0;
  const positions = useMemo(() => parts.map(({ at }) => at / 1_000), [parts]);
  const lines = useMemo(
    () => [
      isPriced
        ? { label: "Cost", colour: "accent" as const, values: parts.map((part) => part.cost_microcents) }
        : {
            label: "Tokens",
            colour: "accent" as const,
            values: parts.map((part) => part.input_tokens + part.output_tokens),
          },
    ],
    [parts, isPriced],
  );
  return (
    <>
      <dl className="flex flex-wrap gap-x-10 gap-y-2">
        {[
          ["Cost", `${formatCost(total.cost_microcents)}${total.priced ? "" : "+"}`],
          ["Tokens in", formatCount(total.input_tokens)],
          ["Tokens out", formatCount(total.output_tokens)],
          ["Runs", formatCount(total.runs)],
        ].map(([name, value]) => (
          <div key={name}>
            <dt className="text-xs text-faint">{name}</dt>
            <dd className="text-xl font-semibold tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      {!total.priced && (
        <p className="text-sm text-faint">
          Some models have no known price, so the cost is higher than what is added up.
        </p>
      )}
      {isPartial && <p className="text-sm text-wait">Only the newest 10,000 runs of this time are added up.</p>}
      {total.runs > 0 && (
        <figure className="rounded-lg border border-line p-3">
          <figcaption className="pb-1 text-xs text-faint">{isPriced ? "Cost" : "Tokens"} over time</figcaption>
          <Chart
            label={`${isPriced ? "Cost" : "Tokens"} over time`}
            positions={positions}
            lines={lines}
            format={isPriced ? formatCost : formatCount}
            isBars
          />
        </figure>
      )}
    </>
  );
}

/** Models are counted by the process; records of runs do not name them. */
function ByModel(): ReactNode {
  const metrics = useMetrics();
  return (
    <Loaded query={metrics}>
      {(text) => {
        const rows = new Map<string, { tokens: number; dollars: number }>();
        const rowOf = (model: string): { tokens: number; dollars: number } => {
          const row = rows.get(model) ?? { tokens: 0, dollars: 0 };
          rows.set(model, row);
          return row;
        };
        for (const { labels, value } of readSamples(text, "reprise_model_tokens_total"))
          rowOf(labels.model ?? "").tokens += value;
        for (const { labels, value } of readSamples(text, "reprise_model_cost_dollars_total"))
          rowOf(labels.model ?? "").dollars += value;
        return (
          <>
            <Table
              label="Spend by model"
              columns={[{ name: "Model" }, { name: "Tokens", isNumber: true }, { name: "Cost", isNumber: true }]}
              empty="No model was asked yet."
              rows={[...rows]
                .toSorted(([, one], [, other]) => other.dollars - one.dollars || other.tokens - one.tokens)
                .map(([model, { tokens, dollars }]) => ({
                  key: model,
                  cells: [
                    <code key="m" className="font-mono text-xs">
                      {model}
                    </code>,
                    formatCount(tokens),
                    formatCost(dollars * 100_000_000),
                  ],
                }))}
            />
            <p className="text-xs text-faint">Of this process since it started, all tenants together.</p>
          </>
        );
      }}
    </Loaded>
  );
}

function Budgets({ budgets }: { readonly budgets: Spend["budgets"] }): ReactNode {
  if (budgets.length === 0)
    return (
      <p className="text-sm text-faint">
        No run of this time has a budget. An agent gets one with <code className="font-mono">budget</code> in its
        configuration.
      </p>
    );
  return (
    <ul className="divide-y divide-line rounded-lg border border-line">
      {budgets.map(({ run_id, agent_id, status, budget }) => (
        <li key={run_id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2 text-sm">
          <Link to="/runs/$runId" params={{ runId: run_id }} className="w-36 truncate font-medium hover:underline">
            {agent_id}
          </Link>
          <Limit spent={budget.spent.microcents} limit={budget.limit_microcents} format={formatCost} name="Cost" />
          <Limit
            spent={budget.spent.tokens}
            limit={budget.limit_tokens}
            format={(tokens) => `${formatCount(tokens)} tokens`}
            name="Tokens"
          />
          <span className="text-xs text-faint">
            {budget.on_exceeded === "pause"
              ? "asks at the limit"
              : budget.on_exceeded === "warn"
                ? "warns at the limit"
                : "ends at the limit"}
            {status !== "done" && ` · ${status}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Limit({
  spent,
  limit,
  format,
  name,
}: {
  readonly spent: number;
  readonly limit: number | null;
  readonly format: (value: number) => string;
  readonly name: string;
}): ReactNode {
  if (limit === null) return null;
  const share = limit === 0 ? 1 : spent / limit;
  const tone = share >= 1 ? "bg-bad" : share >= 0.8 ? "bg-wait" : "bg-good";
  return (
    <span className="flex min-w-52 flex-1 items-center gap-2">
      <span
        role="meter"
        aria-label={`${name} of the budget`}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(spent, limit)}
        className="h-1.5 flex-1 overflow-hidden rounded-full bg-raised"
      >
        <span className={`block h-full ${tone}`} style={{ width: `${Math.min(share, 1) * 100}%` }} />
      </span>
      {share >= 1 && <Icon name="warning" size={12} className="text-bad" />}
      <span className="text-xs text-faint tabular-nums">
        {format(spent)} of {format(limit)}
      </span>
    </span>
  );
}
