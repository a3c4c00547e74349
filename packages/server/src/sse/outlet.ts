/** Why a stream is no longer read. Made once: an error of its own for each would cost more than many events. */
export const GONE: Error = new Error("The reader is gone.");

/** The destination of a stream's text: a socket, or a body that the platform reads. */
export interface Outlet {
  /** Takes the text in any case. */
  write(text: string): void;
  /** False when the client is behind and should be waited for. */
  readonly hasRoom: boolean;
  /** Resolves when there is room again, or the client is gone. */
  room(): Promise<void>;
  /** The stream is complete. Doing it twice is doing it once. */
  end(): void;
  /** The client is given up; it sees a stream that broke off. */
  drop(): void;
  /** Aborted when the client is gone, for whatever reason. */
  readonly gone: AbortSignal;
}

/** An outlet, and the response to answer the request with. */
export interface OpenedOutlet {
  readonly outlet: Outlet;
  readonly response: Response;
}
