import { describeStore, describeStoreModel } from "@reprise/testkit";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { useBufferedServers } from "./nats/use-buffered.ts";

describeWithService("postgres", "a buffered store", (postgres) => {
  describeWithService("nats", "on a real Postgres and a real NATS", (nats) => {
    const { openBuffered } = useBufferedServers({ postgres, nats });
    describeStore("nats-buffered", openBuffered, {
      deviations: [
        {
          law: "shows every handle what any of them wrote",
          reason: "what a running run commits is seen by other processes when it waits, is done, or its time is up",
        },
        {
          law: "lists calls oldest first, by thread, run and status",
          reason: "between threads the order is that of storing; within one it is tested in nats-buffering.test.ts",
        },
      ],
    });
    describeStoreModel("nats-buffered", openBuffered, { runs: 15 });
  });
});
