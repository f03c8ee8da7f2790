// The banner of `belay serve`: the address, what the model may use, and what to type next.
import { resolve } from 'node:path';
import { commandLine } from './command-names.ts';
import { defaultUrl } from './default-address.ts';
import type { RuntimeParts } from './runtime-parts.ts';
import type { RunningGateway } from './start-gateway.ts';

/** Returns the banner of a gateway that listens. */
export function bannerText(gateway: Pick<RunningGateway, 'url' | 'parts' | 'isLocal'>): string {
  const { url, parts } = gateway;
  const chat = url === defaultUrl ? commandLine('chat') : commandLine('chat', url);
  return [
    `Belay listens at ${url}`,
    '',
    ...settingLines(parts, gateway.isLocal),
    '',
    'Talk to it in another terminal:',
    '',
    `  ${chat}`,
    '',
    ...(parts.isScripted
      ? ['and say: research this and run the build', 'Ctrl-C there cancels it; Ctrl-C here shuts down.']
      : ['Ctrl-C there cancels a turn; Ctrl-C here shuts down.']),
  ].join('\n');
}

function settingLines(parts: RuntimeParts, isLocal: boolean): string[] {
  const { config, stately, modelUrl, isScripted, tools, agents, mcp } = parts;
  return [
    isScripted
      ? '  model        SCRIPTED: a script plays the model, because neither OPENAI_API_KEY nor OPENAI_BASE_URL is set'
      : `  model        ${config.model.name} at ${modelUrl}`,
    `  tools        ${tools.join(', ')}`,
    `  agents       ${agents.join(', ')}`,
    ...mcp.map((server) => `  MCP server   ${server.problem ?? `${server.name}: ${server.tools} tools`}`),
    `  folders      ${config.roots.length > 0 ? config.roots.join(', ') : 'none: tools may touch no folder (allow one with --root FOLDER)'}`,
    `  transcripts  ${config.store === 'memory' ? 'in memory' : resolve(config.store)}`,
    isLocal
      ? '  speakers     everybody on this machine is "local"; nobody else can connect'
      : '  speakers     by their tokens',
    ...(stately === null ? [] : [`  inspector    ${stately} (for Stately's inspector, on this machine only)`]),
  ];
}
