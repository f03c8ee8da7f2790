// The path of the file with the tokens of MCP servers.
import { dirname, join } from 'node:path';
import type { Config } from './settings.ts';

/** The file with the tokens of MCP servers: beside the store, or where that would be. */
export const mcpTokenFile = ({ store }: Pick<Config, 'store'>): string =>
  join(store === 'memory' ? '.belay' : dirname(store), 'mcp-tokens.json');
