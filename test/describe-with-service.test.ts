import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../scripts/repository.mjs";
import { createTemporaryFolder } from "./support/temporary-folder.ts";
import { runFixture } from "./support/vitest-fixture.ts";

const SUPPORT = JSON.stringify(join(ROOT, "test/support/describe-with-service.ts"));

// The name is put in, because `npm test` would take a literal call here for a need of this very file.
const SUITE = `
import { describeWithService } from ${SUPPORT};
describeWithService(${JSON.stringify("postgres")}, "store", (service) => {
  it(\`runs against \${service.version} at \${service.folder}\`, () => {});
});
it("adds", () => {});
`;

describe("a suite that needs a service", () => {
  const missing = { REPRISE_POSTGRES_BIN: "/nowhere" };

  it("runs when the service is found, and passes also where CI is set", async () => {
    const folder = createTemporaryFolder({
      postgres: "#!/bin/sh\necho 'postgres (PostgreSQL) 15.4'",
      initdb: "#!/bin/sh",
    });
    const env = { REPRISE_POSTGRES_BIN: folder, CI: "true" };
    const run = await runFixture({ "a.test.ts": SUITE }, { env, vitestArguments: ["--reporter=verbose"] });
    expect(run.stdout).toContain(`runs against 15.4 at ${folder}`);
    expect(run.stdout).not.toContain("LEFT OUT");
    expect(run.code).toBe(0);
  });

  it("is announced at the start, named at the end, and lets the run pass", async () => {
    const run = await runFixture({ "a.test.ts": SUITE }, { env: missing });
    expect(run.stdout).toMatch(/^LEFT OUT: no working postgres with initdb .*: a\.test\.ts\n/);
    expect(run.stdout).toContain("\nTo bring them in: npm run services -- install postgres\n");
    expect(run.stdout).toMatch(
      /\nskipped:\n {2}a\.test\.ts > store > is left out: .* npm run services -- install postgres\ntests: 1 passed, 0 failed, 1 skipped\n$/,
    );
    expect(run.code).toBe(0);
  });

  it("fails the run where CI is set", async () => {
    const run = await runFixture({ "a.test.ts": SUITE }, { env: { ...missing, CI: "true" } });
    expect(run.lastLine).toBe("tests: 1 passed, 0 failed, 1 skipped");
    expect(run.code).toBe(1);
  });
});
