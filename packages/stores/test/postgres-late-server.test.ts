import { RepriseError } from "@reprise/contracts";
import { expect, it } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { openPostgresStore } from "../src/postgres/open-postgres-store.ts";
import { startCuttingProxy } from "./postgres/cutting-proxy.ts";
import { useServer } from "./postgres/use-server.ts";
import { freePort } from "./support/free-port.ts";

describeWithService("postgres", "issue 14.34: a Postgres server that is down when a process starts", (service) => {
  const used = useServer(service);

  it("is waited for with a message, and used when it is there", async () => {
    const port = await freePort();
    const url = new URL(used.url);
    url.port = String(port);
    url.hostname = "127.0.0.1";
    const problems: RepriseError[] = [];
    const store = await openPostgresStore({
      url: url.href,
      schema: used.freshSchema(),
      onWait: (problem) => {
        problems.push(problem);
        if (problems.length === 1) void startCuttingProxy(used.url, port);
      },
    });
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.every((problem) => RepriseError.is(problem, "STORE_UNAVAILABLE"))).toBe(true);
    expect(await store.operator.listWorkers()).toEqual([]);
    await store.close();
  });

  it("is an error at once for a process that does not want to wait", async () => {
    const url = new URL(used.url);
    url.port = String(await freePort());
    url.hostname = "127.0.0.1";
    const opening = openPostgresStore({ url: url.href, waitMs: 0 });
    await expect(opening).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });

  it("is an error at once when it is up and refuses the database", async () => {
    const url = new URL(used.url);
    url.pathname = "/nowhere";
    const opening = openPostgresStore({ url: url.href });
    await expect(opening).rejects.toMatchObject({ details: { reason: "no_database" } });
  });
});
