// The banner of `belay serve`: the address, what the model may use, and what to type next.
import { resolve } from 'node:path';
import type { McpState } from '../mcp/api.ts';
import { addressWithKey, pageAddress } from '../protocol/gateway-key.ts';
import { commandLine } from './command-names.ts';
import { defaultUrl } from './default-address.ts';
import type { RunningGateway } from './start-gateway.ts';

/** Returns the banner of a gateway that listens. */
export function bannerText(gateway: Omit<RunningGateway, 'close' | 'force'>): string {
  const { url, key, isKeyKnown, parts, isLocal } = gateway;
  const address = key === null ? url : addressWithKey(url, key);
  // without the key where it is not needed: other users of this machine can read a command line
  const argument = key === null || isKeyKnown ? url : address;
  const chat = argument === defaultUrl ? commandLine('chat') : commandLine('chat', argument);
  return [
    `Belay listens at ${address}`,
    '',
    ...settingLines(gateway),
    '',
    isLocal ? 'Open it in a browser:' : 'Open it in a browser, and sign in with a token:',
    '',
    `  ${pageAddress(url, key)}`,
    '',
    'or talk to it in another terminal:',
    '',
    `  ${chat}`,
    '',
    ...(parts.isScripted
      ? [
          'and say: research this and run the build',
          'Escape (Ctrl-C in a terminal) cancels it; Ctrl-C here shuts down.',
        ]
      : ['Escape (Ctrl-C in a terminal) cancels a turn; Ctrl-C here shuts down.']),
  ].join('\n');
}

function settingLines({ parts, isLocal, key }: Omit<RunningGateway, 'close' | 'force'>): string[] {
  const { config, stately, modelUrl, isScripted, tools, agents, mcp } = parts;
  return [
    isScripted
      ? `  model        SCRIPTED: a script plays the model${config.demo ? '' : ', because neither OPENAI_API_KEY nor OPENAI_BASE_URL is set'}`
      : `  model        ${config.model.name} at ${modelUrl}`,
    `  tools        ${tools.join(', ')}`,
    `  agents       ${agents.join(', ')}`,
    ...mcp().map((server) => `  MCP server   ${stateText(server)}`),
    `  folders      ${config.roots.length > 0 ? config.roots.join(', ') : 'none: tools may touch no folder (allow one with --root FOLDER)'}`,
    `  transcripts  ${config.store === 'memory' ? 'in memory' : resolve(config.store)}`,
    `  speakers     ${speakersText(isLocal, key)}`,
    ...(stately === null ? [] : [`  inspector    ${stately} (for Stately's inspector, on this machine only)`]),
  ];
}

function speakersText(isLocal: boolean, key: string | null): string {
  if (!isLocal) return 'by their tokens';
  return key === null
    ? 'every process on this machine is "local" (--no-key); nobody else can connect'
    : 'whoever has the key, on this machine, is "local"; Belay\'s own clients of this user find it by themselves';
}

function stateText({ name, phase, tools, problem }: McpState): string {
  if (phase === 'starting') return `${name} is still starting: its tools are used as soon as it has listed them`;
  return problem ?? `${name}: ${tools} tools`;
}
