import { RepriseError } from "@reprise/contracts";

/** What the service said, and where. */
export interface S3Refusal {
  readonly status: number;
  /** S3's own code; empty when the answer had none. */
  readonly code: string;
  /** The service's clock, from its answer. */
  readonly date: string | null;
}

/** Which bucket of which service, and as whom. */
export interface S3Place {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
}

type Explain = (place: S3Place, refusal: S3Refusal) => readonly [reason: string, problem: string, remedy: string];

const wrongKey: Explain = ({ accessKeyId }) => [
  "credentials",
  `the service does not accept the access key ${masked(accessKeyId)} with its secret`,
  "Check both, and that they are for this service.",
];

const wrongClock: Explain = (_, { date }) => [
  "clock_skew",
  `the clock of this machine is ${skewOf(date)} away from the service's`,
  "Set the clock, best by NTP: signatures hold for 15 minutes.",
];

const wrongRegion: Explain = ({ region }) => [
  "region",
  `the bucket is not in the region ${region}`,
  "Set the bucket's region.",
];

const EXPLAIN: Readonly<Record<string, Explain>> = {
  NoSuchBucket: ({ bucket }) => [
    "bucket",
    `there is no bucket ${bucket}`,
    "Create it, or correct the name and the endpoint.",
  ],
  InvalidBucketName: ({ bucket }) => ["bucket", `${bucket} cannot be the name of a bucket`, "Correct the name."],
  InvalidAccessKeyId: wrongKey,
  SignatureDoesNotMatch: wrongKey,
  ExpiredToken: wrongKey,
  InvalidToken: wrongKey,
  RequestTimeTooSkewed: wrongClock,
  AuthorizationHeaderMalformed: wrongRegion,
  PermanentRedirect: wrongRegion,
  AccessDenied: ({ accessKeyId, bucket }) => [
    "denied",
    `the access key ${masked(accessKeyId)} may not do this in the bucket ${bucket}`,
    "Allow it s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload.",
  ],
};

/** What the service refused, as an error that says what to do. */
export function fromS3Refusal(place: S3Place, refusal: S3Refusal): RepriseError {
  const { status, code } = refusal;
  const [reason, problem, remedy] = EXPLAIN[code]?.(place, refusal) ?? [
    "server",
    `the service answered ${status}${code === "" ? "" : ` ${code}`}`,
    "See the service's log.",
  ];
  const details = { reason, status, ...(code !== "" && { s3: code }) };
  const message = `Cannot use the bucket ${place.bucket} at ${place.endpoint}: ${problem}. ${remedy}`;
  return new RepriseError("STORE_UNAVAILABLE", message, { details });
}

/** The service could not be reached, or broke off. */
export function unreachable({ endpoint, bucket }: S3Place, cause: unknown): RepriseError {
  const message = `Cannot reach the bucket ${bucket} at ${endpoint}.`;
  return new RepriseError("STORE_UNAVAILABLE", message, { cause, details: { reason: "connection" } });
}

function masked(accessKeyId: string): string {
  return accessKeyId.length <= 4 ? "****" : `****${accessKeyId.slice(-4)}`;
}

function skewOf(date: string | null): string {
  const theirs = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(theirs)) return "more than 15 minutes";
  return `${Math.round(Math.abs(Date.now() - theirs) / 1_000)} seconds`;
}
