import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { ask, ROOT } from "../../api/connection.ts";
import { answerOf, client } from "../../api/requests.ts";
import type { Lease, MailboxPage, Spend, Worker } from "../../api/types.ts";

/** What an operator watches is read again this often. */
const LIVE_MS = 5_000;

export type QueueFilter = "queued" | "claimed" | "dead_letter";

export function useQueues(status: QueueFilter, limit: number): UseQueryResult<MailboxPage> {
  return useQuery({
    queryKey: ["mailbox", status, limit],
    queryFn: ({ signal }) => answerOf(client.GET("/v1/mailbox", { params: { query: { status, limit } }, signal })),
    refetchInterval: LIVE_MS,
    placeholderData: keepPreviousData,
  });
}

export function useWorkers(): UseQueryResult<readonly Worker[]> {
  return useQuery({
    queryKey: ["workers"],
    queryFn: async ({ signal }) => (await answerOf(client.GET("/v1/workers", { signal }))).items,
    refetchInterval: LIVE_MS,
  });
}

export function useLeases(): UseQueryResult<readonly Lease[]> {
  return useQuery({
    queryKey: ["leases"],
    queryFn: async ({ signal }) => (await answerOf(client.GET("/v1/leases", { signal }))).items,
    refetchInterval: LIVE_MS,
  });
}

const HOUR_MS = 3_600_000;

/** What was spent in the last hours. The time is cut into as many parts as can be told apart. */
export function useSpend(hours: number): UseQueryResult<Spend> {
  return useQuery({
    queryKey: ["spend", hours],
    queryFn: ({ signal }) => {
      const to = Date.now();
      const query = { from: to - hours * HOUR_MS, to, buckets: hours <= 24 ? 48 : 60 };
      return answerOf(client.GET("/v1/spend", { params: { query }, signal }));
    },
    refetchInterval: 15_000,
    placeholderData: keepPreviousData,
  });
}

/** The text that Prometheus reads. */
export function useMetrics(): UseQueryResult<string> {
  return useQuery({
    queryKey: ["metrics"],
    queryFn: async ({ signal }) => (await ask("metrics", { signal })).text(),
    refetchInterval: LIVE_MS,
  });
}

export interface StoreHealth {
  readonly isReady: boolean;
  readonly reason: string;
  readonly agentsMissing: readonly string[];
}

/** Whether the store reads and writes. Not asked again and again while it does not answer: that is the answer. */
export function useStoreHealth(): UseQueryResult<StoreHealth> {
  return useQuery({
    queryKey: ["ready"],
    queryFn: async ({ signal }): Promise<StoreHealth> => {
      const response = await fetch(new URL("ready", ROOT), { signal });
      const body = await response.json();
      return { isReady: response.ok, reason: body.error ?? "", agentsMissing: body.agents_missing ?? [] };
    },
    refetchInterval: LIVE_MS,
  });
}
