import { canonicalJson, type Env, type Tool, type ToolCallRecord } from "@reprise/contracts";

// A tool never changes, and every call of it asks.
const versions = new WeakMap<Tool, string>();

/**
 * What a tool is, as far as a call depends on it: the author's version, the shape of its arguments, and whether running it again
 * is safe.
 */
export function toolVersion(env: Env, tool: Tool): string {
  const known = versions.get(tool);
  if (known !== undefined) return known;
  const { version, parameters, class: kind, idempotent } = tool.descriptor;
  const hash = env.hash(canonicalJson([parameters, kind, idempotent])).slice(0, 16);
  const told = version === "" ? hash : `${version}+${hash}`;
  versions.set(tool, told);
  return told;
}

/** What an approval is bound to: exactly this call, of this tool, with these arguments. */
export function bindingHash(
  env: Env,
  tenant: string,
  call: Pick<ToolCallRecord, "thread_id" | "run_id" | "call_id" | "tool_id" | "tool_version" | "arguments">,
): string {
  const { thread_id, run_id, call_id, tool_id, tool_version } = call;
  return env.hash(canonicalJson([tenant, thread_id, run_id, call_id, tool_id, tool_version, call.arguments]));
}
