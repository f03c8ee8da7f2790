// The blob store in SQLite keeps the contract.
import { createSqliteLog } from '../../../src/adapters/stores/sqlite.ts';
import { blobContract } from '../../contract/blobs.ts';
import { newStorePath } from '../../support/store-path.ts';

blobContract('in SQLite', async () => {
  const log = createSqliteLog({ path: newStorePath() });
  if (!log.blobs) throw new Error('The log in SQLite has a blob store.');
  return { blobs: log.blobs, close: () => log.close() };
});
