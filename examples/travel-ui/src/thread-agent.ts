import { HttpAgent, type RunAgentInput, runHttpRequest, transformHttpEventStream } from "@ag-ui/client";

/** An agent whose threads the server keeps: connecting loads the thread, and follows the run under way. */
export class ThreadAgent extends HttpAgent {
  protected override connect({ threadId, runId }: RunAgentInput): ReturnType<HttpAgent["run"]> {
    const path = `threads/${encodeURIComponent(threadId)}/stream?protocolVersion=1.0&runId=${encodeURIComponent(runId)}`;
    const url = new URL(path, new URL(this.url, location.href)).href;
    return transformHttpEventStream(runHttpRequest(() => fetch(url, { headers: this.headers })));
  }
}
