import { describeStore, describeStoreModel } from "@reprise/testkit";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { useServer } from "./postgres/use-server.ts";

describeWithService("postgres", "on a real Postgres", (service) => {
  const { openSchema } = useServer(service);
  describeStore("postgres", openSchema);
  describeStoreModel("postgres", openSchema, { runs: 15 });
});
