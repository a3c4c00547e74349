import { canonicalJson, type Env, type Tool, type ToolCallRecord } from "@reprise/contracts";

// A tool never changes, and every call of it asks.
const versions = new WeakMap<Tool, string>();

/** What a tool is: the author's version, or the shape of its arguments. */
export function toolVersion(env: Env, tool: Tool): string {
  const known = versions.get(tool);
  if (known !== undefined) return known;
  const { version, parameters } = tool.descriptor;
  const told = version === "" ? env.hash(canonicalJson(parameters)).slice(0, 16) : version;
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
