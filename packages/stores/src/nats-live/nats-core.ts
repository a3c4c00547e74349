import { RepriseError } from "@reprise/contracts";

/** What we use of the core of NATS. The package is an optional peer: nothing of its types is in ours. */
export interface CoreConnection {
  readonly info?: { readonly max_payload: number };
  publish(subject: string, payload: string): void;
  subscribe(
    subject: string,
    options: { readonly callback: (error: Error | null, message: { string(): string }) => void },
  ): CoreSubscription;
  flush(): Promise<void>;
  status(): AsyncIterable<{ readonly type: string }>;
  close(): Promise<void>;
}

export interface CoreSubscription {
  unsubscribe(): void;
}

type Connect = (options: Readonly<Record<string, unknown>>) => Promise<CoreConnection>;

const PACKAGE = "@nats-io/transport-node";

/** Loads the client, or says what is missing. */
export async function loadConnect(name: string = PACKAGE): Promise<Connect> {
  try {
    const loaded: { readonly connect: Connect } = await import(name);
    return loaded.connect;
  } catch (cause) {
    const message = `Cannot send live events over NATS: the package ${PACKAGE} is not installed. Run: npm install ${PACKAGE}`;
    throw new RepriseError("INVALID_REQUEST", message, { cause, details: { package: PACKAGE } });
  }
}
