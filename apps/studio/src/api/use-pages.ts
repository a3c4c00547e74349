import {
  type InfiniteData,
  keepPreviousData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from "@tanstack/react-query";
import { useCallback, useEffect, useMemo } from "react";
import { LIVE_MS } from "./queries.ts";
import { answerOf, client } from "./requests.ts";
import type { Run, Summary } from "./types.ts";

/** A list that is read page by page, as far as it is needed. */
export interface Paged<Item> {
  /** Undefined until the first page is there. */
  readonly items: readonly Item[] | undefined;
  readonly error: unknown;
  /** Whether pages that are needed are still to come. */
  readonly isIncomplete: boolean;
  /** Reads the next page; undefined when there is none. */
  readonly more: (() => void) | undefined;
  readonly retry: () => void;
}

interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly has_more: boolean;
}

const PAGE = 100;

type RunFilter = NonNullable<Parameters<typeof fetchRuns>[0]>;

function fetchRuns(
  filter: {
    readonly status?: "running" | "waiting" | "done";
    readonly termination_code?: string;
    readonly agent_id?: string;
    readonly origin?: Run["origin"];
  },
  offset: number,
  signal: AbortSignal,
): Promise<PageOf<Run>> {
  const query = { ...filter, limit: PAGE, offset };
  return answerOf(client.GET("/v1/runs", { params: { query }, signal }));
}

/** The runs that a filter chooses, newest first. */
export function useRunPages(filter: RunFilter, needsAll: boolean): Paged<Run> {
  const query = useInfiniteQuery({
    queryKey: ["runs", "pages", filter],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) => fetchRuns(filter, pageParam, signal),
    getNextPageParam: nextOffset,
    refetchInterval: slower,
    placeholderData: keepPreviousData,
  });
  return usePaged(query, ({ run_id }) => run_id, needsAll);
}

/** The threads, newest first. */
export function useThreadPages(needsAll: boolean): Paged<Summary> {
  const query = useInfiniteQuery({
    queryKey: ["threads", "pages"],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }): Promise<PageOf<Summary>> => {
      const params = { query: { limit: PAGE, offset: pageParam } };
      return answerOf(client.GET("/v1/threads/summaries", { params, signal }));
    },
    getNextPageParam: nextOffset,
    refetchInterval: slower,
  });
  return usePaged(query, ({ thread_id }) => thread_id, needsAll);
}

function nextOffset<Item>(last: PageOf<Item>, pages: readonly PageOf<Item>[]): number | undefined {
  return last.has_more ? pages.reduce((sum, { items }) => sum + items.length, 0) : undefined;
}

/** A long list is read again less often: all of its pages are. */
function slower({
  state,
}: {
  readonly state: { readonly data?: { readonly pages: readonly unknown[] } | undefined };
}): number {
  return LIVE_MS * Math.max(1, state.data?.pages.length ?? 1);
}

function usePaged<Item>(
  query: UseInfiniteQueryResult<InfiniteData<PageOf<Item>>>,
  idOf: (item: Item) => string,
  needsAll: boolean,
): Paged<Item> {
  const { data, error, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage, refetch } = query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: how an item is named never changes.
  const items = useMemo(() => {
    // One that began meanwhile moves the others to the next page.
    const all = data?.pages.flatMap((page) => page.items.map((item) => [idOf(item), item] as const));
    return all === undefined ? undefined : [...new Map(all).values()];
  }, [data]);
  const more = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [isFetchingNextPage, fetchNextPage]);
  const isIncomplete = needsAll && hasNextPage && !isFetchNextPageError;
  useEffect(() => {
    if (isIncomplete) more();
  }, [isIncomplete, more]);
  return { items, error, isIncomplete, more: hasNextPage ? more : undefined, retry: () => void refetch() };
}
