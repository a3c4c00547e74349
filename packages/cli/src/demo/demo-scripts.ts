import type { Conversation } from "./conversation.ts";
import { NOTES } from "./notes.ts";
import { type DemoCall, pickCall, writeMail } from "./pick-call.ts";
import { tellResult } from "./tell-result.ts";

/** What the demonstration model does when it is asked once. */
export interface DemoTurn {
  readonly text: string;
  readonly calls: readonly DemoCall[];
}

export type DemoScript = (conversation: Conversation) => DemoTurn;

const say = (text: string): DemoTurn => ({ text, calls: [] });
const call = (text: string, ...calls: readonly DemoCall[]): DemoTurn => ({ text, calls });

const THINGS_TO_TRY: Readonly<Record<string, string>> = {
  calculator: "what is 12 * 7",
  echo: "echo hello there",
  clock: "what time is it",
  lookUp: "explain replay",
  slowTask: "do something slow",
  failingTool: "fail",
  sendEmail: "send a mail to ann@example.com saying lunch is ready",
  serverInfo: "tell me about the server",
  finish: "finish",
  mcp__weather__forecast: "how is the weather in Lisbon",
  mcp__weather__report_wrong: "the weather in Oslo is wrong",
  skill: "use the skill haiku",
};

/** Calls the tool the user's words ask for, then says what came of it. */
const answer: DemoScript = ({ said, history, rounds, tools }) => {
  const results = rounds.at(-1);
  if (results !== undefined) return say(results.map(tellResult).join("\n"));
  const picked = pickCall(said, tools);
  if (picked !== undefined) return call(`I will use the tool ${picked.tool}.`, picked);
  if (/\b(before|earlier|first|remember)\b/i.test(said) && history.length > 1)
    return say(`You have said ${history.length} things in this thread. The first was: ${history[0]}`);
  return say(introduce(tools));
};

function introduce(tools: readonly string[]): string {
  const things = tools.flatMap((tool) => (THINGS_TO_TRY[tool] === undefined ? [] : [`- ${THINGS_TO_TRY[tool]}`]));
  const lines = [
    "I am a demonstration model: no key, no network, and I only know a few words. Everything around me is real: the run is",
    "stored, streamed and can be resumed. Set OPENAI_API_KEY or another provider's key, and a real model answers instead.",
  ];
  return things.length === 0 ? lines.join(" ") : `${lines.join(" ")}\n\nTry:\n${things.join("\n")}`;
}

/** Asks before everything: whatever the user says becomes a mail that waits for a yes. */
const approve: DemoScript = ({ said, rounds }) => {
  const results = rounds.at(-1);
  if (results !== undefined) return say(results.map(tellResult).join("\n"));
  return call("I may not do this without you. Look at the arguments, then approve, deny or change them.", {
    tool: "sendEmail",
    arguments: writeMail(said),
  });
};

/** Never ends by itself: only a stop policy ends it. */
const goOn: DemoScript = ({ said, rounds, tools }) => {
  const step = rounds.length + 1;
  const isEnd = /\bfinish\b/i.test(said) && tools.includes("finish");
  if (isEnd)
    return call("I call finish, and a stop policy ends the run.", { tool: "finish", arguments: { summary: said } });
  return call(`Step ${step}. I would go on for ever; a stop policy ends this run. `, {
    tool: "echo",
    arguments: { message: `step ${step}` },
  });
};

/** Works in steps: looks several things up at the same time, then has another agent work out a figure, then reports. */
const research: DemoScript = ({ said, rounds }) => {
  const [found, checked] = rounds;
  if (found === undefined) {
    const lookUps = wordsIn(said).map((word) => ({ tool: "lookUp", arguments: { word } }));
    return call(`First I look ${lookUps.length} words up, all at once, and the time.`, ...lookUps, {
      tool: "clock",
      arguments: {},
    });
  }
  const notes = found.filter(({ tool }) => tool === "lookUp");
  if (checked === undefined) {
    const lengths = notes.map(({ data }) => JSON.stringify(data).length);
    return call("Then I have the assistant work out how much I have read.", {
      tool: "agent_run",
      arguments: { agent_id: "assistant", prompt: `What is ${[0, ...lengths].join(" + ")}?` },
    });
  }
  const report = notes.map((result) => `- ${tellResult(result)}`).join("\n");
  return say(`What I found:\n${report}\n\nCharacters read: ${checked.map(tellResult).join("")}`);
};

/** Words we have a note about; some to begin with when there are none. */
function wordsIn(said: string): readonly string[] {
  const known = Object.keys(NOTES).filter((word) => new RegExp(`\\b${word}s?\\b`, "i").test(said));
  return known.length === 0 ? ["run", "decision", "replay"] : known;
}

/** The scripts, by the name of the demonstration's model. */
export const DEMO_SCRIPTS: Readonly<Record<string, DemoScript>> = {
  assistant: answer,
  approver: approve,
  stopper: goOn,
  researcher: research,
};
