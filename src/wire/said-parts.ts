// The parts of a SAY that says more than text: references to blobs of the session, never their bytes.
import * as z from 'zod';
import { mediaKinds } from '../../machines/content.ts';
import { anyText } from './frame-fields.ts';
import { maxMediaNameChars, maxMediaTypeChars, maxParts } from './frame-limits.ts';

export type { ContentPart } from '../../machines/content.ts';

export const saidPartsSchema = z
  .array(
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text'), text: anyText }),
      z.strictObject({
        type: z.enum(mediaKinds),
        blob: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits'),
        mediaType: z
          .string()
          .max(maxMediaTypeChars)
          .regex(/^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/, 'must be a media type in lower case'),
        bytes: z.int().min(1),
        name: anyText
          .min(1)
          .max(maxMediaNameChars)
          .regex(/^\P{Cc}*$/u, 'must have no control characters')
          .exactOptional(),
      }),
    ]),
  )
  .min(1)
  .max(maxParts)
  .readonly();
