import { setTimeout as pause } from "node:timers/promises";

/** What became of one request to start a run. */
export interface Sent {
  readonly runId: string;
  /** The answers before the one that accepted it: a status, or the code of a broken connection. */
  readonly refusals: readonly (number | string)[];
}

/** Chooses among processes as a load balancer does: by what `/ready` says, asked anew for each request. */
export class Balancer {
  readonly #urls = new Set<string>();

  add(url: string): void {
    this.#urls.add(url);
  }

  async choose(): Promise<string> {
    for (;;) {
      for (const url of this.#urls) {
        const response = await fetch(`${url}/ready`).catch(() => undefined);
        await response?.body?.cancel();
        if (response?.status === 200) return url;
      }
      await pause(20);
    }
  }
}

/** Sends one message, again and again under the same run id until it is accepted. */
export async function sendUntilAccepted(balancer: Balancer, runId: string, agentId: string): Promise<Sent> {
  const refusals: (number | string)[] = [];
  const body = JSON.stringify({ agentId, runId, threadId: runId, messages: [{ role: "user", content: "go" }] });
  for (;;) {
    const url = await balancer.choose();
    try {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body };
      const response = await fetch(`${url}/v1/runs`, init);
      await response.body?.cancel();
      if (response.status === 200) return { runId, refusals };
      refusals.push(response.status);
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      refusals.push(cause instanceof Error && "code" in cause ? String(cause.code) : String(error));
    }
  }
}
