// Says words with their files in a session: the files are stored first, and the words name them.
import type { OpenSession, PageConnection } from '../page-state/page-connection.ts';
import { storeFile } from './blobs.ts';
import type { Manner } from './composer.tsx';

/** Resolves with the id of the turn, or of the deferred input; rejects with why it was refused. */
export async function sayWords(
  connection: PageConnection,
  { id, session }: Pick<OpenSession, 'id' | 'session'>,
  words: { readonly text: string; readonly files: readonly File[]; readonly manner: Manner },
): Promise<string> {
  const { text, files, manner } = words;
  const media = await Promise.all(files.map((file) => storeFile(connection, id, file)));
  const isBlank = text.trim() === '';
  const parts = media.length === 0 ? undefined : [...(isBlank ? [] : [{ type: 'text' as const, text }]), ...media];
  const said = isBlank ? media.map(({ type }) => type).join(', ') : text;
  const turn = manner === 'steer' ? session.steer(said, { parts }) : session.say(said, { parts });
  return turn.opened;
}
