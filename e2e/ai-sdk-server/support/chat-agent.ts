import { setTimeout as pause } from "node:timers/promises";
import {
  type Agent,
  defineAgent,
  defineTool,
  type LanguageModel,
  type ScriptTurn,
  scriptedModel,
  textOf,
} from "reprise";
import { z } from "zod";

const weather = defineTool({
  id: "weather",
  description: "Looks the weather up.",
  class: "read_only",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, sky: "clear", celsius: 21 }),
});

const wire = defineTool({
  id: "wire",
  description: "Sends money.",
  needsApproval: true,
  inputSchema: z.object({ to: z.string(), amount: z.number() }),
  execute: ({ to, amount }) => ({ sent: amount, to }),
});

/** Where answers wait until a test lets them continue. */
const gates = new Map<string, PromiseWithResolvers<void>>();

function gateOf(key: string): PromiseWithResolvers<void> {
  const gate = gates.get(key) ?? Promise.withResolvers<void>();
  gates.set(key, gate);
  return gate;
}

const GATE = "gate:";

/** A model that takes its time between words, and all of it at a gate. */
function slowly(model: LanguageModel, ms: number): LanguageModel {
  return {
    id: model.id,
    async *stream(request) {
      for await (const chunk of model.stream(request)) {
        if (chunk.type === "text_delta" && chunk.delta.startsWith(GATE)) {
          await gateOf(chunk.delta.slice(GATE.length)).promise;
          continue;
        }
        yield chunk;
        if (chunk.type === "text_delta") await pause(ms, undefined, { signal: request.signal });
      }
    },
  };
}

let answers = 0;

/**
 * Does what the last message says: `pay <names>`, `weather in <city>`, `hold <key>` until somebody says `release <key>`, `stall`; anything
 * else is repeated, with a number.
 */
function play(messages: readonly Parameters<typeof textOf>[0][], lastRole: string | undefined): ScriptTurn {
  const last = messages.at(-1);
  if (lastRole === "tool") return [{ text: ["That ", "is ", "settled."] }];
  const said = last === undefined ? "" : textOf(last);
  const [word, ...rest] = said.replace(/[.,!?]/g, "").split(" ");
  switch (word?.toLowerCase()) {
    case "pay": {
      const names = rest.filter((name) => name !== "and");
      return [{ text: "May I?" }, ...names.map((to) => ({ call: "wire", arguments: { to, amount: 5 } }))];
    }
    case "weather":
      return [{ call: "weather", arguments: { city: rest.at(-1) ?? "Oslo" } }];
    case "hold":
      return [{ text: ["One ", "two ", GATE + rest[0], "three ", "four."] }];
    case "release":
      gateOf(rest[0] ?? "").resolve();
      return "Released.";
    case "stall":
      return [{ text: "Wait " }, { stall: true }];
    default:
      answers += 1;
      return [{ text: ["You said: ", said, ` (answer ${answers})`] }];
  }
}

/** An agent that needs no key. */
export function chatAgent(msPerWord: number): Agent {
  const model = slowly(
    scriptedModel(({ messages }) => play(messages, messages.at(-1)?.role)),
    msPerWord,
  );
  return defineAgent({ id: "assistant", description: "Talks without a key.", model, tools: [weather, wire] });
}
