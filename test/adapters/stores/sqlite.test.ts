// The log in SQLite keeps the contract.
import { createSqliteLog } from '../../../src/adapters/stores/sqlite.ts';
import { logContract } from '../../contract/log.ts';
import { newStorePath } from '../../core/transcript/store.ts';

logContract('in SQLite', async () => createSqliteLog({ path: newStorePath() }));
