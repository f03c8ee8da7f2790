// Deletes a speaker from a store, and prints a line for each event that was redacted. It stops after some of them, and waits to be killed.
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { systemProcesses } from '../../src/adapters/processes/system-processes.ts';
import { createSqliteLog } from '../../src/adapters/stores/sqlite.ts';
import { createLocalRuntime } from '../../src/core/runtime/runtime.ts';
import { systemSources } from '../../src/core/sources/system.ts';

const [path = '', speaker = '', events = ''] = process.argv.slice(2);
const log = createSqliteLog({ path });
const deletions = log.deletions;
const redact = deletions?.redact.bind(deletions);
let count = 0;
Object.assign(deletions ?? {}, {
  async redact(...args: Parameters<NonNullable<typeof redact>>) {
    count += 1;
    if (count > Number(events)) await new Promise(() => {});
    await redact?.(...args);
    process.stdout.write(`${args[2]}\n`);
  },
});
const provider = createScriptedProvider({ clock: systemSources.clock, respond: () => ({ steps: [] }) });
const runtime = await createLocalRuntime({ log, provider, processes: systemProcesses });
setInterval(() => {}, 1_000);
await (await runtime.deletions()).deleteSpeaker(speaker, null, 'own');
