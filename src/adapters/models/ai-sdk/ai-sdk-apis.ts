// The APIs that packages of the AI SDK speak, by the names that a configuration has for them.

export interface AiSdkPackage {
  readonly name: string;
  /** The function that makes its provider; a package may have renamed it. */
  readonly create: readonly string[];
}

/** By the name of the API. */
export const aiSdkPackages = {
  anthropic: { name: '@ai-sdk/anthropic', create: ['createAnthropic'] },
  bedrock: { name: '@ai-sdk/amazon-bedrock', create: ['createAmazonBedrock', 'createBedrock'] },
  google: { name: '@ai-sdk/google', create: ['createGoogle', 'createGoogleGenerativeAI'] },
  mistral: { name: '@ai-sdk/mistral', create: ['createMistral'] },
  vertex: { name: '@ai-sdk/google-vertex', create: ['createVertex', 'createGoogleVertex'] },
} as const satisfies Readonly<Record<string, AiSdkPackage>>;

export type AiSdkApi = keyof typeof aiSdkPackages;
