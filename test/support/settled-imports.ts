// Lets a test file end only when what it has begun to import is there: the next file of its process would be given the failure of an import that was cut off.
import { afterAll, vi } from 'vitest';

afterAll(() => vi.dynamicImportSettled());
