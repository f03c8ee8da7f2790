// The door on the input and output of a program, for the one speaker who has started it.
import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio';
import { OpenTurnStreams } from '../../gateway/http/open-turn-streams.ts';
import type { DoorSettings } from '../door-turns/door-profiles.ts';
import type { McpDoor } from './mcp-request.ts';
import { createMcpServer } from './mcp-server.ts';

const speaker = { id: 'local', roles: ['member'] } as const;

/** Serves. Whoever ends the input, or cannot read the output any more, is for the program to notice. */
export function serveMcpOnStdio(
  settings: DoorSettings,
  services: Omit<McpDoor['services'], 'turnStreams'>,
): StdioServerHandle {
  const { clock, ids } = services;
  const door = { settings, services: { ...services, turnStreams: new OpenTurnStreams(clock) } };
  const senderOf = () => ({ caller: { speaker, connection: ids('mcp'), door: 'mcp' }, response: null });
  return serveStdio(({ era }) => createMcpServer(door, era, senderOf));
}
