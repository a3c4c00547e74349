import type { ScriptStep, ScriptTurn } from "@reprise/models";

/** An answer in the protocol that was asked in, with what may happen to it on the way. */
export interface SpokenAnswer {
  readonly steps: readonly ScriptStep[];
  /** As one JSON body instead of a stream, from servers that do not stream. Chat completions only. */
  readonly whole?: true;
  /** What a step `cut` does: breaks the connection, or ends the answer as if it were whole. */
  readonly cutBy?: "reset" | "end";
  /** Breaks the connection after this many bytes of the body. */
  readonly cutAfterBytes?: number;
  /** Sends the body in pieces of this many bytes, whatever they cut in two. */
  readonly pieceBytes?: number;
}

/** An answer as it goes over the wire, however wrong. */
export interface RawAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes are sent as they are; any other object as JSON. */
  readonly body?: string | object;
  /** Sent as server-sent events instead of a body: objects as JSON, texts as they are. They may continue for ever. */
  readonly events?: Iterable<string | object>;
  /** Sent as they are instead of a body, as an event stream; they may continue for ever. */
  readonly pieces?: Iterable<string>;
  /** What the server does after that, instead of ending the answer. */
  readonly ending?: "stall" | "cut";
}

/** Takes the request and never answers. */
export interface NoAnswer {
  readonly silent: true;
}

/** What the server does when it is asked once: what a scripted model would do, or something only a wire can do. */
export type ServerTurn = ScriptTurn | SpokenAnswer | RawAnswer | NoAnswer;

/** A request as the server got it. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed JSON; the text when it is none. */
  readonly body: unknown;
  /** Resolves when the answer was sent to its end (true), or the client left before (false). */
  readonly isAnswered: Promise<boolean>;
}

/** Turns in order, or a function that looks at the request. Asked more often than the script goes, the server says so with a 500. */
export type ServerScript = readonly ServerTurn[] | ((request: RecordedRequest, turn: number) => ServerTurn);

/** What an encoder makes of a step: bytes for the wire, or something that happens to the connection. */
export type Frame = string | Uint8Array | { readonly fault: "stall" | "cut" };

/** One of the languages the server speaks. */
export interface Protocol {
  readonly contentType: string;
  /** The frames of a streamed answer. */
  encode(steps: readonly ScriptStep[], model: string): Iterable<Frame>;
  /** The same in one body, for a client that wants no stream; chat completions unless it is given. */
  encodeWhole?(steps: readonly ScriptStep[], model: string): object;
  /** The body of a failure. */
  encodeError(status: number, code: string): object;
}
