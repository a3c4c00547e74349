import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { COMMANDS } from "../packages/cli/src/commands/command-table.ts";
import { SETTINGS } from "../packages/cli/src/settings/setting-table.ts";
import { createRuntime, memory } from "../packages/reprise/src/index.ts";
import { createServer } from "../packages/reprise/src/server.ts";
import { ROOT } from "../scripts/repository.mjs";
import { readDockerfile, variablesOf, wordsOfOnly } from "./support/dockerfile.ts";

/** The files of the template `worker` by which it is deployed. No container engine reads them here: their fields are checked. */
const PROJECT = join(ROOT, "packages/create-reprise/templates/worker");
const KUBERNETES = join(PROJECT, "deploy/kubernetes");
const read = (path: string): string => readFileSync(join(PROJECT, path), "utf8");

/** What is in a document under a path, as in `spec.ports.0`; undefined where it is not. */
function at(value: unknown, path: string): unknown {
  let found = value;
  for (const key of path.split(".")) {
    if (typeof found !== "object" || found === null) return undefined;
    found = Object.entries(found).find(([name]) => name === key)?.[1];
  }
  return found;
}

function listAt(value: unknown, path: string): readonly unknown[] {
  const found = at(value, path) ?? [];
  if (!Array.isArray(found)) throw new Error(`There must be a list under ${path}.`);
  return found;
}

function recordAt(value: unknown, path: string): Readonly<Record<string, unknown>> {
  const found = at(value, path);
  if (typeof found !== "object" || found === null) throw new Error(`There must be fields under ${path}.`);
  return { ...found };
}

const manifests: readonly unknown[] = ["base", "overlays/autoscaled"]
  .flatMap((folder) => readdirSync(join(KUBERNETES, folder)).map((name) => join(KUBERNETES, folder, name)))
  .flatMap((path) => parseAllDocuments(readFileSync(path, "utf8")).map((document): unknown => document.toJS()));

function manifest(kind: unknown, name: unknown): unknown {
  const found = manifests.filter((each) => at(each, "kind") === kind && at(each, "metadata.name") === name);
  if (found.length !== 1) throw new Error(`There must be one ${kind} ${name}.`);
  return found[0];
}

const ROLES = ["api", "worker"] as const;
const deployment = (role: string): unknown => at(manifest("Deployment", `agents-${role}`), "spec");
const podOf = (role: string): unknown => at(deployment(role), "template.spec");
const containerOf = (role: string): unknown => at(podOf(role), "containers.0");
const labelsOf = (role: string): unknown => at(deployment(role), "template.metadata.labels");

/** What a process of a role is told in the cluster: by its image, the common settings, and its own. */
function settingsOf(role: string): Readonly<Record<string, unknown>> {
  const own = listAt(containerOf(role), "env").filter((each) => at(each, "value") !== undefined);
  const told = Object.fromEntries(own.map((each) => [String(at(each, "name")), at(each, "value")]));
  return { ...imageVariables, ...recordAt(manifest("ConfigMap", "agents-settings"), "data"), ...told };
}

const stages = readDockerfile(read("Dockerfile"));
const image = stages.at(-1) ?? { from: "", name: undefined, instructions: [] };
const imageVariables = variablesOf(image);
const isSetting = (name: string): boolean => SETTINGS.some(({ variable }) => variable === name);
const isCommand = (word: unknown): boolean => COMMANDS.some(({ name }) => name === word);

describe("issue 21: the Dockerfile", () => {
  it("is small, installs what the lockfile says, and runs as a user that owns nothing", () => {
    expect(stages.map(({ from }) => from)).toEqual(["node:24-alpine", "node:24-alpine"]);
    const [packages] = stages;
    expect(packages?.instructions.find(({ name }) => name === "RUN")?.words.join(" ")).toBe(
      "npm ci --omit=dev --ignore-scripts",
    );
    expect(wordsOfOnly(image, "USER")).toEqual(["1000:1000"]);
    // Whatever is copied belongs to root, and nothing changes that.
    expect(image.instructions.flatMap(({ words }) => words).join(" ")).not.toMatch(/chown|chmod/);
    const ignored = read(".dockerignore").split("\n");
    expect(ignored).toEqual(expect.arrayContaining(["node_modules", ".env", ".git"]));
  });

  it("starts the command line, says how it is, and names settings that exist", () => {
    const main = JSON.parse(readFileSync(join(ROOT, "packages/cli/package.json"), "utf8")).bin.reprise;
    expect(wordsOfOnly(image, "ENTRYPOINT")).toEqual(["node", join("node_modules/@reprise/cli", main)]);
    expect(isCommand(wordsOfOnly(image, "CMD")[0])).toBe(true);
    expect(wordsOfOnly(image, "HEALTHCHECK").join(" ")).toContain("http://127.0.0.1:8080/health");
    expect(Object.keys(imageVariables).filter((name) => name !== "NODE_ENV" && !isSetting(name))).toEqual([]);
    expect(existsSync(join(PROJECT, imageVariables.REPRISE_AGENTS ?? ""))).toBe(true);
  });
});

describe("issue 21: compose.yaml", () => {
  const file: unknown = parse(read("compose.yaml"), { merge: true });
  const service = (path: string): unknown => at(file, `services.${path}`);

  it("starts one process that answers, two that work, after the tables are made", () => {
    expect(service("worker.deploy.replicas")).toBe(2);
    expect(service("api.deploy")).toBeUndefined();
    expect(service("migrate.command")).toEqual(["migrate"]);
    for (const role of ROLES) {
      expect(service(`${role}.environment`)).toMatchObject({ REPRISE_ROLE: role, REPRISE_MIGRATE: "never" });
      expect(service(`${role}.depends_on`)).toEqual({ migrate: { condition: "service_completed_successfully" } });
    }
    expect(service("migrate.depends_on")).toEqual({ postgres: { condition: "service_healthy" } });
    expect(service("nats.profiles")).toEqual(["nats"]);
    for (const role of ROLES)
      expect(service(`${role}.environment.REPRISE_LIVE_URL`)).toMatch(/^\$\{REPRISE_LIVE_URL:-\}$/);
    expect(service("api.environment.REPRISE_NATS_URL")).toMatch(/^\$\{REPRISE_NATS_URL:-\}$/);
    expect(service("worker.environment.REPRISE_NATS_URL")).toBeUndefined();
    // NATS is reached through a package that only projects with it install.
    const { peerDependencies } = JSON.parse(readFileSync(join(ROOT, "packages/server/package.json"), "utf8"));
    const [client = ""] = Object.keys(peerDependencies).filter((name) => name.startsWith("@nats-io/"));
    const { dependencies } = JSON.parse(read("package.json"));
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "packages/server/package.json"), "utf8"));
    expect([client, dependencies[client]]).toEqual(["@nats-io/transport-node", devDependencies[client]]);
  });

  it.each(["migrate", ...ROLES])(
    "lets the process of %s write nowhere, with no rights, and gives it time to stop",
    (name) => {
      expect(service(name)).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
      });
      const { DATABASE_URL, ...settings } = recordAt(file, `services.${name}.environment`);
      expect(DATABASE_URL).toMatch(/^postgres:/);
      expect(Object.keys(settings).filter((each) => !isSetting(each) && !/_API_KEY$/.test(each))).toEqual([]);
      if (name === "migrate") return;
      const needed = Number(settings.REPRISE_NOTICE_MS ?? 0) + Number(settings.REPRISE_DRAIN_MS);
      const [, seconds] = /^(\d+)s$/.exec(String(service(`${name}.stop_grace_period`))) ?? [];
      expect(Number(seconds) * 1_000).toBeGreaterThan(needed + 4_000);
    },
  );
});

describe("issue 21: the Kubernetes manifests", () => {
  const readManifest = (path: string): unknown => parse(readFileSync(join(KUBERNETES, path), "utf8"));

  it.each(["base", "overlays/small", "overlays/autoscaled"])("%s names files that are there", (folder) => {
    const kustomization = readManifest(`${folder}/kustomization.yaml`);
    expect(at(kustomization, "kind")).toBe("Kustomization");
    const resources = listAt(kustomization, "resources").map(String);
    expect(resources.filter((path) => !existsSync(join(KUBERNETES, folder, path)))).toEqual([]);
    const files = readdirSync(join(KUBERNETES, folder)).filter((name) => !/^kustomization|^prometheus/.test(name));
    expect(resources).toEqual(expect.arrayContaining(files));
  });

  it.each(["small", "autoscaled"])("the overlay %s changes what the base has", (overlay) => {
    const kustomization = readManifest(`overlays/${overlay}/kustomization.yaml`);
    const used = ROLES.map((role) => at(containerOf(role), "image"));
    expect(new Set(listAt(kustomization, "images").map((each) => at(each, "name")))).toEqual(new Set(used));
    for (const each of listAt(kustomization, "replicas")) manifest("Deployment", at(each, "name"));
    for (const each of listAt(kustomization, "patches")) manifest(at(each, "target.kind"), at(each, "target.name"));
  });

  it.each(ROLES)("the deployment of %s has its role, and settings that exist", (role) => {
    const settings = settingsOf(role);
    expect(settings).toMatchObject({ REPRISE_ROLE: role, REPRISE_MIGRATE: "never" });
    const ours = Object.keys(settings).filter((name) => name !== "NODE_ENV");
    expect(ours.filter((name) => !isSetting(name))).toEqual([]);
    expect(isCommand(at(containerOf(role), "args.0"))).toBe(true);
    const { port } = new URL(`http://${settings.REPRISE_HTTP_ADDR}`);
    expect(at(containerOf(role), "ports")).toEqual([{ name: "http", containerPort: Number(port) }]);
    // Probes come to the pod's own address, and a server refuses names that it does not know.
    expect(String(settings.REPRISE_ALLOWED_HOSTS).split(",")).toContain("$(POD_IP)");
    const address = { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } };
    expect(listAt(containerOf(role), "env")).toContainEqual(address);
    const secrets = listAt(containerOf(role), "envFrom").map((each) => at(each, "secretRef.name"));
    expect(secrets).toContain("agents-database");
    expect(secrets).not.toContain("agents-database-owner");
  });

  it.each(ROLES)("the pods of %s are ready, replaced and stopped so that nothing is lost", (role) => {
    const container = containerOf(role);
    expect(at(container, "readinessProbe.httpGet")).toEqual({ path: "/ready", port: "http" });
    expect(at(container, "startupProbe.httpGet")).toEqual({ path: "/ready", port: "http" });
    // A database that is away must not have the processes killed.
    expect(at(container, "livenessProbe.httpGet")).toEqual({ path: "/health", port: "http" });
    expect(at(deployment(role), "strategy.rollingUpdate")).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    const { REPRISE_NOTICE_MS, REPRISE_DRAIN_MS } = settingsOf(role);
    const [notice, drain] = [Number(REPRISE_NOTICE_MS ?? 0), Number(REPRISE_DRAIN_MS)];
    const hook = Number(at(container, "lifecycle.preStop.sleep.seconds") ?? 0) * 1_000;
    const grace = Number(at(podOf(role), "terminationGracePeriodSeconds")) * 1_000;
    expect(grace).toBeGreaterThan(hook + notice + drain + 4_000);
    if (role !== "api") return;
    // The notice is longer than it takes until the probe has failed.
    const { periodSeconds, failureThreshold } = recordAt(container, "readinessProbe");
    expect(notice).toBeGreaterThan(Number(periodSeconds) * Number(failureThreshold) * 1_000);
    expect(hook).toBeGreaterThan(0);
  });

  it.each([...ROLES, "migrate"])("the pods of %s have no rights and write nowhere but to memory", (name) => {
    const pod = name === "migrate" ? at(manifest("Job", "agents-migrate"), "spec.template.spec") : podOf(name);
    expect(at(pod, "securityContext")).toEqual({
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(at(pod, "automountServiceAccountToken")).toBe(false);
    expect(at(pod, "containers.0.securityContext")).toEqual({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
    });
    expect(listAt(pod, "volumes").every((volume) => at(volume, "emptyDir.medium") === "Memory")).toBe(true);
    expect(at(pod, "containers.0.resources.limits.memory")).toMatch(/i$/);
  });

  it("selectors find the pods they mean", () => {
    for (const role of ROLES) {
      const matchLabels = labelsOf(role);
      expect(at(deployment(role), "selector")).toEqual({ matchLabels });
      const budget = { maxUnavailable: 1, selector: { matchLabels } };
      expect(at(manifest("PodDisruptionBudget", `agents-${role}`), "spec")).toEqual(budget);
    }
    const service = manifest("Service", "agents-api");
    expect(at(service, "spec.selector")).toEqual(labelsOf("api"));
    expect(at(service, "spec.ports.0.targetPort")).toBe("http");
  });

  it("the migration job has the rights that the others do not have", () => {
    const pod = at(manifest("Job", "agents-migrate"), "spec.template.spec");
    expect(at(pod, "containers.0.args")).toEqual(["migrate"]);
    expect(isCommand("migrate")).toBe(true);
    expect(at(pod, "containers.0.envFrom")).toEqual([{ secretRef: { name: "agents-database-owner" } }]);
    expect(at(pod, "restartPolicy")).toBe("OnFailure");
  });

  it("workers are scaled by a metric that a server exports", async () => {
    const scaler = manifest("HorizontalPodAutoscaler", "agents-worker");
    manifest(at(scaler, "spec.scaleTargetRef.kind"), at(scaler, "spec.scaleTargetRef.name"));
    const name = String(at(scaler, "spec.metrics.0.external.metric.name"));
    const rule = at(readManifest("overlays/autoscaled/prometheus-adapter.yaml"), "rules.external.0");
    expect([at(rule, "name.as"), String(at(rule, "seriesQuery")).split("{")[0]]).toEqual([name, name]);
    expect(Number(at(scaler, "spec.minReplicas"))).toBeGreaterThan(1);
    const runtime = await createRuntime({ agents: [], store: memory() });
    const answer = await createServer({ runtime }).fetch(new Request("http://127.0.0.1/metrics"));
    expect(await answer.text()).toMatch(new RegExp(`^${name} 0$`, "m"));
    await runtime.close();
  });
});

it("issue 21: probes that come to the pod's own address are answered", async () => {
  const runtime = await createRuntime({ agents: [], store: memory() });
  const server = createServer({ runtime, groups: ["health"], allowedHosts: ["10.1.2.3", "agents-api"] });
  const ask = (host: string) => server.fetch(new Request("http://127.0.0.1/ready", { headers: { host } }));
  expect((await ask("10.1.2.3:8080")).status).toBe(200);
  expect((await ask("10.9.9.9:8080")).status).toBe(403);
  await runtime.close();
});

it("reads the folder of the template, as npm publishes it", () => {
  expect(dirname(KUBERNETES)).toBe(join(PROJECT, "deploy"));
  const { files } = JSON.parse(readFileSync(join(ROOT, "packages/create-reprise/package.json"), "utf8"));
  expect(files).toContain("templates");
});
