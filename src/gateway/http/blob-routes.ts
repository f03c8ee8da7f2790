// The routes for the bytes of images, sounds and files: store them for a SAY, and read those that facts name.
import * as z from 'zod';
import { imageTypeOf } from '../../core/text/image-type.ts';
import { sessionName, sessionParams } from './common-schemas.ts';
import { HttpProblem } from './problems.ts';
import { route } from './route.ts';
import { openCodes } from './route-problems.ts';

const blobId = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits');

/** A browser neither guesses a type nor runs anything of the bytes: somebody else has sent them. */
const safetyHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, max-age=31536000, immutable',
};

export const blobRoutes = [
  route({
    method: 'POST',
    path: '/api/sessions/:session/blobs',
    operation: 'storeBlob',
    summary: 'Stores the bytes of an image, a sound or a file, which a SAY names by its id after that.',
    access: 'speaker',
    kind: 'request',
    bodyKind: 'bytes',
    schemas: { params: sessionParams },
    replies: {
      201: { description: 'They are stored.', schema: z.object({ blob: blobId, bytes: z.int() }) },
    },
    problems: ['blob_too_large', ...openCodes],
    async handle({ params: { session } }, { services: { runtime }, caller, bytes }) {
      if (bytes.length === 0) throw new HttpProblem('bad_field', { message: 'The body is empty. Send the bytes.' });
      await runtime.open(session, caller);
      await (await runtime.directory()).check('speak', caller, session);
      const [blob] = await runtime.storeBlobs(session, [bytes]);
      return { status: 201, body: { blob, bytes: bytes.length } };
    },
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:session/blobs/:blob',
    operation: 'readBlob',
    summary: 'Reads the bytes of an image, a sound or a file that a fact names.',
    access: 'speaker',
    kind: 'request',
    schemas: { params: z.strictObject({ session: sessionName, blob: blobId }) },
    replies: {
      200: {
        description: 'The bytes: of a PNG, JPEG, GIF or WebP image as such, of anything else as a file to be saved.',
        mediaType: 'application/octet-stream',
      },
    },
    problems: [['unknown_blob', 404]],
    async handle({ params: { session, blob } }, { services: { runtime }, caller }) {
      await (await runtime.directory()).check('read', caller, session);
      const bytes = await runtime.readBlob(session, blob);
      if (bytes === null) throw new HttpProblem('unknown_blob', { status: 404 });
      const imageType = imageTypeOf(bytes);
      const disposition = imageType === null ? `attachment; filename="${blob.slice(0, 12)}"` : 'inline';
      const type = imageType ?? 'application/octet-stream';
      return {
        status: 200,
        body: bytes,
        headers: { ...safetyHeaders, 'content-type': type, 'content-disposition': disposition },
      };
    },
  }),
];
