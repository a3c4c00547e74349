import { ROUTES, type Route, SCOPES } from "@reprise/server";
import { beforeAll, describe, expect, it } from "vitest";
import { describeOtherWays } from "./describe-other-ways.ts";
import type { GuardedServer } from "./start-guarded.ts";
import { createVictim, nameOf, type Victim } from "./victim.ts";

const named = Object.values(ROUTES)
  .flat()
  // What is signed has nobody to be told from others.
  .filter(({ path, scope }) => path.includes(":") && scope !== "signed");

/** Routes whose ids are names of what all tenants share: agents, workflows and tools of the runtime. */
const isShared = ({ path }: Route): boolean =>
  /^\/v1\/(agents|workflows|ai-sdk\/agents|ag-ui\/agents|a2a\/agents)\//.test(path) && !path.includes(":task");
/** Routes that are for administrators of the server's own tenant. */
const isOfServer = ({ path }: Route): boolean => path.startsWith("/v1/config/");

/** Routes that refuse their owner with 404 too, for want of something beside the id. */
const OWNER_LACKS: readonly string[] = [
  "GET /v1/runs/:id/budget",
  "PATCH /v1/runs/:id/budget",
  "GET /v1/a2a/agents/:agent_id/tasks/:task/pushNotificationConfigs/:config",
];

/** What must hold between the tenants of a server, whatever their threads live in. */
export function describeForeignTenants(serverOf: () => GuardedServer): void {
  const keys = { owner: "", other: "", nobody: "", read: "", run: "", decide: "" };
  beforeAll(async () => {
    const server = serverOf();
    keys.owner = await server.createKey("owner", "admin");
    keys.other = await server.createKey("other", "admin");
    keys.nobody = await server.createKey("nobody", "admin");
    for (const scope of ["read", "run", "decide"] as const) keys[scope] = await server.createKey("owner", scope);
  });

  let read: Promise<Victim> | undefined;
  /** One will do for all who only read it, or do not mean it at all. */
  function victimOf(route: Route): Promise<Victim> {
    if (route.method !== "GET" && !isOfServer(route))
      return createVictim(serverOf(), keys.owner, String(named.indexOf(route)));
    read ??= createVictim(serverOf(), keys.owner, "read");
    return read;
  }

  const heard = async (response: Response): Promise<readonly [number, string]> => [
    response.status,
    await response.text(),
  ];

  describe.each(named)("$method $path", (route) => {
    const wanted: readonly string[] = [route.scope].flat();

    it("lets nobody at what is another's, and leaves it as it was", async () => {
      const server = serverOf();
      const victim = await victimOf(route);
      const { path, body } = victim.requestFor(route);
      const send = async (key?: string) => heard(await server.send(key, route.method, path, body));
      const look = async (): Promise<readonly string[]> => {
        const config = isOfServer(route) ? await heard(await server.ask(server.rootOf(), "/v1/config")) : [];
        return [...(await victim.look()), ...config.map(String)];
      };
      const before = await look();
      expect(before.filter((line) => line.includes('{"error"'))).toEqual([]);

      expect(await send()).toEqual([401, '{"error":"unauthorized: a valid credential is required"}']);
      for (const scope of SCOPES) {
        if (scope === "admin" || wanted.includes(scope)) continue;
        const refused = `{"error":"forbidden: this needs the scope ${wanted.join(" or ")}"}`;
        expect([scope, ...(await send(keys[scope]))]).toEqual([scope, 403, refused]);
      }
      const [status, said] = await send(keys.other);
      if (isOfServer(route)) expect(status).toBe(403);
      else if (!isShared(route)) {
        expect([status, Object.keys(JSON.parse(said))]).toEqual([404, ["error"]]);
        // A tenant that has nothing gets the very same: nothing tells what exists elsewhere.
        expect(await send(keys.nobody)).toEqual([404, said]);
      } else expect(said).not.toContain(victim.doneId);
      expect(await look()).toEqual(before);

      const [own] = await send(isOfServer(route) ? server.rootOf() : keys.owner);
      // Some are there and refuse for a reason of their own: a thread at work, an entry that is no dead letter.
      if (!OWNER_LACKS.includes(nameOf(route))) expect([401, 403, 404]).not.toContain(own);
    });
  });

  describeOtherWays(serverOf, keys);
}
