import { scriptedModel } from "@reprise/models";
import { context } from "@reprise/plugins/context";
import { type Agent, defineAgent } from "@reprise/runtime";

const LINE = "The quick brown fox jumps over the lazy dog. ".repeat(8);

/** An agent whose threads are summarised from the second turn on. `onSummary` runs before a summary is given. */
export function defineCompactedAgent(onSummary: () => void = () => undefined): Agent {
  const model = scriptedModel(({ system, messages }) => {
    if (!system.startsWith("You summarise")) return `${LINE} I read ${messages.length} messages.`;
    onSummary();
    return "so far, so good";
  });
  return defineAgent({
    id: "agent",
    model,
    plugins: [context({ summaryMaxTokens: 60, minGainTokens: 20 })],
    contextPolicy: { maxContextTokens: 4_000, maxOutputTokens: 200, autocompactThreshold: 400 },
  });
}

export const QUESTION = `What now? ${LINE}`;
