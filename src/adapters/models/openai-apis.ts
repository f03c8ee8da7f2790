// The APIs that the openai client speaks, and the choice of one for an endpoint where none is configured.

export const openAIApis = ['chat', 'responses'] as const;
export type OpenAIApi = (typeof openAIApis)[number];

export interface OpenAIApiOptions {
  readonly baseUrl: string;
  /** The API that is spoken. Left out: `responses` at OpenAI's own hosts, unless a family is given; `chat` everywhere else. */
  readonly api?: OpenAIApi | undefined;
  readonly family?: string | undefined;
}

/** Whether a host is one of OpenAI itself. */
export const isOpenAIHost = (host: string): boolean => host === 'api.openai.com' || host.endsWith('.api.openai.com');

/** Returns the API for an endpoint. */
export function openAIApiFor({ api, baseUrl, family }: OpenAIApiOptions): OpenAIApi {
  if (api) return api;
  return family === undefined && isOpenAIHost(new URL(baseUrl).hostname) ? 'responses' : 'chat';
}
