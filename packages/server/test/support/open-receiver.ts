import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A push notification as it arrived. */
export interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Receiver {
  readonly received: readonly Received[];
  readonly origin: string;
  readonly url: string;
  /** The states of a task that were told, in their order. */
  statesOf(taskId: string): readonly string[];
  close(): void;
}

/** A receiver of push notifications that answers with the given statuses, and then with 200. */
export async function openReceiver(...statuses: number[]): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(statuses.shift() ?? 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    received,
    origin,
    url: `${origin}/hook`,
    statesOf: (taskId) => received.map(updateIn).flatMap(({ id, state }) => (id === taskId ? [state] : [])),
    close: () => void server.close(),
  };
}

/** The task and the state that a notification tells of: it is an item of a stream, whole or as an update. */
export function updateIn({ body }: Received): { readonly id: string; readonly state: string } {
  const { task, statusUpdate } = JSON.parse(body);
  const { status } = task ?? statusUpdate;
  return { id: task?.id ?? statusUpdate.taskId, state: status.state };
}
