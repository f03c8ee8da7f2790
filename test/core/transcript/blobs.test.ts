// The blob store in memory keeps the contract.
import { createMemoryBlobs } from '../../../src/core/transcript/memory-blobs.ts';
import { blobContract } from '../../contract/blobs.ts';

blobContract('in memory', async () => ({ blobs: createMemoryBlobs(), close: async () => {} }));
