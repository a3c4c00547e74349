import {
  addSystemContext,
  type BeforeInferenceContext,
  noteContext,
  operatorText,
  type Plugin,
  transformRequest,
} from "@reprise/contracts";
import { type ContextPluginFactory, definePlugin } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { definePluginSettings } from "../settings/plugin-settings.ts";
import { Compactor, thresholdOf } from "./compact.ts";
import { compactMessages, compactRequest } from "./compacted-request.ts";
import { compaction } from "./compaction-state.ts";
import { CONTEXT_SETTINGS, type ContextPluginOptions, type ContextSettings } from "./context-settings.ts";
import {
  describeInstructions,
  type InstructionFile,
  instructionMessage,
  readInstructions,
  sourcesOf,
} from "./instruction-files.ts";
import { SummaryJobs } from "./summary-jobs.ts";

const INSTRUCTION_BYTES = 32_768;

/**
 * Keeps long threads inside the window of their model: a model summarises old messages in the background, and requests contain the summary
 * instead. The thread keeps every message. Adds instruction files such as `AGENTS.md` to every request.
 */
export function context(options: ContextPluginOptions = {}): Plugin {
  return createContextPlugin("context", options);
}

/** The same under the name `compaction`, with a section of that name, for configurations that call it so. */
export function createContextPlugin(id: "context" | "compaction", options: ContextPluginOptions = {}): Plugin {
  const settings = definePluginSettings(id, CONTEXT_SETTINGS, options);
  const jobs = new SummaryJobs();
  return definePlugin({
    id,
    sections: settings.sections,
    states: [compaction],
    hooks: {
      async beforeInference(phase) {
        const set = settings.read(phase);
        const files = await findInstructions(phase, set);
        const isInSystem = set.instruction_role === "system";
        const first = files.some((file) => "text" in file) && !isInSystem ? [instructionMessage(files)] : [];
        const compactor = new Compactor(phase, set, jobs);
        await compactor.take();
        const { window, system, tools, messages, countTokens } = phase;
        if (window !== undefined && set.compact !== false) {
          const sent = [...first, ...compactMessages(messages, compactor.boundary)];
          const size = await countTokens({ system, tools, messages: sent });
          if (size > window.tokens - window.outputTokens) {
            await compactor.begin(window, "hard_limit", size);
            await compactor.wait();
          } else if (phase.agentSpec.context_policy === undefined && size >= thresholdOf(set, window)) {
            // The runtime counts the requests of agents with a policy; only here this one can be counted.
            await compactor.begin(window, "threshold", size);
          }
        }
        const { boundary } = compactor;
        const { refs, omissions } = sourcesOf(files);
        const summarised = boundary === undefined ? [] : [summaryRef(boundary.covers_through_message_id)];
        const noted = isInSystem ? summarised : [...refs, ...summarised];
        const isChanged = first.length > 0 || boundary !== undefined;
        return [
          ...compactor.actions,
          ...(isInSystem && refs.length > 0
            ? [addSystemContext(operatorText(describeInstructions(files)), { refs })]
            : []),
          ...(isChanged ? [transformRequest((request) => compactRequest(request, boundary, first))] : []),
          ...(noted.length > 0 || omissions.length > 0 ? [noteContext({ refs: noted, omissions })] : []),
        ];
      },
      async afterInference(phase) {
        const set = settings.read(phase);
        const { window, resolved } = phase;
        // Counted on the request as it was sent, with its tools and with everything that plugins added.
        const size = resolved?.estimated_tokens;
        if (window === undefined || size === undefined || set.compact === false) return undefined;
        const isShortened = (resolved?.dropped_messages ?? 0) > 0 || (resolved?.previewed_messages ?? 0) > 0;
        if (size < thresholdOf(set, window) && !isShortened) return undefined;
        const compactor = new Compactor(phase, set, jobs);
        await compactor.begin(window, "threshold", size);
        return compactor.actions;
      },
    },
  });
}

/** Reads the instruction files, and keeps what was read with the run. */
async function findInstructions(
  phase: BeforeInferenceContext,
  {
    instruction_files: paths = [],
    instruction_root: root = ".",
    instruction_max_bytes: maxBytes = INSTRUCTION_BYTES,
  }: ContextSettings,
): Promise<readonly InstructionFile[]> {
  if (paths.length === 0) return [];
  const read = async (): Promise<Json> => {
    const files = await readInstructions(paths, { root, maxBytes });
    // Made of JSON; the interface hides it.
    return files as unknown as Json;
  };
  // Written just above.
  return (await phase.record("instruction files", read)) as unknown as readonly InstructionFile[];
}

function summaryRef(messageId: string) {
  return { kind: "session", ref: `summary:${messageId}`, title: "summary of earlier messages" } as const;
}

/**
 * For `contextPlugins` of a runtime: every agent whose context policy has an `autocompact_threshold` is compacted, unless it names the plugin
 * itself.
 */
export const contextPlugins: ContextPluginFactory = (policy, { plugin_ids }) => {
  const isNamed = plugin_ids.includes("context") || plugin_ids.includes("compaction");
  return (policy.autocompact_threshold ?? null) === null || isNamed ? [] : [shared];
};

/** One for all agents, so that a thread's summary is found whichever of them takes it. */
const shared: Plugin = context();
