import type { ToolCallRecord } from "@reprise/contracts";
import { createNodeEnv } from "@reprise/node";
import { bindingHash, toolVersion } from "../../../packages/runtime/src/resolve/tool-version.ts";
import { createChaosTool } from "./chaos-tools.ts";
import { FIRST_VERSION } from "./generation.ts";
import type { ToolName } from "./tool-kinds.ts";

/** The tenant of everything the rig does. */
export const TENANT = "default";

const env = createNodeEnv();
const asDescribed = {
  takeEffect: async () => {},
  point: () => {},
  kindOf: <Kind>(_name: ToolName, kind: Kind): Kind => kind,
  trueNow: () => 0,
};

/** What a decision about a call is bound to when the call's tool has a version of the rig's. */
export function bindingOf(
  call: Pick<ToolCallRecord, "thread_id" | "run_id" | "call_id" | "arguments">,
  tool: ToolName,
  version: number = FIRST_VERSION,
): string {
  const tool_version = toolVersion(env, createChaosTool(tool, version, asDescribed));
  return bindingHash(env, TENANT, { ...call, tool_id: tool, tool_version });
}
