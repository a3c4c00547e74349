import type { Plugin } from "@reprise/contracts";
import { agentRecovery } from "./agent-recovery/agent-recovery.ts";
import { agentTools } from "./agent-tools/agent-tools.ts";
import { backgroundTasks } from "./background-tasks/background-tasks.ts";
import { createContextPlugin } from "./context/context.ts";
import { deferredTools } from "./deferred-tools/index.ts";
import { facts } from "./facts/facts.ts";
import { generativeUi } from "./generative-ui/index.ts";
import { guardrails } from "./guardrails/guardrails.ts";
import { handoff } from "./handoff/handoff.ts";
import { hooks } from "./hooks/hooks.ts";
import { mcp } from "./mcp/mcp.ts";
import { agentMemory } from "./memory/memory.ts";
import { createObservability } from "./observability/observability.ts";
import { permission } from "./permission/permission.ts";
import { reminder } from "./reminder/reminder.ts";
import { skills } from "./skills/skills.ts";
import { toolPolicy } from "./tool-policy/tool-policy.ts";

/**
 * Every plugin of this package without options, for hosts that run configuration files: an agent names a plugin in `plugin_ids` and sets it
 * up in a section.
 */
export function createInstalledPlugins(): readonly Plugin[] {
  return [
    agentRecovery(),
    agentTools(),
    backgroundTasks(),
    createObservability("llmmetry", {}),
    createObservability("observability", {}),
    agentMemory(),
    createContextPlugin("context"),
    createContextPlugin("compaction"),
    deferredTools(),
    facts(),
    generativeUi(),
    guardrails(),
    handoff(),
    hooks(),
    mcp(),
    permission(),
    reminder(),
    skills(),
    toolPolicy(),
  ];
}
