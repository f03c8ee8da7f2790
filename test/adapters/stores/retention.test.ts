// A runtime deletes old sessions from the log in SQLite.
import { createSqliteLog } from '../../../src/adapters/stores/sqlite.ts';
import { retentionContract } from '../../contract/retention.ts';
import { newStorePath } from '../../support/store-path.ts';

retentionContract('in SQLite', () => createSqliteLog({ path: newStorePath() }));
