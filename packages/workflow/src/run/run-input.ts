import type { RunOrigin } from "@reprise/contracts";
import { type Json, type JsonObject, parseJson } from "@reprise/state";
import { readInputs } from "../document/read-inputs.ts";
import type { Workflow } from "../document/workflow-document.ts";
import type { NodeRecord } from "./workflow-state.ts";

/** What a run was asked for. */
export interface WorkflowRequest {
  /** Secrets are masked. */
  readonly inputs: JsonObject;
  /** The names of the host's secrets, by the names of the inputs. */
  readonly secrets: { readonly [input: string]: string };
  /** Nodes of an earlier run that this one does not repeat. */
  readonly keep: { readonly [path: string]: NodeRecord };
}

/**
 * Reads the message that started a run: an envelope `{ "inputs": … }`, the inputs themselves as JSON, or a text for the first input that takes one.
 * The envelope of a restart also has `keep`.
 * Throws `WORKFLOW_INPUTS_INVALID` with every problem.
 */
export function readRequest(workflow: Workflow, message: string, origin: RunOrigin): WorkflowRequest {
  const given = parseObject(message);
  // A kept node counts as done. No client chooses this origin: a client that could would forge the decision of a gate.
  const envelope: readonly string[] = origin === RESTART ? ["inputs", "keep"] : ["inputs"];
  const isEnvelope =
    given !== undefined && isObject(given.inputs) && Object.keys(given).every((key) => envelope.includes(key));
  const named = isEnvelope ? (given.inputs as JsonObject) : (given ?? textInput(workflow, message));
  const { values, secrets } = readInputs(workflow, named);
  // Written by `keepNodes`.
  const keep = isEnvelope ? ((given.keep ?? {}) as unknown as WorkflowRequest["keep"]) : {};
  return { inputs: values, secrets: Object.fromEntries(secrets), keep };
}

/** The origin of a run that restarts another one. */
const RESTART: RunOrigin = "workflow";

function textInput({ inputs = [] }: Workflow, text: string): JsonObject {
  const taking = inputs.find(({ type }) => type === "string" || type === "code_diff" || type === "file_path");
  return taking === undefined || text.trim() === "" ? {} : { [taking.name]: text };
}

function parseObject(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    const value: Json = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
