import { RunMetrics } from "./run-metrics.ts";

/** What is read when it is asked for. */
interface MeasuredNow {
  readonly openStreams: number;
  readonly agentsMissing: number;
  readonly mailboxDepth: number;
}

/** What a server counts. Numbers of this process, from its start. */
export class ServerMetrics {
  readonly #requests = new Map<string, number>();
  /** Events written to streams. */
  events = 0;
  /** Streams given up because their client did not read. */
  droppedStreams = 0;
  readonly runs: RunMetrics = new RunMetrics();

  /** Counts an answer. The route's pattern, not the path: ids would make a series each. */
  countAnswer(method: string, route: string, status: number): void {
    const series = `method="${method}",route="${route}",status="${status}"`;
    this.#requests.set(series, (this.#requests.get(series) ?? 0) + 1);
  }

  /** In the text format of Prometheus. */
  print({ openStreams, agentsMissing, mailboxDepth }: MeasuredNow): string {
    const requests = [...this.#requests].map(([series, count]) => `reprise_http_requests_total{${series}} ${count}`);
    return [
      "# TYPE reprise_http_requests_total counter",
      ...requests.sort(),
      "# TYPE reprise_stream_events_total counter",
      `reprise_stream_events_total ${this.events}`,
      "# TYPE reprise_streams_dropped_total counter",
      `reprise_streams_dropped_total ${this.droppedStreams}`,
      "# TYPE reprise_streams_open gauge",
      `reprise_streams_open ${openStreams}`,
      "# TYPE reprise_agents_missing gauge",
      `reprise_agents_missing ${agentsMissing}`,
      "# TYPE reprise_mailbox_depth gauge",
      `reprise_mailbox_depth ${mailboxDepth}`,
      ...this.runs.print(),
      "",
    ].join("\n");
  }
}
