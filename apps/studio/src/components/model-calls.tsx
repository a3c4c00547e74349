import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ServerError } from "../api/connection.ts";
import { answerOf, client } from "../api/requests.ts";
import { formatCount } from "../parts/format.ts";
import { ErrorNote, Skeleton } from "../parts/notice.tsx";
import { JsonTree } from "./json-tree.tsx";

/** What a model was asked in a step, exactly, and what it answered. */
export function ModelCalls({ runId, step }: { readonly runId: string; readonly step: number }): ReactNode {
  const calls = useQuery({
    queryKey: ["model-calls", runId, step],
    queryFn: async ({ signal }) => {
      const params = { path: { id: runId }, query: { step } };
      return (await answerOf(client.GET("/v1/runs/{id}/model-calls", { params, signal }))).calls;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (calls.error instanceof ServerError && calls.error.code === "RUN_NOT_DONE")
    return <p className="text-sm text-faint">The exact request can be shown once the run is done.</p>;
  if (calls.error !== null) return <ErrorNote error={calls.error} retry={() => void calls.refetch()} />;
  if (calls.data === undefined) return <Skeleton rows={4} />;
  if (calls.data.length === 0) return <p className="text-sm text-faint">No model was asked in this step.</p>;
  return calls.data.map(({ model, request, answer, error }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a request is known by its number.
    <article key={index} aria-label={`Request ${index + 1}`} className="flex flex-col gap-3">
      <h4 className="flex flex-wrap items-baseline gap-x-3 text-sm">
        <span className="font-mono font-semibold">{model}</span>
        <span className="text-xs text-faint">
          {formatCount(request.messages.length)} messages, {formatCount(request.tools.length)} tools
        </span>
      </h4>
      <section className="flex flex-col gap-1">
        <h5 className="text-xs font-semibold text-faint">Request</h5>
        <JsonTree value={request} label={`Request ${index + 1} to ${model}`} open={2} />
      </section>
      <section className="flex flex-col gap-1">
        <h5 className="text-xs font-semibold text-faint">{error === undefined ? "Response" : "Error"}</h5>
        {error === undefined ? (
          <JsonTree value={answer} label={`Response ${index + 1} of ${model}`} open={2} />
        ) : (
          <p className="text-sm text-bad">{error}</p>
        )}
      </section>
    </article>
  ));
}
