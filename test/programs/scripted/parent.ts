// A process that starts the scripted endpoint, prints its address, and runs until it is killed.

import { systemSources } from '../../../src/core/sources/system.ts';
import { startScriptedEndpoint } from '../../../src/programs/scripted/start.ts';

const { url, pid } = await startScriptedEndpoint({ clock: systemSources.clock });
process.stdout.write(`${JSON.stringify({ url, pid })}\n`);
