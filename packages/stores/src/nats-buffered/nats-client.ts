import { RepriseError } from "@reprise/contracts";

/** What we use of NATS' packages. They are optional peers: nothing of their types is in ours. */
export interface NatsPackages {
  connect(options: NatsConfig): Promise<NatsConnection>;
  jetstream(connection: NatsConnection): JetStreamClient;
  jetstreamManager(connection: NatsConnection, options: object): Promise<JetStreamManager>;
}

/** How to reach the servers, in the words of `@nats-io/transport-node`. */
export type NatsConfig = Readonly<Record<string, unknown>>;

export interface NatsConnection {
  readonly info?: { readonly max_payload: number; readonly server_id: string };
  status(): AsyncIterable<{ readonly type: string }>;
  isClosed(): boolean;
  close(): Promise<void>;
}

export interface JetStreamClient {
  publish(
    subject: string,
    payload: Uint8Array,
    options: { readonly timeout: number; readonly expect: { readonly lastSubjectSequence?: number } },
  ): Promise<{ readonly seq: number }>;
}

export interface JetStreamManager {
  readonly streams: {
    info(name: string, options?: { readonly subjects_filter: string }): Promise<StreamInfo>;
    add(config: Partial<StreamConfig>): Promise<StreamInfo>;
    purge(name: string, options: { readonly filter: string; readonly seq: number }): Promise<unknown>;
    getMessage(name: string, query: MessageQuery): Promise<StreamMessage | null>;
  };
}

/** The first message of a subject from a place on, or its last one. */
export type MessageQuery = { readonly seq: number; readonly next_by_subj: string } | { readonly last_by_subj: string };

export interface StreamMessage {
  readonly seq: number;
  readonly data: Uint8Array;
}

export interface StreamConfig {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly retention: string;
  readonly storage: string;
  readonly discard: string;
  readonly num_replicas: number;
  readonly max_age: number;
  readonly max_msgs: number;
  readonly max_bytes: number;
  readonly max_msgs_per_subject: number;
}

export interface StreamInfo {
  readonly config: StreamConfig;
  readonly state: { readonly subjects?: Readonly<Record<string, number>> };
  readonly cluster?: { readonly leader?: string; readonly replicas?: readonly { readonly name: string }[] };
}

const PACKAGES = ["@nats-io/transport-node", "@nats-io/jetstream"] as const;

/** Loads what is needed of NATS, or says what is missing. */
export async function loadNatsPackages(names: readonly string[] = PACKAGES): Promise<NatsPackages> {
  try {
    const [transport, jetstream] = await Promise.all(names.map((name) => import(name)));
    return { connect: transport.connect, jetstream: jetstream.jetstream, jetstreamManager: jetstream.jetstreamManager };
  } catch (cause) {
    const missing = PACKAGES.join(" ");
    const message = `Cannot open a buffered store: NATS' packages are not installed. Run: npm install ${missing}`;
    throw new RepriseError("INVALID_REQUEST", message, { cause, details: { packages: PACKAGES } });
  }
}
