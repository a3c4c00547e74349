import { describe, expect, it } from "vitest";
import { findService } from "../scripts/services/find-service.mjs";
import { installServices, whyNotInstallable } from "../scripts/services/install-services.mjs";
import { neededServices } from "../scripts/services/needed-services.mjs";
import { provideServices } from "../scripts/services/provide-services.mjs";
import type { ServiceName } from "../scripts/services/table.mjs";
import { createFakeMachine } from "./support/fake-machine.ts";
import { createTemporaryFolder } from "./support/temporary-folder.ts";

const NATS = { "/usr/sbin/nats-server": "nats-server: v2.9.10" };
const POSTGRES_15 = {
  "/usr/lib/postgresql/15/bin/postgres": "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)",
  "/usr/lib/postgresql/15/bin/initdb": "initdb",
};

describe("findService", () => {
  it("finds a program on PATH and reads its version", () => {
    const machine = createFakeMachine({ programs: { "/usr/bin/chromium": "Chromium 150.0.7871.100 built on Debian" } });
    expect(findService("chromium", machine)).toEqual({
      found: true,
      name: "chromium",
      binary: "/usr/bin/chromium",
      folder: "/usr/bin",
      version: "150.0.7871.100",
    });
  });

  it("finds PostgreSQL in Debian's folder, the newest version first", () => {
    const nine = { "/usr/lib/postgresql/9/bin/postgres": "postgres 9.6", "/usr/lib/postgresql/9/bin/initdb": "initdb" };
    const machine = createFakeMachine({ programs: { ...nine, ...POSTGRES_15 } });
    expect(findService("postgres", machine)).toMatchObject({ folder: "/usr/lib/postgresql/15/bin", version: "15.18" });
  });

  it("does not take a client or a wrapper without initdb for a server", () => {
    const machine = createFakeMachine({ programs: { "/usr/bin/psql": "psql 15", "/usr/bin/postgres": "postgres 15" } });
    expect(findService("postgres", machine)).toEqual({
      found: false,
      name: "postgres",
      reason: "no working postgres with initdb on PATH or in /usr/lib/postgresql/*/bin",
    });
    const both = createFakeMachine({ programs: { "/usr/bin/postgres": "postgres 15", ...POSTGRES_15 } });
    expect(findService("postgres", both)).toMatchObject({ binary: "/usr/lib/postgresql/15/bin/postgres" });
  });

  it("passes over a program that cannot tell its version", () => {
    const machine = createFakeMachine({
      programs: { "/usr/bin/chromium": "", "/usr/bin/google-chrome": "Google Chrome 151.0" },
    });
    expect(findService("chromium", machine)).toMatchObject({ binary: "/usr/bin/google-chrome", version: "151.0" });
  });

  it.each(["/opt/pg/bin", "/opt/pg/bin/postgres"])("looks only where the variable says: %s", (override) => {
    const env = { REPRISE_POSTGRES_BIN: override };
    const own = { "/opt/pg/bin/postgres": "postgres (PostgreSQL) 18.1", "/opt/pg/bin/initdb": "initdb" };
    expect(findService("postgres", createFakeMachine({ env, programs: { ...own, ...POSTGRES_15 } }))).toMatchObject({
      binary: "/opt/pg/bin/postgres",
      version: "18.1",
    });
    expect(findService("postgres", createFakeMachine({ env, programs: POSTGRES_15 }))).toMatchObject({
      found: false,
      reason: `no working postgres with initdb at REPRISE_POSTGRES_BIN=${override}`,
    });
  });
});

describe("installServices", () => {
  it("updates once and installs Debian's packages without asking", () => {
    const machine = createFakeMachine({ installs: NATS });
    expect(installServices(["nats", "chromium"], machine).problem).toBeUndefined();
    expect(machine.commands).toEqual([
      expect.stringMatching(/^DEBIAN_FRONTEND=noninteractive apt-get update /),
      expect.stringMatching(/^DEBIAN_FRONTEND=noninteractive apt-get install --yes .* nats-server chromium$/),
    ]);
  });

  it("says why it cannot, and runs nothing", () => {
    const user = createFakeMachine({ userId: 1000 });
    expect(installServices(["nats"], user).problem).toBe("apt-get needs root");
    expect(user.commands).toEqual([]);
    expect(whyNotInstallable(createFakeMachine({ isDebian: false }))).toBe("only Debian with apt-get is known here");
    expect(whyNotInstallable(createFakeMachine({ env: { PATH: "/bin" } }))).toBe(
      "only Debian with apt-get is known here",
    );
  });

  it("hands on what apt-get said when it failed", () => {
    const machine = createFakeMachine({ installs: "E: Could not resolve the mirror" });
    expect(installServices(["nats"], machine).problem).toBe("apt-get install failed:\nE: Could not resolve the mirror");
  });
});

describe("neededServices", () => {
  // The name is put in, because `npm test` would take a literal call here for a need of this very file.
  const call = (name: string) => `describeWithService("${name}", "store", () => {});`;

  it("finds the marker in test files, whichever way it is written", () => {
    const split = call("nats").replace("(", "(\n  ").replaceAll('"', "'");
    const root = createTemporaryFolder({
      "packages/stores/test/a.test.ts": call("postgres") + split,
      "e2e/b.test.ts": call("postgres"),
      "e2e/not-a-test.ts": call("chromium"),
      "e2e/c.test.ts": call("chromium").replace('"chromium"', "name"),
      "node_modules/x/d.test.ts": call("chromium"),
    });
    expect(neededServices(root, "test", [])).toEqual(
      new Map([
        ["postgres", ["e2e/b.test.ts", "packages/stores/test/a.test.ts"]],
        ["nats", ["packages/stores/test/a.test.ts"]],
      ]),
    );
  });

  it("looks only at the files that were asked for", () => {
    const root = createTemporaryFolder({ "a.test.ts": call("postgres"), "b.test.ts": call("nats") });
    expect([...neededServices(root, "test", ["--bail=1", "b.test"]).keys()]).toEqual(["nats"]);
  });

  it("looks only at the files of the tier that runs", () => {
    const root = createTemporaryFolder({ "a.test.ts": call("postgres"), "b.prove.test.ts": call("chromium") });
    expect([...neededServices(root, "test", []).keys()]).toEqual(["postgres"]);
    expect([...neededServices(root, "prove", []).keys()]).toEqual(["chromium"]);
  });

  it("refuses an unknown service", () => {
    const root = createTemporaryFolder({ "a.test.ts": call("oracle") });
    expect(() => neededServices(root, "test", [])).toThrow('a.test.ts asks for "oracle"');
  });
});

describe("provideServices", () => {
  const needed: ReadonlyMap<ServiceName, readonly string[]> = new Map([["nats", ["a.test.ts", "b.test.ts"]]]);

  it("installs what is missing and then finds it", () => {
    const lines: string[] = [];
    const machine = createFakeMachine({ installs: NATS });
    expect(provideServices(needed, machine, (line) => lines.push(line))).toEqual([]);
    expect(lines).toEqual(["Installing for the tests, with apt-get: nats-server."]);
  });

  it("installs nothing that is there or not needed", () => {
    const machine = createFakeMachine({ programs: NATS });
    expect(provideServices(needed, machine, () => {})).toEqual([]);
    expect(provideServices(new Map(), machine, () => {})).toEqual([]);
    expect(machine.commands).toEqual([]);
  });

  it("names the files left out and the command that brings them", () => {
    const lines: string[] = [];
    const machine = createFakeMachine({ userId: 1000 });
    expect(provideServices(needed, machine, (line) => lines.push(line))).toEqual(["nats"]);
    expect(lines[0]).toMatch(/^LEFT OUT: no working nats-server .*: a\.test\.ts, b\.test\.ts$/);
    expect(lines[1]).toBe("To bring them in: npm run services -- install nats");
  });

  it("continues when installing fails, and says what apt-get said", () => {
    const lines: string[] = [];
    const machine = createFakeMachine({ installs: "E: no network" });
    expect(provideServices(needed, machine, (line) => lines.push(line))).toEqual(["nats"]);
    expect(lines.join("\n")).toContain("E: no network");
  });

  it("does not install behind the back of a variable that leads nowhere", () => {
    const machine = createFakeMachine({ env: { REPRISE_NATS_BIN: "/nowhere" }, installs: NATS });
    expect(provideServices(needed, machine, () => {})).toEqual(["nats"]);
    expect(machine.commands).toEqual([]);
  });
});
