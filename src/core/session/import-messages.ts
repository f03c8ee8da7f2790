// Begins a session with a conversation that was held elsewhere: once, before anything is said, by its owner.
import type { SpeakerId } from '../../../machines/vocabulary.ts';
import { dropUndefined } from '../collections/fields.ts';
import type { FactSource } from '../transcript/history.ts';
import { importedMessages } from '../transcript/imported.ts';
import type { Appender } from '../transcript/journal.ts';
import type { SessionBlobs } from '../transcript/session-blobs.ts';
import type { SessionMembers } from '../transcript/session-members.ts';
import type { Caller, ImportReply, ImportRequest } from './api.ts';

/** The most that a session may begin with. */
export const importLimits = { messages: 1_000, chars: 262_144, parts: 256 } as const;

export interface ImportParts {
  readonly journal: Appender;
  readonly members: Pick<SessionMembers, 'owner'>;
  readonly history: FactSource;
  readonly blobs: Pick<SessionBlobs, 'knows'>;
}

/** Records the messages; resolves after the commit. A session that has something already, is another speaker's, or cannot hold the messages refuses. */
export async function importMessages(
  { speaker, door }: Pick<Caller, 'speaker' | 'door'>,
  request: ImportRequest,
  { journal, members, history, blobs }: ImportParts,
): Promise<ImportReply> {
  const isBegun = history.facts().some(({ type }) => type === 'turn_opened' || type === 'imported');
  if (isBegun || members.owner !== speaker.id) return refused('session_not_empty');
  const messages = importedMessages(request.messages);
  const parts = messages.flatMap((message) => message.parts ?? []);
  const chars = messages.reduce((sum, { text }) => sum + text.length, 0);
  if (request.messages.length > importLimits.messages) return refused('import_too_large', 'messages');
  if (chars > importLimits.chars) return refused('import_too_large', 'chars');
  if (parts.length > importLimits.parts) return refused('import_too_large', 'parts');
  if (parts.some((part) => part.type !== 'text' && !blobs.knows(part))) return refused('unknown_blob');
  const by: SpeakerId = speaker.id;
  if (messages.length > 0) await journal.append([{ type: 'imported', by, messages, ...dropUndefined({ door }) }]);
  return { type: 'imported', messages: messages.length };
}

const refused = (
  code: Extract<ImportReply, { type: 'import_refused' }>['code'],
  limit?: keyof typeof importLimits,
): ImportReply => ({
  type: 'import_refused',
  code,
  ...(limit && { limit: importLimits[limit] }),
});
