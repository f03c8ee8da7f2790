// The banner of `belay serve`: the address, what the model may use, and what to type next.
import type { McpState } from '../adapters/mcp/api.ts';
import { addressWithKey, pageAddress } from '../wire/gateway-key.ts';
import { commandLine } from './command-names.ts';
import { defaultUrl } from './default-address.ts';
import type { ShownGateway } from './start-gateway.ts';
import { parseStoreAddress } from './store-address.ts';

/** Returns the banner of a gateway that listens: first the one address that a person needs. */
export function bannerText(gateway: ShownGateway): string {
  const { url, key, isKeyKnown, parts, isLocal } = gateway;
  const address = key === null ? url : addressWithKey(url, key);
  // without the key where it is not needed: other users of this machine can read a command line
  const argument = key === null || isKeyKnown ? url : address;
  const chat = argument === defaultUrl ? commandLine('chat') : commandLine('chat', argument);
  return [
    isLocal ? 'Open Belay in a browser:' : 'Open Belay in a browser, and sign in with a token:',
    '',
    `  ${pageAddress(url, key)}`,
    '',
    ...(parts.isScripted ? ['and say: research this and run the build'] : []),
    'Escape stops what runs there. Ctrl-C here shuts Belay down, and stops everything.',
    '',
    'Or in another terminal (Ctrl-C stops what runs):',
    '',
    `  ${chat}`,
    '',
    ...(parts.isScripted ? [...realModelLines(parts), ''] : []),
    ...settingLines(gateway),
    `  socket       Belay listens at ${address}`,
  ].join('\n');
}

/** Returns the lines that say how a real model takes the place of the script. */
function realModelLines({ config }: ShownGateway['parts']): string[] {
  if (config.demo)
    return [
      'A script plays the model, because of --demo. Without it OPENAI_API_KEY or OPENAI_BASE_URL choose a real one.',
    ];
  return [
    'A script plays the model. With a real one:',
    '',
    `  OPENAI_API_KEY=… ${commandLine('serve')}`,
    '',
    'or any compatible endpoint: OPENAI_BASE_URL=http://127.0.0.1:11434/v1 BELAY_MODEL=NAME (see docs/how-to/models.md)',
  ];
}

function settingLines({ parts, isLocal, key }: ShownGateway): string[] {
  const { config, stately, modelUrl, isScripted, tools, agents, mcp } = parts;
  return [
    isScripted
      ? `  model        SCRIPTED: a script plays the model${config.demo ? '' : ', because neither OPENAI_API_KEY nor OPENAI_BASE_URL is set'}`
      : `  model        ${config.model.name} at ${modelUrl}`,
    `  tools        ${tools.join(', ')}`,
    `  agents       ${agents.join(', ')}`,
    ...mcp().map((server) => `  MCP server   ${stateText(server)}`),
    `  folders      ${config.roots.length > 0 ? config.roots.join(', ') : 'none: tools may touch no folder (allow one with --root FOLDER)'}`,
    `  transcripts  ${parseStoreAddress(config.store).name}`,
    ...(config.bus
      ? [`  bus          NATS at ${config.bus.servers.join(', ')}: sessions of the other hosts are used from here`]
      : []),
    `  speakers     ${speakersText(isLocal, key)}`,
    ...(config.workers === 1 ? [] : [`  workers      ${config.workers} processes`]),
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
