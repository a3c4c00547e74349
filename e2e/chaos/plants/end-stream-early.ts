import type { Plant } from "./plant.ts";

/** Every so many readers that come back. */
const EVERY = 3;
let resumed = 0;

export const endStreamEarly: Plant = {
  story: "A reader that comes back is told that there is nothing more, by the number of the last event alone.",
  breaks: "I8",
  faults: { kill: 1 },
  clients: "http",
  wrapServer: (server) => ({
    ...server,
    async fetch(request, env) {
      const isResumed = request.headers.has("last-event-id");
      if (isResumed) resumed += 1;
      if (isResumed && resumed % EVERY === 0) return new Response(null, { status: 204 });
      return server.fetch(request, env);
    },
  }),
};
