// The log in SQLite keeps the contract.
import { createSqliteLog } from '../../../src/adapters/stores/sqlite.ts';
import { logContract } from '../../contract/log.ts';
import { sessionSearchContract } from '../../contract/session-search.ts';
import { newStorePath } from '../../support/store-path.ts';

const open = async () => createSqliteLog({ path: newStorePath() });
logContract('in SQLite', open);
sessionSearchContract('in SQLite', open);
