import "./environment.ts";
import { bare } from "./contestants/bare.ts";
import { CONTESTANTS } from "./contestants.ts";
import { FULL_EFFORT, QUICK_EFFORT } from "./effort.ts";
import { CONCURRENCIES, measureAll } from "./measure.ts";
import type { OneReport, Paired } from "./paired.ts";
import { verify } from "./verify.ts";

const [key = "", pace] = process.argv.slice(2);
const load = CONTESTANTS[key];
if (load === undefined) throw new Error(`There is no contestant ${key}.`);
const contestant = await load();
const effort = pace === "quick" ? QUICK_EFFORT : FULL_EFFORT;
await verify(bare);
const events = await verify(contestant);
const measurements: Paired[] = [];
for (const concurrency of CONCURRENCIES) {
  const all = await measureAll(contestant === bare ? [bare] : [bare, contestant], concurrency, effort);
  const [reference] = all;
  const own = all.at(-1);
  if (own === undefined || reference === undefined) throw new Error("Nothing was measured.");
  measurements.push({ ...own, reference: reference.samples });
}
const report: OneReport = { name: contestant.name, note: contestant.note, events, measurements };
process.stdout.write(JSON.stringify(report));
