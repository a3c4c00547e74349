import { RepriseError } from "@reprise/contracts";
import { findActiveSpanBy } from "./current-traceparent.ts";

export type OpenTelemetryApi = typeof import("@opentelemetry/api");

let loaded: OpenTelemetryApi | undefined;

/** Loads `@opentelemetry/api`, an optional peer. The package finds the SDK that the host registered, in whichever copy. */
export async function loadOpenTelemetry(): Promise<void> {
  if (loaded !== undefined) return;
  try {
    const api = await import("@opentelemetry/api");
    loaded = api;
    findActiveSpanBy(() => api.trace.getActiveSpan());
  } catch (error) {
    const message =
      "The observability plugin needs the package @opentelemetry/api, which is not installed. Install it (npm install @opentelemetry/api), or give the plugin a sink.";
    throw new RepriseError("INVALID_DEFINITION", message, { cause: error });
  }
}

/** The package, once it is loaded. */
export function openTelemetry(): OpenTelemetryApi | undefined {
  return loaded;
}
