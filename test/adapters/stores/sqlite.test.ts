// The log in SQLite keeps the contract.
import { createSqliteLog } from '../../../src/adapters/stores/sqlite.ts';
import { logContract } from '../../contract/log.ts';
import { newStorePath } from '../../support/store-path.ts';

logContract('in SQLite', async () => createSqliteLog({ path: newStorePath() }));
