import { defineAgent, defineState, defineTool, type Message, type ScriptTurn, ToolError } from "reprise";
import { callsSince, isToolResult, pacedModel, requestOf, wordsOf } from "./paced-model.ts";

interface Day {
  readonly title: string;
  readonly stops: readonly string[];
}

interface Plan {
  readonly city: string;
  readonly days: readonly Day[];
}

interface Trip extends Plan {
  readonly id: string;
  readonly travellers: number;
  readonly price: number;
}

interface Travel {
  /** What the agent is planning. */
  readonly plan: Plan | null;
  readonly trips: readonly Trip[];
}

const PRICE_OF_A_DAY = 140;

/** What the page shows: the plan while it is made, and the trips that were created. */
const travel = defineState({
  path: "travel",
  initial: (): Travel => ({ plan: null, trips: [] }),
  actions: {
    planDay: (now, city: string, day: Day): Travel => {
      const days = now.plan?.city === city ? now.plan.days : [];
      return { ...now, plan: { city, days: [...days, day] } };
    },
    startOver: (now): Travel => ({ ...now, plan: null }),
    create: (now, trip: Trip): Travel => ({ plan: null, trips: [...now.trips, trip] }),
  },
});

const planDay = defineTool({
  id: "plan_day",
  description: "Adds a day to the plan.",
  inputSchema: {
    type: "object",
    properties: {
      city: { type: "string" },
      number: { type: "integer", minimum: 1 },
      title: { type: "string" },
      stops: { type: "array", items: { type: "string" } },
    },
    required: ["city", "number", "title", "stops"],
  },
  execute: ({ city, number, title, stops }: { city: string; number: number } & Day, { state }) => {
    // The first day begins a new plan.
    if (number === 1) state.apply(travel.startOver());
    state.apply(travel.planDay(city, { title, stops }));
    return { planned: number };
  },
});

const createTrip = defineTool({
  id: "create_trip",
  description: "Creates the trip that was planned. Costs money, so a person decides.",
  inputSchema: {
    type: "object",
    properties: {
      city: { type: "string" },
      days: { type: "integer", minimum: 1 },
      travellers: { type: "integer", minimum: 1, maximum: 9 },
    },
    required: ["city", "days", "travellers"],
  },
  needsApproval: true,
  execute: ({ city, travellers }: { city: string; travellers: number }, { state, idempotencyKey }) => {
    const { plan } = state.get(travel);
    if (plan === null || plan.city !== city)
      return new ToolError("invalid_arguments", `There is no plan for ${city}. Plan its days first.`);
    const price = plan.days.length * travellers * PRICE_OF_A_DAY;
    state.apply(travel.create({ ...plan, id: idempotencyKey, travellers, price }));
    return { created: city, price };
  },
});

const ATLAS: Readonly<Record<string, readonly Day[]>> = {
  Lisbon: [
    { title: "Hills and trams", stops: ["Alfama on foot", "Tram 28", "Miradouro da Graça at dusk"] },
    { title: "Along the river", stops: ["Belém Tower", "Custard tarts in Belém", "MAAT"] },
    { title: "To the sea", stops: ["Train to Cascais", "Boca do Inferno", "Grilled sardines"] },
  ],
  Kyoto: [
    { title: "Temples of the east", stops: ["Kiyomizu-dera", "Philosopher's Path", "Gion in the evening"] },
    { title: "Bamboo and water", stops: ["Arashiyama", "Tenryū-ji garden", "Boats on the Hozu"] },
    { title: "A thousand gates", stops: ["Fushimi Inari", "Nishiki Market", "A tea house"] },
  ],
  Oslo: [
    { title: "The fjord", stops: ["Opera roof", "Ferry to Hovedøya", "Sauna at the pier"] },
    { title: "Museums", stops: ["Munch", "National Museum", "Fram"] },
    { title: "The forest", stops: ["Tram to Frognerseteren", "Walk to Sognsvann", "Waffles"] },
  ],
};

const NUMBERS = ["one", "two", "three"];

/** Plans day by day, and then asks to create the trip. */
function play(messages: readonly Message[]): ScriptTurn {
  const said = requestOf(messages);
  const city = Object.keys(ATLAS).find((name) => said.toLowerCase().includes(name.toLowerCase()));
  if (city === undefined) return `I know ${Object.keys(ATLAS).join(", ")}. Try: three days in Lisbon for two.`;
  const days = (ATLAS[city] ?? []).slice(0, numberIn(said, "days?") ?? 3);
  const calls = callsSince(messages);
  const next = days[calls.filter((name) => name === "plan_day").length];
  if (next !== undefined) {
    const begin =
      calls.length === 0 ? [{ text: `${days.length === 1 ? "A day" : `${days.length} days`} in ${city}.` }] : [];
    return [...begin, { call: "plan_day", arguments: { city, number: days.indexOf(next) + 1, ...next } }];
  }
  if (!calls.includes("create_trip")) {
    const travellers = numberIn(said.replace(/.*\bfor\b/i, ""), "") ?? 2;
    return [
      { text: "The plan is ready. Shall I create the trip?" },
      { call: "create_trip", arguments: { city, days: days.length, travellers } },
    ];
  }
  const last = messages.at(-1);
  const isCreated = isToolResult(last) && wordsOf(last).includes("created");
  return isCreated
    ? `Your trip to ${city} is created. Have a good journey!`
    : "I have created nothing. Tell me what to change.";
}

function numberIn(text: string, unit: string): number | undefined {
  const found = new RegExp(`\\b(\\d|${NUMBERS.join("|")})\\b ?${unit}`, "i").exec(text)?.[1]?.toLowerCase();
  if (found === undefined) return undefined;
  return NUMBERS.includes(found) ? NUMBERS.indexOf(found) + 1 : Math.max(1, Number(found));
}

/** The agent of `travel-ui`. */
export const planner = defineAgent({ id: "planner", model: pacedModel(play, "planner"), tools: [planDay, createTrip] });
