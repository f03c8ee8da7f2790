// Says words with their files in a session: the files are stored first, and the words name them.
import { TakenAsCancel } from '../../client/errors.ts';
import type { OpenSession, PageConnection } from '../page-state/page-connection.ts';
import { storeFile } from './blobs.ts';
import type { Manner } from './composer.tsx';

/**
 * Resolves when the words were accepted: as a turn, as words to a turn that runs, or as a stop phrase. Rejects with why they were refused.
 * @param onSent Called with the ref of the command, as soon as there is one.
 */
export async function sayWords(
  connection: PageConnection,
  { id, session }: Pick<OpenSession, 'id' | 'session'>,
  words: {
    readonly text: string;
    readonly files: readonly File[];
    readonly manner: Manner;
    readonly model?: string | null;
  },
  onSent: (ref: string) => void = () => {},
): Promise<void> {
  const { text, files, manner, model = null } = words;
  const media = await Promise.all(files.map((file) => storeFile(connection, id, file)));
  const isBlank = text.trim() === '';
  const parts = media.length === 0 ? undefined : [...(isBlank ? [] : [{ type: 'text' as const, text }]), ...media];
  const said = isBlank ? media.map(({ type }) => type).join(', ') : text;
  const turn =
    manner === 'steer'
      ? session.steer(said, { parts })
      : session.say(said, { parts, ...(model !== null && { options: { model } }) });
  onSent(turn.ref);
  await turn.opened.catch((error: Error) => {
    if (!(error instanceof TakenAsCancel)) throw error; // the receipt of a stop phrase shows by itself
  });
}
