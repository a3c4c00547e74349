import { describe, it } from "vitest";
import { type FoundService, findService } from "../../scripts/services/find-service.mjs";
import { installCommand, type ServiceName } from "../../scripts/services/table.mjs";

/**
 * A suite that runs against a real server or browser. Without it the suite becomes one skipped test that says what is
 * missing and how to bring it, so that no report can look complete when it is not.
 *
 * `npm test` finds the services it has to provide by looking for this call: write the name as a literal.
 */
export function describeWithService(name: ServiceName, title: string, suite: (service: FoundService) => void): void {
  const service = findService(name);
  describe(title, () => {
    if (service.found) {
      suite(service);
      return;
    }
    it(`is left out: ${service.reason}; to bring it in: ${installCommand([name])}`, (context) => context.skip());
  });
}
