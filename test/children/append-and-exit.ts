// Requests an append and exits without waiting for it or closing the log. Usage: append-and-exit.ts <store>
import { createSqliteLog } from '../../src/adapters/stores/sqlite.ts';

const log = createSqliteLog({ path: process.argv[2] ?? '' });
await log.claim('s', 0, 'a host that exits');
void log.append('s', 1, 0, [{ type: 'said' }, { type: 'said' }]);
