import type { Plant } from "./plant.ts";
import { wrapTenants } from "./wrap-tenants.ts";

let repeats = 0;

export const repeatMessage: Plant = {
  story: "What a user said is in the thread twice, under two ids.",
  breaks: "I3",
  faults: { kill: 1 },
  wrapStore: (store) =>
    wrapTenants(store, (real) => ({
      submit(entry, claiming) {
        const said = claiming?.changeset.messages.at(-1);
        if (claiming === undefined || said === undefined) return real.submit(entry, claiming);
        repeats += 1;
        const messages = [...claiming.changeset.messages, { ...said, id: `${said.id}-again-${repeats}` }];
        return real.submit(entry, { ...claiming, changeset: { ...claiming.changeset, messages } });
      },
    })),
};
