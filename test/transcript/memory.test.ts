// The log in memory keeps the contract.
import { createMemoryLog } from '../../src/transcript/memory.ts';
import { logContract } from '../contract/log.ts';

logContract('in memory', async () => createMemoryLog());
