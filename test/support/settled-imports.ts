// Lets a test file end only after the imports that it has started: an import that is cut off would fail the next file of its process.
import { afterAll, vi } from 'vitest';

afterAll(() => vi.dynamicImportSettled());
