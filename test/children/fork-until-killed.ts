// Makes sessions in a store until it is killed, each with many events and a blob, and prints the name of each that was acknowledged.
import { createSqliteLog } from '../../src/adapters/stores/sqlite.ts';
import type { LogBody } from '../../src/core/contracts/log.ts';

const [path = '', from = '', blob = '', events = ''] = process.argv.slice(2);
const log = createSqliteLog({ path });
const limits = { blobBytes: 1e9, sessionBlobBytes: 1e9, storeBlobBytes: 1e9 };
const bodies = Array.from(
  { length: Number(events) },
  (_, i) => ({ type: 'said', text: 'x'.repeat(500), i }) as LogBody,
);
for (let i = 0; ; i++) {
  await log.createSession?.(`fork-${i}`, bodies, { from, ids: [blob], limits });
  process.stdout.write(`fork-${i}\n`);
}
