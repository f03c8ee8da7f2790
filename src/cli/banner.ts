// The banner of `belay serve`: the address, what the model may use, and what to type next.
import { resolve } from 'node:path';
import type { AssembledRuntime } from './assemble-runtime.ts';
import { commandLine } from './command-names.ts';
import { defaultUrl } from './default-address.ts';

export interface BannerInput extends Omit<AssembledRuntime, 'runtime'> {
  readonly url: string;
  /** Whether the gateway knows one local speaker, instead of tokens. */
  readonly isLocal: boolean;
}

/** The lines of the banner as one text. */
export function bannerOf(input: BannerInput): string {
  const { url, isScripted } = input;
  const chat = url === defaultUrl ? commandLine('chat') : commandLine('chat', url);
  return [
    `Belay listens at ${url}`,
    '',
    ...settingLines(input),
    '',
    'Talk to it in another terminal:',
    '',
    `  ${chat}`,
    '',
    ...(isScripted
      ? ['and say: research this and run the build', 'Ctrl-C there cancels it; Ctrl-C here shuts down.']
      : ['Ctrl-C there cancels a turn; Ctrl-C here shuts down.']),
  ].join('\n');
}

function settingLines({ config, stately, modelUrl, isScripted, isLocal, tools, agents, mcp }: BannerInput): string[] {
  return [
    isScripted
      ? '  model        SCRIPTED: a script plays the model, because neither OPENAI_API_KEY nor OPENAI_BASE_URL is set'
      : `  model        ${config.model.name} at ${modelUrl}`,
    `  tools        ${tools.join(', ')}`,
    `  agents       ${agents.join(', ')}`,
    ...mcp.map(({ name, tools, problem }) => `  MCP server   ${problem ?? `${name}: ${tools} tools`}`),
    `  folders      ${config.roots.length > 0 ? config.roots.join(', ') : 'none that tools may touch (--root)'}`,
    `  transcripts  ${config.store === 'memory' ? 'in memory' : resolve(config.store)}`,
    isLocal
      ? '  speakers     everybody on this machine is "local"; nobody else can connect'
      : '  speakers     by their tokens',
    ...(stately === null ? [] : [`  inspector    ${stately} for Stately's, on this machine only`]),
  ];
}
