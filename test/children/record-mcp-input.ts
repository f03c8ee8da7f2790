// Loaded before a published MCP server (`node --import`): appends each message that the server reads from its stdin to the file of MCP_INPUT_LOG.
import { appendFileSync } from 'node:fs';

const file = process.env['MCP_INPUT_LOG'] ?? '/dev/null';
const { stdin } = process;
const emit = stdin.emit.bind(stdin);
stdin.emit = (event: string, ...values: unknown[]) => {
  if (event === 'data') appendFileSync(file, String(values[0]));
  return emit(event, ...values);
};
