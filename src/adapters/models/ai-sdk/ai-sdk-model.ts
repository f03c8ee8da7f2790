// The type of a model of the AI SDK, without its packages: they are needed only where such a model is used.

/** A model of the AI SDK: every `LanguageModelV4` is one, for example `anthropic('claude-sonnet-5')`. */
export interface AiSdkModel {
  readonly specificationVersion: 'v4';
  /** The name of its provider, for example `anthropic.messages`. */
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

/** A tool that the provider itself runs, as the AI SDK's packages make it: `anthropic.tools.webSearch_20250305({})`. */
export interface AiSdkProviderTool {
  readonly id: string;
  readonly args: unknown;
}
