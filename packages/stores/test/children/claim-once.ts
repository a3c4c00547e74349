import { openSqliteStore } from "../../src/sqlite/open-sqlite-store.ts";

/** Becomes the dispatcher of a file, says so, and stays until its input ends. */
const [, , file = ""] = process.argv;
const store = await openSqliteStore({ file });
const claims = await store.operator.claim({ owner: "child", lease_ms: 60_000, limit: 10 });
// Before anybody is told that it is here: what comes then must be heard.
store.operator.watch((signal) => console.log(JSON.stringify(signal)));
console.log(JSON.stringify({ pid: process.pid, claimed: claims.map(({ thread_id }) => thread_id) }));
process.stdin.resume();
process.stdin.once("end", () => void store.close());
