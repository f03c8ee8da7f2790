// The log in memory keeps the contract.
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { logContract } from '../../contract/log.ts';

logContract('in memory', async () => createMemoryLog());
