import type { ReactNode } from "react";
import type { WorkflowRun } from "../../api/types.ts";
import { JsonTree } from "../../components/json-tree.tsx";
import { Icon } from "../../parts/icon.tsx";

/** What went into a run and what came out, as long as no node is chosen. */
export function RunSummary({ run }: { readonly run: WorkflowRun }): ReactNode {
  const { inputs = {}, outputs = {}, context, error, termination_detail: detail } = run;
  const values = Object.entries(outputs);
  return (
    <div className="flex flex-col gap-5 p-4">
      {(error !== undefined || detail !== undefined) && (
        <section role="alert" className="flex flex-col gap-1 rounded-lg bg-bad-ground p-3 text-bad">
          <h2 className="flex items-center gap-1.5 font-semibold">
            <Icon name="warning" size={14} />
            {error?.node_id === undefined ? "The run failed" : `Node ${error.node_id} failed`}
          </h2>
          <p className="text-sm break-words">{error?.message ?? detail}</p>
        </section>
      )}
      <Part title="Inputs" value={inputs} empty="None." />
      {context !== undefined && Object.keys(context).length > 0 && <Part title="Context" value={context} empty="" />}
      <Part
        title={values.length === 1 ? "Output" : "Outputs"}
        value={values.length === 1 ? values[0]?.[1] : outputs}
        empty={run.status === "done" ? "None." : "Comes at the end."}
      />
      <p className="text-sm text-faint">Choose a node to see its output, attempts, cost and events.</p>
    </div>
  );
}

function Part({
  title,
  value,
  empty,
}: {
  readonly title: string;
  readonly value: unknown;
  readonly empty: string;
}): ReactNode {
  const isEmpty =
    value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
  return (
    <section className="flex flex-col gap-1.5">
      <h2 className="text-xs font-semibold text-faint">{title}</h2>
      {isEmpty ? <p className="text-sm text-faint">{empty}</p> : <JsonTree value={value} label={title} open={3} />}
    </section>
  );
}
