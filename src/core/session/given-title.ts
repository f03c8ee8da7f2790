// Performs RENAME, and keeps the title that was given to the session, folded from its facts.
import type { SequencedFact, SessionRenamed } from '../../../machines/facts.ts';
import type { SpeakerId } from '../../../machines/vocabulary.ts';
import { BoundedMap } from '../collections/bounded-map.ts';
import { commandName } from '../transcript/decided-commands.ts';
import { type Appender, type FactHandlers, type Projection, passFact } from '../transcript/journal.ts';
import { refReused } from './inbox.ts';
import type { RenameReply, RenameRequest } from './member-api.ts';

/** The limit of refs that are remembered, for a session. */
const maxRefs = 100;

export class GivenTitle implements Projection {
  static readonly #handlers: FactHandlers<GivenTitle> = {
    session_renamed(fact) {
      this.#apply(fact);
    },
  };
  readonly appended = GivenTitle.#handlers;
  #text: string | null = null;
  /** What was given, by the key of its command; null until one has a ref. */
  #decided: BoundedMap<string, SessionRenamed> | null = null;

  /** The title; null: nobody has given one. */
  get text(): string | null {
    return this.#text;
  }

  /** What the speaker has given under this ref; undefined: nothing. */
  findDecided(speaker: SpeakerId, ref: string): SessionRenamed | undefined {
    return this.#decided?.get(commandName({ speaker, ref }));
  }

  /** Adds facts of an earlier life of the session. */
  add(events: readonly SequencedFact[]): void {
    for (const event of events) passFact(this, this.appended, event);
  }

  #apply(renamed: SessionRenamed): void {
    const { title, by, ref } = renamed;
    this.#text = title;
    if (by === null || ref === null) return;
    this.#decided ??= new BoundedMap(maxRefs);
    this.#decided.set(commandName({ speaker: by, ref }), renamed);
  }
}

export interface RenameParts {
  readonly journal: Appender;
  readonly title: GivenTitle;
}

/** Records a title; `by` null: a program gives it. Resolves after its commit. A ref counts once for its speaker. */
export async function renameSession(
  by: SpeakerId | null,
  { title: given, ref }: RenameRequest,
  { journal, title }: RenameParts,
): Promise<RenameReply> {
  const line = given?.replace(/\s+/g, ' ').trim() || null;
  const decided = by === null || ref === undefined ? undefined : title.findDecided(by, ref);
  if (decided && decided.title !== line) return refReused;
  const renamed = { type: 'session_renamed', title: line, by, ref: ref ?? null } as const;
  const repeated = decided !== undefined || title.text === line;
  await journal.append(repeated ? [] : [renamed]);
  return { type: 'session_renamed', renamed, repeated };
}
