// Decides of which sessions a reader of the inspector may read the records, as of now: it may be invited, or removed, while it reads.
//
// The rule of a session that is awake is asked for each record. One that is asleep is looked up in the store, again after each time that it was awake.
import { BoundedMap } from '../../core/collections/bounded-map.ts';
import { fieldsOf } from '../../core/collections/untrusted-fields.ts';
import type { Caller, SessionDirectory } from '../../core/session/api.ts';
import type { ReaderAccess } from '../../wire/inspection-source.ts';

/** Sessions whose verdict is kept, for each reader. */
const maxVerdicts = 2_000;

/** `may` of one that is being looked up: the verdict before; it counts again if the store has no reply. */
interface Verdict {
  readonly state: 'awake' | 'looking up' | 'looked up';
  readonly may: boolean;
}

export interface RecordAccessOptions {
  readonly directory: Pick<SessionDirectory, 'check' | 'mayReadAwake'>;
  readonly caller: Caller;
  /** Called when the verdict on a session that was not known has come. */
  onKnown(): void;
  report(error: unknown): void;
}

export class RecordAccess implements ReaderAccess {
  /** Whether the caller may read records of no session: without a token everybody who has the key may; with one, whoever it lets into all sessions. */
  readonly readsNoSession: boolean;
  readonly #options: RecordAccessOptions;
  readonly #verdicts = new BoundedMap<string, Verdict>(maxVerdicts);
  #lookups = 0;

  constructor(options: RecordAccessOptions) {
    const { proof } = options.caller;
    this.#options = options;
    this.readsNoSession = !proof || (proof.sessions?.includes('*') ?? false);
  }

  /** Whether a verdict is being looked up. */
  get isLookingUp(): boolean {
    return this.#lookups > 0;
  }

  mayRead(session: string): boolean | null {
    const { directory, caller } = this.#options;
    const may = directory.mayReadAwake(caller, session);
    if (may !== null) {
      this.#verdicts.set(session, { state: 'awake', may });
      return may;
    }
    const known = this.#verdicts.get(session) ?? { state: 'awake', may: false };
    if (known.state === 'looked up') return known.may;
    if (known.state === 'awake') void this.#lookUp(session, known.may);
    return null;
  }

  async #lookUp(session: string, before: boolean): Promise<void> {
    const { directory, caller, onKnown, report } = this.#options;
    this.#verdicts.set(session, { state: 'looking up', may: before });
    this.#lookups += 1;
    const may = await directory.check('read', caller, session).then(
      () => true,
      (error: unknown) => {
        if (fieldsOf(error)['code'] === 'access_denied') return false;
        report(error);
        return before;
      },
    );
    this.#lookups -= 1;
    if (this.#verdicts.get(session)?.state === 'looking up') this.#verdicts.set(session, { state: 'looked up', may });
    onKnown();
  }
}
