// The log in memory keeps the contract.
import { createMemoryLog } from '../../../src/adapters/stores/memory.ts';
import { logContract } from '../../contract/log.ts';
import { sessionSearchContract } from '../../contract/session-search.ts';

const open = async () => createMemoryLog();
logContract('in memory', open);
sessionSearchContract('in memory', open);
