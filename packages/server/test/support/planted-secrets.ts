/** A credential, and how somebody who is careless puts it into an error. */
export interface PlantedSecret {
  readonly name: string;
  readonly secret: string;
  readonly said: string;
}

const planted = (name: string, secret: string, say: (secret: string) => string): PlantedSecret => ({
  name,
  secret,
  said: say(secret),
});

/** Put together here, so that no file holds what looks like one whole. */
const long = (prefix: string, length = 32): string =>
  prefix + Array.from({ length }, (_, index) => "aB3dE5gH7jK9"[(index * 7) % 12]).join("");
const jwt = [{ alg: "RS256" }, { sub: "ann", admin: true }]
  .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  .join(".");

/** What may turn up in the errors of others. */
export const PLANTED: readonly PlantedSecret[] = [
  planted("an OpenAI key", long("sk-proj-"), (key) => `401 Incorrect API key provided: ${key}. Look at your account.`),
  planted("an Anthropic key", long("sk-ant-api03-"), (key) => `authentication_error: invalid x-api-key ${key}`),
  planted("a Google key", long("AIza", 35), (key) => `400 API key not valid: https://example.test/v1?key=${key}`),
  planted("an AWS key id", "AKIA3XAMPLE7KEYID42Z", (key) => `The security token ${key} included is invalid`),
  planted("an AWS secret", long("", 40), (key) => `could not sign: secret: ${key}`),
  planted("a GitHub token", long("ghp_", 36), (key) => `fatal: Authentication failed for ${key}`),
  planted("a GitHub fine-grained token", long("github_pat_", 60), (key) => `Bad credentials (${key})`),
  planted("a GitLab token", long("glpat-", 20), (key) => `remote: HTTP Basic: Access denied for ${key}`),
  planted("a Slack token", long("xoxb-", 40), (key) => `invalid_auth token=${key}`),
  planted("an npm token", long("npm_", 36), (key) => `E401 ${key} is not a valid token`),
  planted("a Hugging Face token", long("hf_", 34), (key) => `Repository not found for ${key}`),
  planted("a Stripe key", long("sk_live_", 24), (key) => `Expired API Key provided: ${key}`),
  planted("an API key of ours", `rk.acme.${"0123456789abcdef"}.${"9f".repeat(32)}`, (key) => `no such key ${key}`),
  planted("a JWT", `${jwt}.${long("", 43)}`, (token) => `JWT expired: ${token}`),
  planted("a bearer", long("", 44), (token) => `request failed: {"authorization":"Bearer ${token}"}`),
  planted(
    "a user and password",
    Buffer.from("ann:hunter2-secret").toString("base64"),
    (text) => `Basic ${text} refused`,
  ),
  planted(
    "a database's password",
    "hunter2secret",
    (word) => `connect ECONNREFUSED postgres://app:${word}@db:5432/app`,
  ),
  planted("a password", "correct-horse-9", (word) => `login failed with password=${word}`),
  planted("an access token in a URL", long("ya29.", 40), (token) => `GET /me?access_token=${token}&x=1 gave 403`),
  planted("a key in JSON", long("", 24), (key) => `bad settings {"api_key": "${key}", "region": "eu"}`),
];
