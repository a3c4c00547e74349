import {
  type InterruptBehavior,
  RepriseError,
  type Tool,
  type ToolClass,
  type ToolContext,
  type ToolDescriptor,
  type ToolOutput,
} from "@reprise/contracts";
import type { Json, JsonObject, StandardSchema } from "@reprise/state";
import { copyJson } from "../json/copy-json.ts";
import { assertKnownKeys, type KeysOf } from "./assert-known-keys.ts";
import { readInputSchema } from "./input-schema.ts";

/** The definition of a tool in code. `execute` receives checked input only. */
export interface ToolDefinition<Input, Output> {
  readonly id: string;
  readonly description: string;
  readonly name?: string;
  /** Any Standard Schema, or plain JSON Schema; without one the tool takes no arguments. */
  readonly inputSchema?: StandardSchema<Input> | JsonObject;
  /** Rules a schema cannot say: answers with what is wrong. Runs after the schema, before any approval. */
  validate?(input: Input): string | undefined;
  /** `read_only` tools may run at the same time and again after a crash. `mutating` unless said otherwise. */
  readonly class?: ToolClass;
  /** Whether a human must agree first: always, or for the calls a function picks. */
  readonly needsApproval?: boolean | ((input: Input) => boolean | Promise<boolean>);
  /** Executing it twice with the same `context.idempotencyKey` does nothing more. */
  readonly idempotent?: boolean;
  readonly destructive?: boolean;
  readonly recursive?: boolean;
  /** How a running call ends when its run is interrupted: it is stopped (`cancel`), may `finish`, or is waited for (`block`). */
  readonly interruptBehavior?: InterruptBehavior;
  /** The time limit of one execution; null for no limit. Default: one minute. */
  readonly timeoutMs?: number | null;
  readonly capabilities?: readonly string[];
  /** Change it when an approval given for the old tool must not count for the new one. */
  readonly version?: string;
  readonly metadata?: { readonly [key: string]: Json };
  /**
   * Returns a value, a `toolResult`, or a `toolEffect`. A value is read as `JSON.stringify` would read it: a `Date` becomes text,
   * `toJSON` counts, undefined properties are left out. What JSON cannot say is refused.
   */
  execute(input: Input, context: ToolContext): Output | Promise<Output>;
}

/** Asks nothing of a definition whose output is JSON, and a place that nothing can take of any other. */
type WithJsonOutput<Output> = [Output] extends [ToolOutput<Output>]
  ? unknown
  : { execute(...given: never[]): ToolOutput<Output> | Promise<ToolOutput<Output>> };

const TOOL_KEYS: KeysOf<ToolDefinition<unknown, unknown>> = {
  id: true,
  description: true,
  name: true,
  inputSchema: true,
  validate: true,
  class: true,
  needsApproval: true,
  idempotent: true,
  destructive: true,
  recursive: true,
  interruptBehavior: true,
  timeoutMs: true,
  capabilities: true,
  version: true,
  metadata: true,
  execute: true,
};

const DEFAULT_TIMEOUT_MS = 60_000;
const TOOL_ID = /^[A-Za-z0-9_.:-]{1,128}$/;

/** Describes a tool. Mistakes in the description are reported here, before anything runs. */
export function defineTool<Input = Record<string, never>, Output = unknown>(
  definition: ToolDefinition<Input, Output> & WithJsonOutput<Output>,
): Tool<Output> {
  if (!TOOL_ID.test(definition.id)) {
    throw new RepriseError(
      "INVALID_DEFINITION",
      `A tool id must have 1 to 128 letters, digits or _ . : - (got ${JSON.stringify(definition.id)}).`,
    );
  }
  assertKnownKeys<ToolDefinition<Input, Output>>(`tool ${definition.id}`, definition, TOOL_KEYS);
  const schema = readInputSchema(definition.id, definition.inputSchema);
  const { needsApproval = false } = definition;
  return Object.freeze({
    descriptor: describeTool(definition, schema.parameters),
    check: async (arguments_: Json) => {
      // Models send null for "no arguments". A copy, because the author's code may write to what it gets.
      const checked = await schema.check(copyJson(arguments_ ?? {}));
      if (!checked.ok) return checked;
      const problem = definition.validate?.(checked.input as Input);
      return problem === undefined ? checked : ({ ok: false, problem } as const);
    },
    // Input reaches these two only through `check`, so it has the author's type.
    needsApproval: async (input: unknown) =>
      typeof needsApproval === "function" ? needsApproval(input as Input) : needsApproval,
    execute: async (input: unknown, context: ToolContext) => definition.execute(input as Input, context),
  });
}

function describeTool<Input, Output>(
  definition: ToolDefinition<Input, Output>,
  parameters: JsonObject,
): ToolDescriptor {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = definition;
  if (timeoutMs !== null && !(timeoutMs > 0)) {
    throw new RepriseError("INVALID_DEFINITION", `Tool ${definition.id}: timeoutMs must be more than 0, or null.`);
  }
  return {
    id: definition.id,
    name: definition.name ?? definition.id,
    description: definition.description,
    parameters,
    class: definition.class ?? "mutating",
    needs_approval:
      typeof definition.needsApproval === "function" ? "by_arguments" : (definition.needsApproval ?? false),
    is_destructive: definition.destructive ?? false,
    is_recursive: definition.recursive ?? false,
    idempotent: definition.idempotent ?? false,
    interrupt_behavior: definition.interruptBehavior ?? "cancel",
    timeout_ms: timeoutMs,
    capabilities: definition.capabilities ?? [],
    version: definition.version ?? "",
    metadata: definition.metadata ?? {},
  };
}
