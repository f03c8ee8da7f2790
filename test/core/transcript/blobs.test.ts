// The blob stores keep their contract.

import { createSqliteLog } from '../../../src/adapters/stores/sqlite.ts';
import { createMemoryBlobs } from '../../../src/core/transcript/memory-blobs.ts';
import { blobContract } from '../../contract/blobs.ts';
import { newStorePath } from './store.ts';

blobContract('in memory', async () => ({ blobs: createMemoryBlobs(), close: async () => {} }));
blobContract('in SQLite', async () => {
  const log = createSqliteLog({ path: newStorePath() });
  if (!log.blobs) throw new Error('The log in SQLite has a blob store.');
  return { blobs: log.blobs, close: () => log.close() };
});
