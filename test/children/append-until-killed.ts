// Appends to several sessions of a store until it is killed or the store fails. Usage: append-until-killed.ts <store> <bytes of each body>
//
// Each acknowledged append is a line "<session> <last>" on stdout, written before the next one of that session is requested.
import { writeSync } from 'node:fs';
import { createSqliteLog } from '../../src/adapters/stores/sqlite.ts';

const [path = '', bytes = '100'] = process.argv.slice(2);
const log = createSqliteLog({ path });
const say = (line: string) => writeSync(1, `${line}\n`);

async function fill(session: string): Promise<void> {
  let last = 0;
  try {
    await log.claim(session, 0, 'a host that will be killed');
    for (;;) {
      const bodies = [0, 1, 2].map((i) => ({ type: 'said', number: last + i + 1, text: 'x'.repeat(Number(bytes)) }));
      last = await log.append(session, 1, last, bodies);
      say(`${session} ${last}`);
    }
  } catch (error) {
    say(`${error instanceof Error ? error.name : error} ${session} ${last}`);
  }
}

await Promise.all(['a', 'b', 'c', 'd'].map(fill));
