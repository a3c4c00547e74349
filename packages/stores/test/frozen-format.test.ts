import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SCHEMA_STEPS as POSTGRES_STEPS } from "../src/postgres/schema.ts";
import { SCHEMA_STEPS as SQLITE_STEPS } from "../src/sqlite/schema.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");

const hash = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");

/**
 * What was released, as it was. Nothing in this list is ever changed: a change of the tables is a further step, a change of a text is a
 * further format with its upcaster, and the fixtures of the version that brings it are further files.
 */
const FROZEN: Readonly<Record<string, string>> = {
  "sqlite schema 1": "8b2cdf6b0d391ddc06ac2d497ae71f1b49144fb315080ca38374d744e09350c3",
  "postgres schema 1": "f56015da7903caa08f2f3d06b0b8d3760c85b495ebd610d7379c094e49c6ebca",
  "0.1.0/file.json.gz": "7d4699a120b0a4dd9893eb1559319a17a180bc56f905d2ea3d9fd8be0fe80c5d",
  "0.1.0/postgres.sql.gz": "c7d29e62af5c98ca7fb398ea6fd705b1bc6bf4add3c2c37d1ddf83572f3866bf",
  "0.1.0/sqlite.db.gz": "bcf6591348f07caef1744b7abedaf13fd40fa517c7951e6689f2d0016a0e7161",
};

describe("the stored format is frozen", () => {
  const found = new Map<string, string>();
  for (const [index, step] of SQLITE_STEPS.entries()) found.set(`sqlite schema ${index + 1}`, hash(step));
  for (const [index, step] of POSTGRES_STEPS.entries()) found.set(`postgres schema ${index + 1}`, hash(step));
  const versions = readdirSync(FIXTURES).filter((name) => /^\d+\.\d+\.\d+$/.test(name));
  for (const version of versions) {
    for (const file of readdirSync(join(FIXTURES, version))) {
      found.set(`${version}/${file}`, hash(readFileSync(join(FIXTURES, version, file))));
    }
  }

  it.each(Object.entries(FROZEN))("keeps %s as it was released", (name, released) => {
    expect(found.get(name)).toBe(released);
  });

  it("has nothing that is not in the list: what a release brings is added to it", () => {
    expect([...found.keys()].toSorted()).toEqual(Object.keys(FROZEN).toSorted());
  });
});
