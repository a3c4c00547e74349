import type { Json } from "@reprise/state";

/** A JSON Schema of draft 2020-12, as OpenAPI 3.1 takes it. */
export type JsonSchema = { readonly [keyword: string]: Json };

/** What a body is. Bytes have a content type and no schema. */
export interface OperationBody {
  readonly schema?: JsonSchema;
  /** `application/json` unless given. */
  readonly contentType?: string;
  readonly isOptional?: true;
}

/** One way in which a route answers. */
export interface OperationAnswer {
  readonly description: string;
  readonly schema?: JsonSchema;
  /** `application/json` where there is a schema, unless given. */
  readonly contentType?: string;
}

/**
 * What a route is for, what it takes and what it answers, for people and for programs that write clients. Parts of its path are told
 * by the path, and errors look the same everywhere: neither is said here.
 */
export interface Operation {
  /** Short, without a full stop. */
  readonly summary: string;
  /** Parameters of the query, all of which may be left out. */
  readonly query?: Readonly<Record<string, JsonSchema>>;
  /** Headers that mean something to this route alone. */
  readonly headers?: Readonly<Record<string, JsonSchema>>;
  readonly body?: OperationBody;
  /** By status. */
  readonly answers: Readonly<Record<number, OperationAnswer>>;
}
