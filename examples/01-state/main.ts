// Typed state, actions as intents, patches as facts, and two tools that change the same state at once.
import { defineState, type Json } from "reprise";
import {
  applyPatch,
  applyPatches,
  computeTouched,
  detectConflicts,
  gSet,
  StateManager,
  StateRegistry,
  toJsonPatch,
} from "reprise/state";

const trip = defineState({
  path: "trip",
  initial: (): { city: string; budget: number; seen: string[] } => ({ city: "Paris", budget: 900, seen: [] }),
  fields: { seen: { lattice: gSet } },
  actions: {
    book: (state, price: number) => ({ ...state, budget: state.budget - price }),
    visit: (state, place: string) => ({ ...state, seen: [...state.seen, place] }),
  },
});
const registry = new StateRegistry().register(trip);
const show = (label: string, value: unknown): void => console.log(`${label.padEnd(22)}${JSON.stringify(value)}`);

// An action is an intent; its reducer runs once, and what is kept is the patch.
const manager = new StateManager({}, { lattices: registry });
for (const action of [trip.visit("Louvre"), trip.book(120)]) {
  const patch = trip.reduce(manager.state, action);
  manager.commit({ id: `patch-${manager.version + 1}`, source: "example", ...patch });
  show(`${action.action} becomes`, patch.ops);
}
show("state", manager.state);

// Two tools run at the same time, from the same state.
const base = manager.state;
const museum = trip.reduce(base, trip.visit("Orsay"));
const river = trip.reduce(base, trip.visit("Seine"));
const hotel = trip.reduce(base, trip.book(300));
const train = trip.reduce(base, trip.book(80));
const conflicts = (left: typeof museum, right: typeof museum): Json =>
  detectConflicts(computeTouched(left), computeTouched(right), registry).map(({ kind, path }) => [kind, ...path]);
show("visit and visit", conflicts(museum, river));
show("book and book", conflicts(hotel, train));
show("merged, either order", [
  trip.read(applyPatches(base, [museum, river], registry)).seen,
  trip.read(applyPatches(base, [river, museum], registry)).seen,
]);

// A client that speaks JSON Patch hears about it in its own words.
show("as RFC 6902", toJsonPatch(base, hotel));

// Any past state can be rebuilt; the document before a patch is never changed by it.
applyPatch(base, hotel);
show("still", trip.read(base).budget);
show("version 1 was", manager.replayTo(1));
show("rolled back", manager.rollback(1).length);
show("now", manager.snapshot());
