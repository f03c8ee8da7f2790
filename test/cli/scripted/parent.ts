// A process that starts the scripted endpoint, prints its address, and runs until it is killed.
import { startScriptedEndpoint } from '../../../src/cli/scripted/start.ts';
import { systemSources } from '../../../src/sources/system.ts';

const { url, pid } = await startScriptedEndpoint({ clock: systemSources.clock });
process.stdout.write(`${JSON.stringify({ url, pid })}\n`);
