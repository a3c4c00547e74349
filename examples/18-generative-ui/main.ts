// An agent that shows a form with A2UI, and reads what the user chose on it.
import { createRuntime, defineAgent, memory, scriptedModel } from "reprise";
import { encodeSurfaces, generativeUi } from "reprise/plugins/generative-ui";

const catalogId = "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json";
const form = [
  { version: "v0.9", createSurface: { surfaceId: "booking", catalogId } },
  {
    version: "v0.9",
    updateComponents: {
      surfaceId: "booking",
      components: [
        { id: "root", component: "Card", child: "column" },
        { id: "column", component: "Column", children: ["title", "date", "book"] },
        { id: "title", component: "Text", text: "A table for two", variant: "h2" },
        { id: "date", component: "DateTimeInput", value: { path: "/date" }, enableDate: true },
        {
          id: "book",
          component: "Button",
          child: "label",
          action: { event: { name: "book", context: { date: { path: "/date" } } } },
        },
        { id: "label", component: "Text", text: "Book" },
      ],
    },
  },
  { version: "v0.9", updateDataModel: { surfaceId: "booking", path: "/date", value: "2026-11-20" } },
];
const model = scriptedModel([
  [{ call: "render_a2ui", arguments: { messages: form } }],
  "Please choose a date.",
  [{ call: "render_a2ui", arguments: { messages: [{ version: "v0.9", deleteSurface: { surfaceId: "booking" } }] } }],
  "The table is booked.",
]);
const agent = defineAgent({ id: "host", model, plugins: [generativeUi()] });
const runtime = await createRuntime({ agents: [agent], store: memory() });

async function say(input: string): Promise<void> {
  const run = await runtime.start({ agent: "host", threadId: "t1", input });
  for await (const event of run.events()) {
    if (event.type !== "activity_snapshot") continue;
    console.log(`${event.data.activity_type}: ${event.data.message_id}`);
    for (const operation of (event.data.content as { a2ui_operations: object[] }).a2ui_operations) {
      console.log(`  ${Object.keys(operation).slice(1).join()}`);
    }
  }
  console.log(`> ${await run.text}`);
  const { equal } = await runtime.replay(run.id);
  console.log(`the replay is ${equal ? "equal" : "different"}`);
}

await say("I want a table.");
console.log(
  `${encodeSurfaces(await runtime.threads.state("t1")).length} messages show a page that is loaded now the same`,
);

// The user chose a date and pressed the button: a renderer makes this message.
const action = {
  name: "book",
  surfaceId: "booking",
  sourceComponentId: "book",
  timestamp: "2026-11-16T12:00:00Z",
  context: { date: "2026-11-21" },
};
await say(JSON.stringify({ version: "v0.9", action }));
console.log(model.requests.at(-1)?.messages.find(({ content }) => String(content).startsWith("[UI event]"))?.content);
await runtime.close();
