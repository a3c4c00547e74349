import { describe, expect, it } from "vitest";
import { Settings } from "../settings/settings.ts";
import { describeStore, planStore } from "./plan-store.ts";

type Configured = Parameters<typeof planStore>[1];

const URL_ONE = "postgres://me:hunter2@one/db";

describe("where threads live", () => {
  const cases: readonly (readonly [string, object, Record<string, string>, Configured, object])[] = [
    ["by default", {}, {}, undefined, { kind: "sqlite", file: "threads/reprise.db" }],
    ["by the folder", { storageDir: "here" }, {}, undefined, { kind: "sqlite", file: "here/reprise.db" }],
    [
      "by the environment's database",
      {},
      { DATABASE_URL: URL_ONE },
      { kind: "sqlite", file: "x.db" },
      { kind: "postgres", url: URL_ONE },
    ],
    [
      "by several databases, of which one has a comma in its password",
      {},
      { DATABASE_URL: `${URL_ONE}, postgresql://me:a,b@two/db` },
      undefined,
      { kind: "postgres", urls: [URL_ONE, "postgresql://me:a,b@two/db"] },
    ],
    [
      "by a flag before the environment",
      { storageDir: "here" },
      { DATABASE_URL: URL_ONE },
      undefined,
      { kind: "sqlite", file: "here/reprise.db" },
    ],
    ["by the configuration", {}, {}, { kind: "sqlite", file: "x.db" }, { kind: "sqlite", file: "x.db" }],
    ["in memory", {}, {}, { kind: "memory" }, { kind: "memory" }],
    ["in a folder of files", {}, {}, { kind: "file", folder: "data" }, { kind: "file", folder: "data" }],
    [
      "in another folder of files",
      {},
      { REPRISE_STORAGE_DIR: "there" },
      { kind: "file", folder: "data" },
      { kind: "file", folder: "there" },
    ],
    [
      "by a variable of one's own",
      {},
      { MY_DB: URL_ONE },
      { kind: "postgres", url: { kind: "env", name: "MY_DB" }, schema: "s" },
      { kind: "postgres", url: URL_ONE, schema: "s" },
    ],
    [
      "behind NATS",
      {},
      { DATABASE_URL: URL_ONE },
      { kind: "nats", nats_url: "nats://n" },
      { kind: "nats", url: URL_ONE, natsUrl: "nats://n" },
    ],
  ];
  it.each(cases)("is decided %s", (_, flags, variables, configured, plan) => {
    expect(planStore(new Settings({ ...flags }, variables), configured)).toEqual(plan);
  });
});

it.each([
  [{ kind: "postgres" }, "The store is a Postgres database, and nothing says which."],
  [{ kind: "nats", url: URL_ONE }, "The store buffers its writes in NATS, and nothing says where that is."],
  [{ kind: "nats", url: `${URL_ONE},${URL_ONE}`, nats_url: "nats://n" }, "and that takes one database."],
] as const)("says what is missing for %j", (configured, message) => {
  expect(() => planStore(new Settings({}, {}), configured)).toThrow(message);
});

it("tells the place without passwords", () => {
  expect(describeStore({ kind: "nats", url: URL_ONE, natsUrl: "nats://u:hunter2@n:4222" })).toBe(
    "Postgres one/db behind NATS n:4222",
  );
  expect(describeStore({ kind: "postgres", urls: [URL_ONE, "postgres://me:hunter2@two/db"] })).toBe(
    "Postgres one/db, two/db",
  );
  expect(describeStore({ kind: "postgres", url: "hunter2" })).toBe("Postgres at an address that cannot be read");
});
