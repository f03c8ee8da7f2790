// The log in SQLite keeps the contract.
import { createSqliteLog } from '../../src/transcript/sqlite.ts';
import { logContract } from '../contract/log.ts';
import { newStorePath } from './store.ts';

logContract('in SQLite', async () => createSqliteLog({ path: newStorePath() }));
