import { invalidRequest, type LiveRelay } from "@reprise/contracts";
import { loadConnect } from "./nats-core.ts";
import { NatsRelay } from "./nats-relay.ts";

export interface NatsLiveOptions {
  /** `nats://host:port`, or several. */
  readonly servers: string | readonly string[];
  /** Whatever else `connect` of `@nats-io/transport-node` takes: `user`, `pass`, `token`, `authenticator`, `tls`. */
  readonly connection?: Readonly<Record<string, unknown>>;
  /** What subjects begin with; several installations share a server by it. `reprise.live` unless given. */
  readonly prefix?: string;
  /** Hears once of each time that the server cannot be reached. Prints to standard error unless given. */
  readonly onProblem?: (message: string) => void;
}

/** A relay with a connection of its own. */
export interface NatsLive extends LiveRelay {
  /** Resolves when the server was first reached. Nothing has to wait for it. */
  readonly connected: Promise<void>;
  close(): Promise<void>;
}

/** How long one attempt to connect may take. */
const CONNECT_MS = 2_000;

/**
 * Live events over NATS: `createRuntime({ agents, store, live: await natsLive("nats://localhost:4222") })`. With it a process that follows
 * a run of another one sees its text while it is written. A server that is away is tried again and again; meanwhile readers are
 * served from the store.
 */
export async function natsLive(
  server: string | NatsLiveOptions,
  options?: Omit<NatsLiveOptions, "servers">,
): Promise<NatsLive> {
  const given: NatsLiveOptions = typeof server === "string" ? { ...options, servers: server } : server;
  const { servers, connection = {}, prefix = "reprise.live", onProblem = console.warn } = given;
  if (!/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(prefix))
    throw invalidRequest(
      `prefix must be letters, digits, _ and -, with dots in between (got ${JSON.stringify(prefix)}).`,
    );
  const connect = await loadConnect();
  const settings = {
    // Its own messages would only be repeats.
    noEcho: true,
    maxReconnectAttempts: -1,
    timeout: CONNECT_MS,
    name: "reprise live",
    ...connection,
    servers: typeof servers === "string" ? servers.split(",").map((each) => each.trim()) : [...servers],
  };
  return new NatsRelay({ prefix, connect: () => connect(settings), onProblem });
}
