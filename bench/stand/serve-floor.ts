// Runs the other side of the comparison in a process of its own: the floor, with the same two tools.
import { join } from 'node:path';
import { openJournal } from '../floor/journal.ts';
import { startFloor } from '../floor/server.ts';
import { floorShellTool } from '../floor/shell.ts';
import type { FloorTool } from '../floor/turn.ts';
import { mark, readInput, serve } from './control.ts';
import { untilStopped, waitDescription } from './wait.ts';

const { store, folder, baseURL, transport } = readInput();

const wait: FloorTool = {
  name: 'wait',
  description: waitDescription,
  parameters: { type: 'object', properties: { n: { type: 'number' }, ms: { type: 'number' } }, required: ['n'] },
  async run({ ms }, { signal, output }) {
    if (ms === 0) return 'done';
    output('ready');
    await untilStopped(signal, mark);
    return 'stopped';
  },
};

const journal = store === 'disk' ? await openJournal(join(folder, 'floor.jsonl')) : null;
const floor = await startFloor({
  baseURL,
  apiKey: 'none',
  model: 'scripted',
  tools: [wait, floorShellTool(1_000)],
  journal,
  transport,
});

serve(floor.url, async () => {
  await floor.close();
  await journal?.close();
});
