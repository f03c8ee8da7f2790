// Schema of a tool argument that is a path.
import { z } from 'zod';

export const pathInput = z
  .string()
  .min(1)
  .max(4_096)
  .refine((path) => !path.includes('\0'), 'must not contain a NUL character')
  .describe('Relative to the first allowed folder, or absolute inside an allowed one.');
