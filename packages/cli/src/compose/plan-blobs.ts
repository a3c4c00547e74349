import { type Config, readSecret } from "@reprise/server/config";
import { usageFailure } from "../output/failure.ts";
import type { Settings } from "../settings/settings.ts";

/** The bucket that the bytes of larger files are in, with everything that is needed to use it. */
export interface BlobsPlan {
  readonly bucket: string;
  readonly region?: string;
  readonly endpoint?: string;
  readonly publicEndpoint?: string;
  readonly prefix?: string;
  readonly inlineBytes?: number;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  /** Sends those who ask for a file to the bucket, by a link that works so long. */
  readonly linkSeconds?: number;
}

type Configured = NonNullable<Config["blobs"]>;

const URL_PARAMETERS = ["region", "endpoint", "public_endpoint", "inline_bytes", "link_seconds"] as const;

/** Decides where the bytes of larger files are: what is said on the command line and in the environment goes before the configuration. */
export function planBlobs(settings: Settings, configured: Configured | undefined): BlobsPlan | undefined {
  const url = settings.value("blobsUrl");
  const place = url === undefined ? configured : readUrl(url);
  if (place === undefined) return undefined;
  const { bucket, endpoint, public_endpoint, prefix, inline_bytes, link_seconds } = place;
  const region = place.region ?? settings.variables.AWS_REGION;
  return {
    bucket,
    credentials: readCredentials(settings, place),
    ...(region !== undefined && region !== "" && { region }),
    ...(endpoint !== undefined && { endpoint }),
    ...(public_endpoint !== undefined && { publicEndpoint: public_endpoint }),
    ...(prefix !== undefined && { prefix }),
    ...(inline_bytes !== undefined && { inlineBytes: inline_bytes }),
    ...(link_seconds !== undefined && { linkSeconds: link_seconds }),
  };
}

/** Names the bucket, without secrets. */
export function describeBlobs({ bucket, prefix = "", endpoint }: BlobsPlan): string {
  return `S3 bucket ${bucket}${prefix === "" ? "" : `/${prefix}`}${endpoint === undefined ? "" : ` at ${endpoint}`}`;
}

/** `s3://bucket/prefix?region=…`. */
function readUrl(text: string): Configured {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const unknown = [...(url?.searchParams.keys() ?? [])].find((name) => !URL_PARAMETERS.some((known) => known === name));
  if (url === undefined || url.protocol !== "s3:" || url.host === "" || url.username !== "" || unknown !== undefined) {
    const why = unknown === undefined ? "is no s3:// address" : `has the unknown parameter ${unknown}`;
    throw usageFailure(
      `The address of the bucket ${why}.`,
      `Set --blobs-url (REPRISE_BLOBS_URL) as in s3://bucket/prefix?region=eu-central-1; it may have ${URL_PARAMETERS.join(", ")}.`,
    );
  }
  const { searchParams: given, pathname, host } = url;
  const prefix = decodeURIComponent(pathname.slice(1));
  const texts = ["region", "endpoint", "public_endpoint"].flatMap((name) =>
    given.get(name) === null ? [] : [[name, given.get(name)]],
  );
  const numbers = ["inline_bytes", "link_seconds"].flatMap((name) =>
    given.get(name) === null ? [] : [[name, readNumber(name, given.get(name))]],
  );
  return {
    kind: "s3",
    bucket: host,
    ...(prefix !== "" && { prefix: prefix.endsWith("/") ? prefix : `${prefix}/` }),
    ...Object.fromEntries([...texts, ...numbers]),
  };
}

function readNumber(name: string, text: string | null): number {
  if (text !== null && /^\d{1,12}$/.test(text)) return Number(text);
  throw usageFailure(
    `${name} of the bucket's address must be a whole number.`,
    "Correct --blobs-url (REPRISE_BLOBS_URL).",
  );
}

function readCredentials(settings: Settings, place: Configured): BlobsPlan["credentials"] {
  const named = (name: string): string | undefined => settings.named(name);
  const read = (
    field: "access_key_id" | "secret_access_key" | "session_token",
    variable: string,
  ): string | undefined => {
    const configured = place[field];
    if (configured !== undefined) return readSecret(configured, named);
    const value = settings.variables[variable];
    if (value === undefined || value === "") return undefined;
    // An address of `.env` is not to be written to with a key from elsewhere.
    if (settings.sourceOf("blobsUrl") === ".env" && !settings.isFromFile(variable))
      throw usageFailure(
        `REPRISE_BLOBS_URL is in .env, and ${variable} of the environment is not used with it.`,
        `Set REPRISE_BLOBS_URL in the environment, or put ${variable} into .env.`,
      );
    return value;
  };
  const accessKeyId = read("access_key_id", "AWS_ACCESS_KEY_ID");
  const secretAccessKey = read("secret_access_key", "AWS_SECRET_ACCESS_KEY");
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw usageFailure(
      `Files are in the bucket ${place.bucket}, and nothing says with which key.`,
      "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or blobs.access_key_id and blobs.secret_access_key in the configuration.",
    );
  const sessionToken = read("session_token", "AWS_SESSION_TOKEN");
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
}
