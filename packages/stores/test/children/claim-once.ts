import { openSqliteStore } from "../../src/sqlite/open-sqlite-store.ts";

/** Works on a file as `child`, able to run agents that it is given, claims once, says what it got, and stays until its input ends. */
const [, , file = "", ...agents] = process.argv;
const store = await openSqliteStore({ file });
const abilities = Object.fromEntries(agents.map((agent) => [agent, { tools: {} }]));
const presence = await store.operator.enter({ owner: "child", is_lasting: false, lease_ms: 60_000 });
await presence.announce(abilities);
const claims = await store.operator.claim({ owner: "child", lease_ms: 60_000, limit: 10, abilities });
// Before anybody is told that it is here: what comes then must be heard.
store.operator.watch((signal) => console.log(JSON.stringify(signal)));
console.log(JSON.stringify({ claimed: claims.map(({ thread_id }) => thread_id) }));
process.stdin.resume();
process.stdin.once("end", () => void store.close());
