// Loads a package of the AI SDK. None is a dependency: each is loaded only where it is configured.
import { fieldsOf } from '../../../core/collections/fields.ts';
import { createHttpFetch } from '../transport/http-fetch.ts';
import { type AiSdkApi, type AiSdkPackage, aiSdkPackages } from './ai-sdk-apis.ts';
import type { AiSdkModel } from './ai-sdk-model.ts';

export interface AiSdkEndpoint {
  /** The key of the provider. Left out: the package reads it from a variable of its own, like `ANTHROPIC_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** The address of the provider's API, by the name that the packages have for it. Left out: the usual one. */
  readonly baseURL?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Loads a package. Resolves with a function that returns its models by their names; their requests are closed with their signal.
 *
 * @param load Imports a module by its name; given by tests.
 * @throws Error that says what to install, if the package is missing or too old.
 */
export async function loadAiSdkModels(
  api: AiSdkApi,
  endpoint: AiSdkEndpoint,
  load: (name: string) => Promise<unknown> = (name) => import(name),
): Promise<(name: string) => AiSdkModel> {
  const { name, create }: AiSdkPackage = aiSdkPackages[api];
  const functions = fieldsOf(await load(name).catch((error: unknown) => throwMissing(api, name, error)));
  const createProvider = create.map((each) => functions[each]).find((each) => typeof each === 'function');
  if (!createProvider) throw new Error(`The package ${name} has no ${create[0]}: install its newest version.`);
  const settings = Object.entries({ ...endpoint, fetch: createHttpFetch() }).filter(([, value]) => value !== undefined);
  const provider: unknown = createProvider(Object.fromEntries(settings));
  if (typeof provider !== 'function')
    throw new Error(`The package ${name} makes no models: install its newest version.`);
  return (model) => provider(model);
}

function throwMissing(api: string, name: string, error: unknown): never {
  if (fieldsOf(error)['code'] !== 'ERR_MODULE_NOT_FOUND') throw error;
  throw new Error(`The API ${api} needs a package that is not installed: npm install ${name}`, { cause: error });
}
