// The bytes of pictures, sounds and files: sent to the gateway before they are said, and read when they are shown.
import type { ContentPart } from '../../wire/said-parts.ts';
import type { PageConnection } from '../page-state/page-connection.ts';
import { problemText } from '../page-state/problem-text.ts';

const pathOf = (session: string) => `api/sessions/${encodeURIComponent(session)}/blobs`;

/** Stores a file in a session. Resolves with the part that names it; rejects with why it was refused. */
export async function storeFile(connection: PageConnection, session: string, file: File): Promise<ContentPart> {
  const headers = { 'content-type': 'application/octet-stream' };
  const response = await connection.request(pathOf(session), { method: 'POST', body: file, headers });
  if (!response.ok) throw new Error(await problemText(response));
  const { blob } = (await response.json()) as { readonly blob: string }; // as its route declares it
  const mediaType = (file.type || 'application/octet-stream').toLowerCase().replace(/;.*$/, '');
  return { type: kindOf(mediaType), blob, mediaType, bytes: file.size, name: file.name || 'picture' };
}

/** Reads the bytes that a part names. */
export async function readBytes(connection: PageConnection, session: string, blob: string): Promise<Blob> {
  const response = await connection.request(`${pathOf(session)}/${blob}`);
  if (!response.ok) throw new Error(await problemText(response));
  return await response.blob();
}

/** Reads the bytes that a part names, as an address for this page. The caller revokes it. */
export const readBlob = async (connection: PageConnection, session: string, blob: string): Promise<string> =>
  URL.createObjectURL(await readBytes(connection, session, blob));

function kindOf(mediaType: string): 'image' | 'audio' | 'file' {
  if (mediaType.startsWith('image/')) return 'image';
  return mediaType.startsWith('audio/') ? 'audio' : 'file';
}
