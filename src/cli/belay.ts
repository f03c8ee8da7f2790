#!/usr/bin/env node
// `belay`: the command of the package. It finds the one that is meant, and gives it the rest.
import { readFileSync } from 'node:fs';
import { chatCommand } from './chat.ts';
import { inSentences } from './command-failure.ts';
import { ConfigError } from './config.ts';
import { runCommand } from './run.ts';
import { serveCommand } from './serve.ts';

const usage = `belay: an agent runtime in which stop means stopped

  belay serve        starts a gateway
  belay chat         a terminal at a session of a gateway
  belay run "task"   one task without a chat, for scripts

  --help             behind one of these: what it takes
  --version
`;

const commands = new Map([
  ['serve', serveCommand],
  ['chat', chatCommand],
  ['run', runCommand],
]);

/** Of the package, or of the checkout: whichever holds this file. */
function versionOf(): string {
  const manifest = new URL('../../package.json', import.meta.url);
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}

async function belay([name, ...args]: readonly string[]): Promise<void> {
  if (name === '--version') return console.log(versionOf());
  if (name === undefined || name === '--help') return void process.stdout.write(usage);
  const command = commands.get(name);
  if (!command) throw new ConfigError(`There is no command ${name}: there are ${[...commands.keys()].join(', ')}.`);
  await command(args);
}

if (import.meta.main) await inSentences(belay);
