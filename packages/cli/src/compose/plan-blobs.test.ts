import { describe, expect, it } from "vitest";
import { Settings } from "../settings/settings.ts";
import { openStore } from "./open-store.ts";
import { describeBlobs, planBlobs } from "./plan-blobs.ts";

const KEYS = { AWS_ACCESS_KEY_ID: "AKIA1", AWS_SECRET_ACCESS_KEY: "hunter2" };
const credentials = { accessKeyId: "AKIA1", secretAccessKey: "hunter2" };

type Configured = Parameters<typeof planBlobs>[1];

describe("where the bytes of files are", () => {
  const cases: readonly (readonly [string, object, Record<string, string>, Configured, object | undefined])[] = [
    ["by default", {}, KEYS, undefined, undefined],
    [
      "by a flag, with everything in its address",
      {
        blobsUrl:
          "s3://files/app?region=eu-central-1&endpoint=http://minio:9000&public_endpoint=https://f.example.com&inline_bytes=0&link_seconds=60",
      },
      { ...KEYS, AWS_REGION: "us-west-2", AWS_SESSION_TOKEN: "t" },
      { kind: "s3", bucket: "other" },
      {
        bucket: "files",
        prefix: "app/",
        region: "eu-central-1",
        endpoint: "http://minio:9000",
        publicEndpoint: "https://f.example.com",
        inlineBytes: 0,
        linkSeconds: 60,
        credentials: { ...credentials, sessionToken: "t" },
      },
    ],
    [
      "by the environment",
      {},
      { ...KEYS, REPRISE_BLOBS_URL: "s3://files", AWS_REGION: "us-west-2" },
      undefined,
      { bucket: "files", region: "us-west-2", credentials },
    ],
    [
      "by the configuration, with variables of its own",
      {},
      { MY_KEY: "AKIA1", MY_SECRET: "hunter2" },
      {
        kind: "s3",
        bucket: "files",
        access_key_id: { kind: "env", name: "MY_KEY" },
        secret_access_key: { kind: "env", name: "MY_SECRET" },
      },
      { bucket: "files", credentials },
    ],
  ];
  it.each(cases)("is decided %s", (_, flags, variables, configured, plan) => {
    expect(planBlobs(new Settings({ ...flags }, variables), configured)).toEqual(plan);
  });
});

it.each([
  ["https://files", KEYS, "The address of the bucket is no s3:// address."],
  ["s3://key:secret@files", KEYS, "The address of the bucket is no s3:// address."],
  ["s3://files?regoin=x", KEYS, "The address of the bucket has the unknown parameter regoin."],
  ["s3://files?link_seconds=soon", KEYS, "link_seconds of the bucket's address must be a whole number."],
  ["s3://files", {}, "Files are in the bucket files, and nothing says with which key."],
])("says what is wrong with %s", (blobsUrl, variables, message) => {
  expect(() => planBlobs(new Settings({ blobsUrl }, variables), undefined)).toThrow(message);
});

it("does not use a key of the environment with an address of .env", () => {
  const settings = new Settings({}, KEYS, { REPRISE_BLOBS_URL: "s3://files?endpoint=http://elsewhere" });
  expect(() => planBlobs(settings, undefined)).toThrow("AWS_ACCESS_KEY_ID of the environment is not used with it");
});

it("names the bucket without its key, and the stores that can have one", async () => {
  const plan = { bucket: "files", prefix: "app/", endpoint: "http://minio:9000", credentials };
  expect(describeBlobs(plan)).toBe("S3 bucket files/app/ at http://minio:9000");
  await expect(openStore({ kind: "memory" }, { waits: false, migrates: true, blobs: plan })).rejects.toThrow(
    "Files cannot be in an S3 bucket while threads live in memory.",
  );
});
