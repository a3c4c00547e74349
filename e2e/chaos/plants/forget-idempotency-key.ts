import type { Plant } from "./plant.ts";

export const forgetIdempotencyKey: Plant = {
  story: "A request that is sent again under its key is a new request.",
  breaks: "I6",
  faults: { kill: 4 },
  clients: "http",
  changes: [
    {
      file: "packages/server/src/idempotency/repeat-key.ts",
      from: 'context.req.header("idempotency-key")',
      to: 'context.req.header("no-such-key")',
    },
  ],
};
