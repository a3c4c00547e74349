import {
  createRedactor,
  type LanguageModel,
  type ModelChunk,
  type ModelProvider,
  type ModelRequest,
  RepriseError,
  type Secret,
} from "@reprise/contracts";
import { fromAiSdk } from "../ai-sdk/from-ai-sdk.ts";
import { describeModel } from "../catalogue/describe-model.ts";
import type { Speaker } from "../failure/failed-answer.ts";
import { thrownFailure } from "../failure/thrown-failure.ts";
import { boundEvents } from "../wire/bound-events.ts";
import { readFailure } from "../wire/open-answer.ts";
import { isInstalled, loadModel, type PackageEntry } from "./package-loader.ts";
import { notReady } from "./variables.ts";

/**
 * A `fetch` for providers' packages. It judges answers before the packages see them: they lose what a body says when its status
 * is fine, their errors hold whole requests, and they hold an event in memory however long it is. It also never follows a redirect: keys in headers would go wherever it points.
 */
function createGuardedFetch(speaker: Speaker, send: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const signal = init?.signal ?? NEVER;
    let response: Response;
    try {
      response = await send(input, { ...init, redirect: "manual" });
    } catch (error) {
      throw thrownFailure(speaker, error, false, signal);
    }
    if (response.ok && !isDocument(response)) return boundEvents(speaker, response);
    throw await readFailure(speaker, response, signal);
  };
}

const NEVER = new AbortController().signal;

/** A page or an object where a stream was asked for. */
function isDocument(response: Response): boolean {
  return /^(application\/json|text\/html)\b/i.test(response.headers.get("content-type") ?? "");
}

/** The settings and secrets that create a provider of a package. */
export interface Credentials {
  /** Secrets are revealed when they are handed to the package, and not before. */
  readonly settings: Readonly<Record<string, Secret | string>>;
}

/** A provider whose models an AI SDK package speaks to. */
export interface PackagedProviderEntry extends PackageEntry {
  readonly id: string;
  /** How its models' names begin; none where others have models of the same names. */
  readonly names?: readonly string[];
  /** Reads keys and addresses; throws `PROVIDER_NOT_READY` when one is missing. */
  readonly credentials: (model: string) => Credentials;
}

/** Models of a provider with a package. What is missing is said when a model is asked for; the package is loaded when it is used. */
export function createPackagedProvider({
  id,
  names = [],
  credentials,
  ...entry
}: PackagedProviderEntry): ModelProvider {
  const models = new Map<string, LanguageModel>();
  const create = (name: string): LanguageModel => {
    const modelId = `${id}/${name}`;
    const { settings } = readReady(modelId, entry, credentials);
    const secrets = Object.values(settings).filter((value) => typeof value !== "string");
    return new LazyModel(modelId, async () => {
      const speaker = { model: modelId, redact: createRedactor(secrets) };
      const revealed = Object.entries(settings).map(([key, value]) => [
        key,
        typeof value === "string" ? value : value.reveal(),
      ]);
      const made = await loadModel(
        entry,
        { ...Object.fromEntries(revealed), fetch: createGuardedFetch(speaker) },
        name,
      );
      return fromAiSdk(made, { id: modelId, secrets });
    });
  };
  return {
    id,
    model(name) {
      const known = models.get(name) ?? create(name);
      models.set(name, known);
      return known;
    },
    hasModel: (name) => names.some((beginning) => name.startsWith(beginning)),
    describe: (name) => describeModel(id, name),
  };
}

/** The credentials of a model whose package is installed. When both are missing, both are said at once. */
function readReady(model: string, { name }: PackageEntry, read: (model: string) => Credentials): Credentials {
  if (isInstalled(name)) return read(model);
  const missing = notReady(model, `needs the package ${name}. Run: npm install ${name}`, { package: name });
  try {
    read(model);
  } catch (error) {
    if (!RepriseError.is(error, missing.code)) throw error;
    const details = { ...error.details, ...missing.details };
    throw new RepriseError(missing.code, `${missing.message} ${error.message}`, { details });
  }
  throw missing;
}

/** A model that is loaded when it is first asked. */
class LazyModel implements LanguageModel {
  readonly id: string;
  readonly #load: () => Promise<LanguageModel>;
  #loaded: Promise<LanguageModel> | undefined;

  constructor(id: string, load: () => Promise<LanguageModel>) {
    this.id = id;
    this.#load = load;
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelChunk> {
    this.#loaded ??= this.#load();
    yield* (await this.#loaded).stream(request);
  }
}
