import { keepPreviousData, QueryClient, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { ServerError } from "./connection.ts";
import { answerOf, client, loadAgents } from "./requests.ts";
import type { Agent, OpenDecision, Summary, Workflow } from "./types.ts";

/** What the server said lately. Requests repeat themselves while the server is away, so an error here is an answer. */
export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => !(error instanceof ServerError) && failures < 2,
      staleTime: 2_000,
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

/** Lists are read again this often while the page is in sight. */
export const LIVE_MS = 3_000;

export function useAgents(): UseQueryResult<readonly Agent[]> {
  return useQuery({ queryKey: ["agents"], queryFn: loadAgents, staleTime: 30_000 });
}

export function useWorkflows(): UseQueryResult<readonly Workflow[]> {
  return useQuery({
    queryKey: ["workflows"],
    queryFn: async ({ signal }) => (await answerOf(client.GET("/v1/workflows", { signal }))).items,
    staleTime: 30_000,
  });
}

/** The threads, newest first. */
export function useThreads(limit = 50): UseQueryResult<readonly Summary[]> {
  return useQuery({
    queryKey: ["threads", limit],
    queryFn: async ({ signal }) =>
      (await answerOf(client.GET("/v1/threads/summaries", { params: { query: { limit } }, signal }))).items,
    refetchInterval: LIVE_MS,
    placeholderData: keepPreviousData,
  });
}

/** Every open question, oldest first. */
export function useDecisions(): UseQueryResult<readonly OpenDecision[]> {
  return useQuery({
    queryKey: ["decisions"],
    queryFn: async ({ signal }) =>
      (await answerOf(client.GET("/v1/decisions", { params: { query: { limit: 200 } }, signal }))).items,
    refetchInterval: LIVE_MS,
  });
}

export function useHealth(): UseQueryResult<{ readonly durability?: string }> {
  return useQuery({
    queryKey: ["health"],
    queryFn: async ({ signal }) => (await client.GET("/health", { signal })).data ?? {},
    staleTime: Number.POSITIVE_INFINITY,
  });
}
